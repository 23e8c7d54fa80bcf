// SPDX-License-Identifier: MIT
/// @file
/// g_t += sum_i w_i max(0, d2_i - D(x_i, c_t)): D is evaluated only for rows that a candidate may improve.
#pragma once

#include <span>
#include <vector>

#include "lloyd/cpu/nearer.hpp"
#include "lloyd/cpu/parallel.hpp"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/kmeans/improvements.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// gain += w (own - candidate)
inline void add_gain(double w, double own, double candidate, detail::ExactSum& gain) {
  if (w == 1) {  // nearly always, and no product is to be taken apart
    gain.add(own);
    gain.subtract(candidate);
  } else {
    gain.add_product(w, own);
    gain.add_product(w, candidate, -1);
  }
}

/// @param notes  where rows that a candidate improves are noted, or null
template <Real T, class Bound>
void gain(const Tile<T>& tile, const Prepared<T, Bound>& prepared, MatrixView<const T> seeds,
          std::span<const Label> labels, std::span<const double> d2, std::span<detail::ExactSum> gains,
          detail::Improvements* notes) {
  struct Worker {
    Nearer<T, Bound> nearer;
    std::vector<detail::ExactSum> gains;  // of the distinct candidates
    std::span<detail::Improvements::Run> notes;
  };
  if (notes != nullptr) notes->set_groups(prepared.group);
  std::size_t workers = 0;
  const std::vector<double> limits = reach_of(prepared, seeds);
  std::vector<detail::ExactSum> total(prepared.distinct.size());
  for_each_batch(
      prepared.n_threads, tile.x.rows(), prepared.batching.rows,
      [&] {
        return Worker{Nearer<T, Bound>(prepared, tile.x, limits), std::vector<detail::ExactSum>(total.size()),
                      notes != nullptr ? notes->of_worker(workers++) : std::span<detail::Improvements::Run>()};
      },
      [&](Worker& worker, Index begin, Index count) {
        worker.nearer.find(begin, count, d2, labels, [&](Index i, Label c, double candidate) {
          const double own = d2[static_cast<std::size_t>(i)];
          if (!(candidate < own)) return own;
          const auto u = static_cast<std::size_t>(prepared.group[static_cast<std::size_t>(c)]);
          add_gain(tile.w(i), own, candidate, worker.gains[u]);
          if (!worker.notes.empty()) worker.notes[u].note({tile.offset + i, candidate});
          return own;
        });
      },
      [&](Worker& worker) {
        for (std::size_t u = 0; u < total.size(); ++u) total[u].merge(worker.gains[u]);
      });
  for (std::size_t t = 0; t < gains.size(); ++t) gains[t].merge(total[static_cast<std::size_t>(prepared.group[t])]);
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
