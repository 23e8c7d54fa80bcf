// SPDX-License-Identifier: MIT
/// @file
/// How often labels of two kinds meet, without a table of all pairs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "lloyd/matrix.hpp"
#include "lloyd/metrics/partition.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// The rows that cluster a of one partition and cluster b of another share. Empty cells are left out.
struct Contingency {
  struct Cell {
    Label a, b;
    Index rows;
  };
  std::vector<Cell> cells;  ///< ascending a, then b

  Contingency(const Partition& one, const Partition& other) {
    const ClusterOrder order(one);
    std::vector<Index> rows(other.sizes.size(), 0);
    std::vector<Label> met;
    for (Index a = 0; a < order.clusters(); ++a) {
      met.clear();
      for (Index p = order.begin(a); p < order.end(a); ++p) {
        const Label b = other.number[static_cast<std::size_t>(order.row(p))];
        if (rows[static_cast<std::size_t>(b)]++ == 0) met.push_back(b);
      }
      std::sort(met.begin(), met.end());
      for (const Label b : met) {
        cells.push_back({static_cast<Label>(a), b, rows[static_cast<std::size_t>(b)]});
        rows[static_cast<std::size_t>(b)] = 0;
      }
    }
  }

  /// The same partition under two sets of names.
  [[nodiscard]] bool one_to_one(const Partition& one, const Partition& other) const {
    return cells.size() == one.sizes.size() && cells.size() == other.sizes.size();
  }
};

}  // namespace lloyd::inline LLOYD_ABI::detail
