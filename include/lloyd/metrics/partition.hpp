// SPDX-License-Identifier: MIT
/// @file
/// Labels as a partition: any values, numbered 0 .. k - 1 in ascending order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// The clusters that labels make. None is empty.
struct Partition {
  std::vector<Label> values;  ///< k: the labels met, ascending
  std::vector<Label> number;  ///< n: where in `values` a row's label stands
  std::vector<Index> sizes;   ///< k

  /// @param labels  at least one
  explicit Partition(std::span<const Label> labels) {
    const auto [least, most] = std::minmax_element(labels.begin(), labels.end());
    const Index lowest = *least, range = static_cast<Index>(*most) - lowest + 1;
    if (range > (std::max)(static_cast<Index>(labels.size()), Index{1024})) {  // too wide for a table
      values.assign(labels.begin(), labels.end());
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
      count(labels,
            [&](Label label) { return std::lower_bound(values.begin(), values.end(), label) - values.begin(); });
      return;
    }
    std::vector<Label> table(static_cast<std::size_t>(range), -1);
    const auto at = [&](Label label) -> Label& { return table[static_cast<std::size_t>(label - lowest)]; };
    for (const Label label : labels) at(label) = 0;
    for (Index i = 0; i < range; ++i) {
      if (table[static_cast<std::size_t>(i)] < 0) continue;
      table[static_cast<std::size_t>(i)] = static_cast<Label>(values.size());
      values.push_back(static_cast<Label>(lowest + i));
    }
    count(labels, at);
  }

  [[nodiscard]] Index clusters() const { return static_cast<Index>(sizes.size()); }

 private:
  template <class NumberOf>
  void count(std::span<const Label> labels, const NumberOf& number_of) {
    sizes.assign(values.size(), 0);
    number.reserve(labels.size());
    for (const Label label : labels) {
      number.push_back(static_cast<Label>(number_of(label)));
      ++sizes[static_cast<std::size_t>(number.back())];
    }
  }
};

/// Rows by cluster, ascending within each: cluster j is order[starts[j]] .. order[starts[j + 1] - 1].
struct ClusterOrder {
  std::vector<Index> starts, order;

  explicit ClusterOrder(const Partition& partition) : starts(1, 0), order(partition.number.size()) {
    for (const Index size : partition.sizes) starts.push_back(starts.back() + size);
    std::vector<Index> next(starts);
    for (std::size_t i = 0; i < order.size(); ++i)
      order[static_cast<std::size_t>(next[static_cast<std::size_t>(partition.number[i])]++)] = static_cast<Index>(i);
  }

  [[nodiscard]] Index rows() const { return static_cast<Index>(order.size()); }
  [[nodiscard]] Index clusters() const { return static_cast<Index>(starts.size()) - 1; }
  [[nodiscard]] Index begin(Index j) const { return starts[static_cast<std::size_t>(j)]; }
  [[nodiscard]] Index end(Index j) const { return starts[static_cast<std::size_t>(j) + 1]; }
  [[nodiscard]] Index size(Index j) const { return end(j) - begin(j); }
  [[nodiscard]] Index row(Index position) const { return order[static_cast<std::size_t>(position)]; }
};

}  // namespace lloyd::inline LLOYD_ABI::detail
