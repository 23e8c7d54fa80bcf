// SPDX-License-Identifier: MIT
/// @file
/// Eight neighbouring threads work on one row: D by its eight lanes, and who the row is.
#pragma once

#include <cuda_runtime.h>

#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/subnormals.cuh"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// A thread's place among the eight of a row.
[[nodiscard]] __device__ inline int row_lane() { return static_cast<int>(threadIdx.x) % row_threads; }
/// The first row of a thread, and from one of its rows to the next, when a grid strides over rows.
[[nodiscard]] __device__ inline Index first_row() {
  return (static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x) / row_threads;
}
[[nodiscard]] __device__ inline Index row_step() { return static_cast<Index>(gridDim.x) * blockDim.x / row_threads; }

/// The first thing of a thread, and from one of them to the next, when a grid strides over things.
[[nodiscard]] __device__ inline Index first_thing() {
  return static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
}
[[nodiscard]] __device__ inline Index thing_step() { return static_cast<Index>(gridDim.x) * blockDim.x; }

/// The eight lanes of a row, for shuffles among them.
[[nodiscard]] __device__ inline unsigned row_mask() {
  return ((1U << row_threads) - 1) << (threadIdx.x % 32 / row_threads * row_threads);
}

/// The sum over the eight threads of a row, in the order of D: ((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7)).
[[nodiscard]] __device__ inline double sum_over_row(double lane) {
  const unsigned mask = row_mask();
  lane = __dadd_rn(lane, __shfl_xor_sync(mask, lane, 4));
  lane = __dadd_rn(lane, __shfl_xor_sync(mask, lane, 2));
  return __dadd_rn(lane, __shfl_xor_sync(mask, lane, 1));
}

/// D(x, c) as kmeans/distance.hpp defines it, for all eight threads of a row, who call it together.
template <Real T>
[[nodiscard]] __device__ double row_distance(const T* x, const T* c, Index d) {
  demand_subnormals();
  double lane = 0;
  for (Index q = row_lane(); q < d; q += row_threads) {
    const double t = __dsub_rn(static_cast<double>(x[q]), static_cast<double>(c[q]));
    lane = __fma_rn(t, t, lane);
  }
  return sum_over_row(lane);
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
