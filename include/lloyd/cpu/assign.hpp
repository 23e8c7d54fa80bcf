// SPDX-License-Identifier: MIT
/// @file
/// l_i = argmin_j D(x_i, c_j), batch by batch on all threads; D to the own centroid while the rows are in the cache.
#pragma once

#include <span>
#include <vector>

#include "lloyd/cpu/bounded_tile.hpp"
#include "lloyd/cpu/parallel.hpp"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// One thread's work of an assigning pass.
template <Real T, class Bound>
struct AssignWorker {
  BoundedTile<T, Bound> tile;
  std::vector<Label> labels;
  detail::ExactSum phi;
};

template <Real T, class Bound>
Index assign(const Tile<T>& tile, const Prepared<T, Bound>& prepared, std::span<Label> labels, std::span<double> d2,
             detail::ExactSum* phi) {
  Index rechecked = 0;
  for_each_batch(
      prepared.n_threads, tile.x.rows(), prepared.rows_at_once(tile.x.rows(), false),
      [&] {
        return AssignWorker<T, Bound>{BoundedTile<T, Bound>(prepared, tile.x, false), {}, {}};
      },
      [&](auto& worker, Index begin, Index count) {
        worker.labels.assign(static_cast<std::size_t>(count), -1);
        worker.tile.assign(begin, {worker.labels}, [](Index, Label, Label) {});
        for (Index i = 0; i < count; ++i) {
          const Label j = worker.labels[static_cast<std::size_t>(i)];
          const auto row = static_cast<std::size_t>(begin + i);
          if (!labels.empty()) labels[row] = j;
          if (d2.empty() && phi == nullptr) continue;
          const double own = prepared.distance(tile.x.row(begin + i), prepared.c.row(j), tile.x.cols());
          if (!d2.empty()) d2[row] = own;
          if (phi != nullptr) worker.phi.add_product(tile.w(begin + i), own);
        }
      },
      [&](auto& worker) {
        rechecked += worker.tile.rechecked();
        if (phi != nullptr) phi->merge(worker.phi);
      });
  return rechecked;
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
