// SPDX-License-Identifier: MIT
/// @file
/// Empty clusters take the rows that are farthest from their centroids.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "lloyd/kmeans/workspace.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// The farthest rows of all ranks, farthest first.
template <class P>
[[nodiscard]] std::vector<FarRow> merge_far(const P& problem, std::vector<FarRow> far_rows, Index most) {
  const int ranks = problem.ranks.size();
  if (ranks > 1) {
    // Each rank writes its own part; the sum puts the parts together.
    const auto part = static_cast<std::size_t>(4 * most);
    std::vector<std::int64_t> all;
    together(problem.ranks, [&] {
      all.assign(part * static_cast<std::size_t>(ranks), 0);
      std::int64_t* mine = all.data() + part * static_cast<std::size_t>(problem.ranks.rank());
      for (const FarRow& row : far_rows) {
        *mine++ = std::bit_cast<std::int64_t>(row.d2);
        *mine++ = row.row;
        *mine++ = std::bit_cast<std::int64_t>(row.w);
        *mine++ = row.label;
      }
      far_rows.clear();
      far_rows.reserve(all.size() / 4);
    });
    problem.ranks.sum(all);
    for (std::size_t i = 0; i < all.size(); i += 4)
      if (all[i] != 0)
        far_rows.push_back({std::bit_cast<double>(all[i]), all[i + 1], std::bit_cast<double>(all[i + 2]),
                            static_cast<Label>(all[i + 3])});
  }
  std::sort(far_rows.begin(), far_rows.end());
  return far_rows;
}

/// Moves one row to each cluster without a row of positive weight, in order, as long as there are rows to move: the
/// farthest by D from the centroids that gave the labels, ties to the lowest row, never one at D = 0 or of weight 0,
/// never the last row of positive weight of its cluster. Returns how many rows moved; a device that has all rows in one
/// tile does the work without the host, and counts them in the changes of the pass. Reads x once where any cluster is
/// empty.
template <class P, class W>
[[nodiscard]] Index relocate(const P& problem, W& work) {
  if (problem.options.empty_clusters == EmptyClusters::keep) return 0;
  if constexpr (!on_host<typename P::Backend>) {
    if (problem.in_one_tile()) {
      problem.pass([&](const auto& tile) {
        problem.backend.relocate(tile, work.centroids(), span_of(work.labels), span_of(work.d2), problem.quanta,
                                 work.sums(), work.delta());
      });
      return 0;
    }
  }
  std::vector<Index> occupancy;  // rows of positive weight
  std::vector<Label> empty;
  HostSums sums(problem.backend, work.sums());
  for (Index j = 0; j < work.c.rows(); ++j) {
    occupancy.push_back(sums.view().occupancy(j));
    if (occupancy.back() == 0) empty.push_back(static_cast<Label>(j));
  }
  if (empty.empty()) return 0;

  // d2_i = D(x_i, c_{l_i}); a donor is passed over at most once, so k rows are enough to choose from
  std::vector<FarRow> far_rows;
  work.kept = false;
  problem.pass([&](const auto& tile) {
    const auto labels = std::span<const Label>(W::of(work.labels, tile));
    problem.backend.distance(tile, work.centroids(), labels, W::of(work.d2, tile), nullptr);
    problem.backend.farthest(tile, std::span<const double>(W::of(work.d2, tile)), labels, work.c.rows(), far_rows);
  });
  far_rows = merge_far(problem, std::move(far_rows), work.c.rows());

  using Space = typename P::Space;
  auto x = together(problem.ranks, [&] { return make_dense<typename P::Scalar>(problem.backend, 1, problem.rows.d); });
  auto label = together(problem.ranks, [&] { return make_buffer<Label>(problem.backend, 1); });
  auto to = empty.begin();
  for (const FarRow& row : far_rows) {
    if (to == empty.end()) break;
    if (occupancy[static_cast<std::size_t>(row.label)] == 1) continue;
    --occupancy[static_cast<std::size_t>(row.label)];
    problem.fetch(std::span(&row.row, 1), x.view());
    const auto w = placed(problem.backend, std::span(&row.w, problem.survey.weighted() ? 1 : 0));
    fill(problem.backend, span_of(label), row.label);
    problem.backend.move(
        Tile<typename P::Scalar, Space>{std::as_const(x).view(), weights_in<Space>(span_of(w)), 0, row.row, 1}, 0, *to,
        span_of(label), problem.quanta, work.sums());
    if (const Index local = problem.rows.find(row.row); local >= 0)
      put(problem.backend, span_of(work.labels), std::span(&local, 1), *to);
    ++to;
  }
  return static_cast<Index>(to - empty.begin());
}

}  // namespace lloyd::inline LLOYD_ABI::detail
