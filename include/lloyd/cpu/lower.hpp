// SPDX-License-Identifier: MIT
/// @file
/// d2_i = min(d2_i, min_t D(x_i, y_t)): D is evaluated only for rows that a candidate may improve.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "lloyd/cpu/assign.hpp"

namespace lloyd::cpu {

template <Real T, class Bound>
double lower(const Tile<T>& tile, const Prepared<T, Bound>& prepared, Label first, std::span<double> d2,
             std::span<Label> labels, detail::ExactSum* phi) {
  struct Worker {
    AssignWorker<T, Bound> assign;
    std::vector<char> wanted{};
    double largest = 0;
  };
  double largest = 0;
  for_each_batch(
      prepared.n_threads, tile.x.rows(), prepared.batching.rows,
      [&] {
        return Worker{{AssignTile<T, Bound>(prepared, tile.x), {}, {}}};
      },
      [&](Worker& worker, Index begin, Index count) {
        worker.wanted.resize(static_cast<std::size_t>(count));
        worker.assign.labels.resize(static_cast<std::size_t>(count));
        AssignTile<T, Bound>& rows = worker.assign.tile;
        rows.pack(begin, count);
        const auto own = d2.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
        for (std::size_t r = 0; r < own.size(); ++r) rows.own().exclude_not_below(prepared.own, r, own[r]);
        rows.reduce();
        for (std::size_t r = 0; r < own.size(); ++r)
          worker.wanted[r] = rows.own().states()[r].best >= 0 || !rows.own().states()[r].usable;
        rows.settle(worker.assign.labels, [&](std::size_t r) { return worker.wanted[r] != 0; });
        for (std::size_t r = 0; r < own.size(); ++r) {
          const Index i = begin + static_cast<Index>(r);
          if (worker.wanted[r] != 0) {
            const Label nearest = worker.assign.labels[r];
            const double candidate = prepared.distance(tile.x.row(i), prepared.c.row(nearest), tile.x.cols());
            if (candidate < own[r]) {
              own[r] = candidate;
              if (!labels.empty()) labels[static_cast<std::size_t>(i)] = first + nearest;
            }
          }
          if (phi != nullptr) worker.assign.phi.add_product(tile.w(i), own[r]);
          worker.largest = (std::max)(worker.largest, tile.w(i) * own[r]);
        }
      },
      [&](Worker& worker) {
        largest = (std::max)(largest, worker.largest);
        if (phi != nullptr) phi->merge(worker.assign.phi);
      });
  return largest;
}

}  // namespace lloyd::cpu
