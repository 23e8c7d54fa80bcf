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
  const FilterCentroids<T>& y = prepared.own;
  std::vector<detail::ExactSum> total(prepared.distinct.size());
  for_each_batch(
      prepared.n_threads, tile.x.rows(), prepared.batching.rows,
      [&] {
        return Worker{AssignTile<T, Bound>(prepared, tile.x), std::vector<detail::ExactSum>(total.size())};
      },
      [&](Worker& worker, Index begin, Index count) {
        worker.tile.filter(begin, count);
        const auto visit = [&](std::size_t r, Index from, std::span<const T> scores) {
          const auto& state = worker.tile.own().states()[r];
          const Index i = begin + static_cast<Index>(r);
          const double own = d2[static_cast<std::size_t>(i)];
          for (std::size_t t = 0; t < scores.size(); ++t) {
            const std::size_t u = static_cast<std::size_t>(from) + t;
            const T low = scores[t] - (state.norm * y.slope[u] + y.offset[u]);
            if (Filter<T>::lower_bound(y, state, low) >= own) continue;
            const double candidate =
                prepared.distance(tile.x.row(i), prepared.c.row(prepared.distinct[u]), tile.x.cols());
            if (!(candidate < own)) continue;
            worker.gains[u].add_product(tile.w(i), own);
            worker.gains[u].add_product(tile.w(i), candidate, -1);
          }
        };
        worker.tile.own().for_each_score_run(y, prepared.batching.centroids, prepared.fused, visit);
      },
      [&](Worker& worker) {
        for (std::size_t u = 0; u < total.size(); ++u) total[u].merge(worker.gains[u]);
      });
  for (std::size_t t = 0; t < gains.size(); ++t) gains[t].merge(total[static_cast<std::size_t>(prepared.group[t])]);
}

}  // namespace lloyd::cpu
