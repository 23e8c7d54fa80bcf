// SPDX-License-Identifier: MIT
/// @file
/// Some rows, drawn uniformly without repetition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "lloyd/kmeans/random.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// `count` of rows 0 .. n - 1, ascending: those with the least draws. A row's draw depends on the seed and its number
/// alone.
[[nodiscard]] inline std::vector<Index> sample_rows(Index n, Index count, std::uint64_t seed) {
  using Ticket = std::pair<std::uint64_t, Index>;
  std::vector<Ticket> least;  // a heap whose front is the greatest of them
  for (Index i = 0; i < n; ++i) {
    const Ticket ticket{draw({seed, Purpose::metric, 0, 0, i}).high, i};
    if (static_cast<Index>(least.size()) == count) {
      if (least.front() < ticket) continue;
      std::pop_heap(least.begin(), least.end());
      least.pop_back();
    }
    least.push_back(ticket);
    std::push_heap(least.begin(), least.end());
  }
  std::vector<Index> rows;
  rows.reserve(least.size());
  for (const Ticket& ticket : least) rows.push_back(ticket.second);
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace lloyd::inline LLOYD_ABI::detail
