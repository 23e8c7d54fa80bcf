// SPDX-License-Identifier: MIT
/// @file
/// d2_i = D(x_i, c_{l_i}).
#pragma once

#include <span>

#include "lloyd/cpu/lanes.hpp"
#include "lloyd/cpu/parallel.hpp"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

template <Real T>
void distance(const Tile<T>& tile, MatrixView<const T> c, std::span<const Label> labels, std::span<double> d2,
              detail::ExactSum* phi, DistanceFunction<T> distance_to, int n_threads) {
  for_each_batch(
      n_threads, tile.x.rows(), 512, [] { return detail::ExactSum(); },
      [&](detail::ExactSum& sum, Index begin, Index count) {
        for (Index i = begin; i < begin + count; ++i) {
          const auto row = static_cast<std::size_t>(i);
          const double own = distance_to(tile.x.row(i), c.row(labels[row]), tile.x.cols());
          if (!d2.empty()) d2[row] = own;
          if (phi != nullptr) sum.add_product(tile.w(i), own);
        }
      },
      [&](detail::ExactSum& sum) {
        if (phi != nullptr) phi->merge(sum);
      });
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
