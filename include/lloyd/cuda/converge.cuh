// SPDX-License-Identifier: MIT
/// @file
/// sum_j D(c'_j, c_j), exactly added.
#pragma once

#include <cuda_runtime.h>

#include <span>

#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/cuda/sums.cuh"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

template <Real T>
__global__ void __launch_bounds__(block_threads)
    converge_kernel(Gate gate, MatrixView<const T, Device> next, MatrixView<const T, Device> c, std::int64_t* shift) {
  if (gate.closed()) return;
  const BlockSums sum(dynamic_shared<std::int64_t>(), 1);
  for (Index j = first_row(); j < c.rows(); j += row_step()) {
    const double d2 = row_distance(next.row(j), c.row(j), c.cols());
    if (row_lane() == 0) sum.add(0, d2);
  }
  sum.flush(shift);
}

/// Adds the shift to a sum of the device.
template <Real T>
void launch_converge(Engine& engine, MatrixView<const T, Device> next, MatrixView<const T, Device> c,
                     std::int64_t* shift) {
  engine.launch_for_shared(c.rows(), row_threads, bytes_of_sums(1), converge_kernel<T>, engine.gate(), next, c, shift);
}

template <Real T>
[[nodiscard]] double converge(Engine& engine, MatrixView<const T, Device> next, MatrixView<const T, Device> c) {
  Scratch scratch = engine.scratch();
  const DeviceSums sums(engine, scratch, 1);
  launch_converge(engine, next, c, sums.bins());
  detail::ExactSum shift;
  sums.take(std::span(&shift, 1));
  return shift.value();
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
