// SPDX-License-Identifier: MIT
/// @file
/// d2_i = min(d2_i, min_t D(x_i, y_t)): D is evaluated only for rows that a candidate may improve.
#pragma once

#include <algorithm>
#include <span>

#include "lloyd/cpu/nearer.hpp"
#include "lloyd/cpu/parallel.hpp"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/source.hpp"

namespace lloyd::cpu {

template <Real T, class Bound>
double lower(const Tile<T>& tile, const Prepared<T, Bound>& prepared, MatrixView<const T> seeds, Label first,
             std::span<double> d2, std::span<Label> labels, detail::ExactSum* phi) {
  struct Worker {
    Nearer<T, Bound> nearer;
    detail::ExactSum phi{};
    double largest = 0;
  };
  const std::vector<double> limits = reach_of(prepared, seeds);
  double largest = 0;
  for_each_batch(
      prepared.n_threads, tile.x.rows(), prepared.batching.rows,
      [&] { return Worker{Nearer<T, Bound>(prepared, tile.x, limits)}; },
      [&](Worker& worker, Index begin, Index count) {
        worker.nearer.find(begin, count, d2, labels, [&](Index i, Label c, double candidate) {
          d2[static_cast<std::size_t>(i)] = candidate;
          if (!labels.empty()) labels[static_cast<std::size_t>(i)] = first + c;
          return candidate;
        });
        for (Index i = begin; i < begin + count; ++i) {
          const double own = d2[static_cast<std::size_t>(i)];
          if (phi != nullptr) worker.phi.add_product(tile.w(i), own);
          worker.largest = (std::max)(worker.largest, tile.w(i) * own);
        }
      },
      [&](Worker& worker) {
        largest = (std::max)(largest, worker.largest);
        if (phi != nullptr) phi->merge(worker.phi);
      });
  return largest;
}

}  // namespace lloyd::cpu
