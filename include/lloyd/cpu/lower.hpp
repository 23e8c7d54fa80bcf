// SPDX-License-Identifier: MIT
/// @file
/// d2_i = min(d2_i, min_t D(x_i, y_t)): D is evaluated only for rows that a candidate may improve.
#pragma once

#include <algorithm>
#include <span>

#include "lloyd/cpu/parallel.hpp"
#include "lloyd/cpu/tile.hpp"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/source.hpp"

namespace lloyd::cpu {

template <Real T, class Bound>
double lower(const Tile<T>& tile, const Prepared<T, Bound>& prepared, Label first, std::span<double> d2,
             std::span<Label> labels, detail::ExactSum* phi) {
  struct Worker {
    AssignTile<T, Bound> tile;
    detail::ExactSum phi{};
    double largest = 0;
  };
  double largest = 0;
  for_each_batch(
      prepared.n_threads, tile.x.rows(), prepared.batching.rows,
      [&] { return Worker{AssignTile<T, Bound>(prepared, tile.x)}; },
      [&](Worker& worker, Index begin, Index count) {
        worker.tile.pack(begin, count);
        Filter<T>& filter = worker.tile.own();
        const auto own = d2.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
        const auto evaluate = [&](std::size_t r, Index u) {
          const Index i = begin + static_cast<Index>(r);
          const Label c = prepared.distinct[static_cast<std::size_t>(u)];
          const double candidate = prepared.distance(tile.x.row(i), prepared.c.row(c), tile.x.cols());
          if (!(candidate < own[r])) return;
          own[r] = candidate;
          if (!labels.empty()) labels[static_cast<std::size_t>(i)] = first + c;
        };
        for (std::size_t r = 0; r < own.size(); ++r) {
          filter.exclude_not_below(prepared.own, r, own[r]);
          if (filter.usable(prepared.own, r)) continue;
          for (Index u = 0; u < prepared.own.k; ++u) evaluate(r, u);
        }
        filter.for_each_hit(prepared.own, prepared.batching.centroids, prepared.fused, [&](std::size_t r, Index u, T) {
          evaluate(r, u);
          filter.exclude_not_below(prepared.own, r, own[r]);
        });
        for (std::size_t r = 0; r < own.size(); ++r) {
          const Index i = begin + static_cast<Index>(r);
          if (phi != nullptr) worker.phi.add_product(tile.w(i), own[r]);
          worker.largest = (std::max)(worker.largest, tile.w(i) * own[r]);
        }
      },
      [&](Worker& worker) {
        largest = (std::max)(largest, worker.largest);
        if (phi != nullptr) phi->merge(worker.phi);
      });
  return largest;
}

}  // namespace lloyd::cpu
