// SPDX-License-Identifier: MIT
/// @file
/// g_t += sum_i w_i max(0, d2_i - D(x_i, y_t)): all candidates pass by while a row is in the cache.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <span>

#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/prepare.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/cuda/sums.cuh"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// So many sums lie in a block's shared memory at once.
inline constexpr int gains_at_once = 16;

template <Real T>
__global__ void __launch_bounds__(block_threads)
    gain_kernel(Tile<T, Device> tile, MatrixView<const T, Device> y, const double* d2, std::int64_t* gains) {
  const auto count = static_cast<int>(y.rows());
  const BlockSums sums(dynamic_shared<std::int64_t>(), count);
  for (Index i = first_row(); i < tile.x.rows(); i += row_step()) {
    const double own = d2[i];
    for (int t = 0; t < count; ++t) {
      const double candidate = row_distance(tile.x.row(i), y.row(t), y.cols());
      if (row_lane() != 0 || !(candidate < own)) continue;
      sums.add_product(t, tile.w(i), own);
      sums.add_product(t, tile.w(i), candidate, -1);
    }
  }
  sums.flush(gains);
}

/// Adds gains to sums of the device, some candidates at a time.
template <Real T>
void launch_gain(Engine& engine, const Tile<T, Device>& tile, MatrixView<const T, Device> y, const double* d2,
                 std::int64_t* gains) {
  for (Index first = 0; first < y.rows(); first += gains_at_once) {
    const auto some = y.slice(first, (std::min)(Index{gains_at_once}, y.rows() - first));
    engine.launch_for_shared(tile.x.rows(), row_threads, bytes_of_sums(static_cast<int>(some.rows())), gain_kernel<T>,
                             tile, some, d2, gains + first * sum_bins);
  }
}

template <Real T, class Bound>
void gain(Engine& engine, const Tile<T, Device>& tile, const Prepared<T, Bound>& prepared, std::span<const double> d2,
          std::span<detail::ExactSum> gains) {
  if (tile.x.rows() == 0) return;
  Scratch scratch = engine.scratch();
  const DeviceSums sums(engine, scratch, static_cast<int>(gains.size()));
  launch_gain(engine, tile, prepared.c, d2.data(), sums.bins());
  sums.take(gains);
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
