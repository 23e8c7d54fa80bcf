// SPDX-License-Identifier: MIT
/// @file
/// The m rows farthest from their centroids: a heap of m for each thread, then one of them all.
#pragma once

#include <span>
#include <vector>

#include "lloyd/cpu/parallel.hpp"
#include "lloyd/kmeans/mass.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

template <Real T>
void farthest(const Tile<T>& tile, std::span<const double> d2, std::span<const Label> labels, Index m,
              std::vector<detail::FarRow>& far_rows, int n_threads) {
  using Heap = std::vector<detail::FarRow>;
  for_each_batch(
      n_threads, tile.x.rows(), 8192, [] { return Heap(); },
      [&](Heap& own, Index begin, Index count) {
        for (Index i = begin; i < begin + count; ++i) {
          const auto row = static_cast<std::size_t>(i);
          if (d2[row] > 0 && tile.w(i) > 0)
            detail::keep_farthest(own, {d2[row], tile.global(i), tile.w(i), labels[row]}, m);
        }
      },
      [&](const Heap& own) {
        for (const detail::FarRow& row : own) detail::keep_farthest(far_rows, row, m);
      });
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
