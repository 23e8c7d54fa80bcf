// SPDX-License-Identifier: MIT
/// @file
/// How pairs of rows are cut into tiles, and the scratch of one tile.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lloyd/cpu/aligned.hpp"
#include "lloyd/cpu/pair_sums.hpp"
#include "lloyd/error.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/metrics/cut.hpp"
#include "lloyd/metrics/input.hpp"
#include "lloyd/metrics/partition.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Rows that share a vector, by their positions in the order of clusters: of one cluster, whose last group may be
/// short.
struct Group {
  Index first, count;
};

/// All groups, numbered in order.
class Groups {
 public:
  Groups(const ClusterOrder& order, int lanes) : order_(&order), lanes_(lanes), starts_(1, 0) {
    for (Index c = 0; c < order.clusters(); ++c) starts_.push_back(starts_.back() + count(order.size(c)));
  }

  [[nodiscard]] Index total() const { return starts_.back(); }
  /// Groups that so many rows make.
  [[nodiscard]] Index count(Index rows) const { return (rows + lanes_ - 1) / lanes_; }
  [[nodiscard]] Index end(Index cluster) const { return starts_[static_cast<std::size_t>(cluster) + 1]; }
  [[nodiscard]] Index cluster_of(Index group) const {
    return std::upper_bound(starts_.begin(), starts_.end(), group) - starts_.begin() - 1;
  }
  /// The group that begins at a position of a cluster.
  [[nodiscard]] Index number(Index cluster, Index position) const {
    return starts_[static_cast<std::size_t>(cluster)] + (position - order_->begin(cluster)) / lanes_;
  }
  [[nodiscard]] Group group(Index cluster, Index number) const {
    const Index first = order_->begin(cluster) + (number - starts_[static_cast<std::size_t>(cluster)]) * lanes_;
    return {first, (std::min)(static_cast<Index>(lanes_), order_->end(cluster) - first)};
  }

 private:
  const ClusterOrder* order_;
  int lanes_;
  std::vector<Index> starts_;  // by cluster
};

/// How many rows of a cluster meet all groups at a time: enough to pay for packing the groups, few enough for the
/// second-level cache, and for the budget, which holds them, their sums lane by lane in each thread, and their sums by
/// cluster. A power of two, at least 8, so that chunks begin where groups do.
[[nodiscard]] inline Index choose_chunk(const Computing& computing, const ClusterOrder& order, Index d, int lanes) {
  constexpr std::size_t cache = std::size_t{3} << 18, most = 512, least = 8;
  const auto threads = static_cast<std::size_t>(computing.threads), k = static_cast<std::size_t>(order.clusters());
  const std::size_t row = static_cast<std::size_t>(d) * sizeof(double);
  const std::size_t group = static_cast<std::size_t>(lanes) * row, lane_sums = static_cast<std::size_t>(lanes) * 16;
  const auto bytes = [&](std::size_t rows) {
    return rows * (row + threads * lane_sums + k * sizeof(CutSum)) + threads * group;
  };
  std::size_t rows = least;
  Index largest = 0;
  for (Index c = 0; c < order.clusters(); ++c) largest = (std::max)(largest, order.size(c));
  while (rows < most && rows < static_cast<std::size_t>(largest) && 2 * rows * (row + lane_sums) + group <= cache &&
         bytes(2 * rows) <= computing.budget)
    rows *= 2;
  demand(bytes(rows) <= computing.budget, computing.who, ": memory_budget ", computing.budget,
         " bytes is too small: tiles of ", rows, " rows (d = ", d, ", ", k, " clusters, ", threads, " threads) need ",
         bytes(rows));
  return static_cast<Index>(rows);
}

/// A group of rows, feature by feature: to[q lanes + l] = x(row l, q). Lanes beyond the group repeat its last row.
template <Real T>
void pack_group(MatrixView<const T> x, const ClusterOrder& order, const Group& group, int lanes, double* to) {
  const T* row[cpu::most_pair_lanes];
  for (int l = 0; l < lanes; ++l) row[l] = x.row(order.row(group.first + (std::min)(Index{l}, group.count - 1)));
  for (Index q = 0; q < x.cols(); ++q)
    for (int l = 0; l < lanes; ++l) to[q * lanes + l] = static_cast<double>(row[l][q]);
}

/// A group, and the sums of a run of groups against a chunk: what one thread works on.
class PairScratch {
 public:
  PairScratch(Index d, Index chunk, int lanes)
      : x_(static_cast<std::size_t>(d * lanes)), of_y_(static_cast<std::size_t>(2 * chunk * lanes)), lanes_(lanes) {}

  [[nodiscard]] double* x() { return x_.data(); }

  /// Begins a run of groups against so many rows.
  void begin(Index rows) {
    std::fill_n(of_y_.begin(), 2 * rows * lanes_, std::uint64_t{0});
    groups_ = 0;
  }
  /// The next group of the run, packed in x(), against `count` rows y.
  void add(cpu::PairFunction kernel, Index d, const double* y, Index count, const Cut& cut) {
    ++groups_;
    kernel.add({d, x_.data(), y, count, cut.high, cut.low, of_x_, of_y_.data()});
  }
  /// What lane l of the last group has from `terms` rows.
  [[nodiscard]] CutSum sum_of_x(Index l, Index terms, const Cut& cut) const {
    return without_constants({of_x_[l], of_x_[lanes_ + l]}, terms, cut);
  }
  /// What row i has from the first `lanes` lanes of the run's groups.
  [[nodiscard]] CutSum sum_of_y(Index i, Index lanes, const Cut& cut) const {
    const std::uint64_t* from = of_y_.data() + 2 * i * lanes_;
    CutSum sum;
    for (Index l = 0; l < lanes; ++l) sum.add({from[l], from[lanes_ + l]});
    return without_constants(sum, groups_ * lanes, cut);
  }

 private:
  /// Takes off the bits of the constants that every term was rounded by.
  [[nodiscard]] static CutSum without_constants(CutSum sum, Index terms, const Cut& cut) {
    sum.high -= static_cast<std::uint64_t>(terms) * std::bit_cast<std::uint64_t>(cut.high);
    sum.low -= static_cast<std::uint64_t>(terms) * std::bit_cast<std::uint64_t>(cut.low);
    return sum;
  }

  cpu::Aligned<double> x_;
  cpu::Aligned<std::uint64_t> of_y_;
  alignas(64) std::uint64_t of_x_[2 * cpu::most_pair_lanes] = {};
  Index lanes_, groups_ = 0;
};

}  // namespace lloyd::inline LLOYD_ABI::detail
