// SPDX-License-Identifier: MIT
/// @file
/// g_t += w_i max(0, d2_i - D(x_i, y_t)): the filter shows for most rows that a candidate does not improve them.
#pragma once

#include <span>
#include <vector>

#include "lloyd/cpu/parallel.hpp"
#include "lloyd/cpu/tile.hpp"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/source.hpp"

namespace lloyd::cpu {

template <Real T, class Bound>
void gain(const Tile<T>& tile, const Prepared<T, Bound>& prepared, std::span<const double> d2,
          std::span<detail::ExactSum> gains) {
  struct Worker {
    AssignTile<T, Bound> tile;
    std::vector<detail::ExactSum> gains;  // of the distinct candidates
  };
  std::vector<detail::ExactSum> total(prepared.distinct.size());
  for_each_batch(
      prepared.n_threads, tile.x.rows(), prepared.batching.rows,
      [&] {
        return Worker{AssignTile<T, Bound>(prepared, tile.x), std::vector<detail::ExactSum>(total.size())};
      },
      [&](Worker& worker, Index begin, Index count) {
        const auto evaluate = [&](std::size_t r, Index u) {
          const Index i = begin + static_cast<Index>(r);
          const double own = d2[static_cast<std::size_t>(i)];
          const Label c = prepared.distinct[static_cast<std::size_t>(u)];
          const double candidate = prepared.distance(tile.x.row(i), prepared.c.row(c), tile.x.cols());
          if (!(candidate < own)) return;
          worker.gains[static_cast<std::size_t>(u)].add_product(tile.w(i), own);
          worker.gains[static_cast<std::size_t>(u)].add_product(tile.w(i), candidate, -1);
        };
        worker.tile.pack(begin, count);
        Filter<T>& filter = worker.tile.own();
        for (std::size_t r = 0; r < static_cast<std::size_t>(count); ++r) {
          filter.exclude_not_below(prepared.own, r, d2[static_cast<std::size_t>(begin) + r]);
          if (filter.usable(prepared.own, r)) continue;
          for (Index u = 0; u < prepared.own.k; ++u) evaluate(r, u);
        }
        filter.for_each_hit(prepared.own, prepared.batching.centroids, prepared.fused,
                            [&](std::size_t r, Index u, T) { evaluate(r, u); });
      },
      [&](Worker& worker) {
        for (std::size_t u = 0; u < total.size(); ++u) total[u].merge(worker.gains[u]);
      });
  for (std::size_t t = 0; t < gains.size(); ++t) gains[t].merge(total[static_cast<std::size_t>(prepared.group[t])]);
}

}  // namespace lloyd::cpu
