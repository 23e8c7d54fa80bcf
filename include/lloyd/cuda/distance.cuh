// SPDX-License-Identifier: MIT
/// @file
/// d2_i = D(x_i, c_{l_i}): eight threads a row, sums in shared memory.
#pragma once

#include <cuda_runtime.h>

#include <span>

#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/cuda/sums.cuh"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// What becomes of D(x_i, c_j): it is written where d2 is not null, and its weighted sum is added where phi is not.
struct DistanceUse {
  double* d2;
  std::int64_t* phi;
};

/// Without labels c_0 is every row's.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    distance_kernel(Tile<T, Device> tile, MatrixView<const T, Device> c, const Label* labels, DistanceUse use) {
  const BlockSums sum(dynamic_shared<std::int64_t>(), use.phi != nullptr ? 1 : 0);
  for (Index i = first_row(); i < tile.x.rows(); i += row_step()) {
    const Index j = labels != nullptr ? labels[i] : 0;
    const double d2 = row_distance(tile.x.row(i), c.row(j), c.cols());
    if (row_lane() != 0) continue;
    if (use.d2 != nullptr) use.d2[i] = d2;
    if (use.phi != nullptr) sum.add_product(0, tile.w(i), d2);
  }
  if (use.phi != nullptr) sum.flush(use.phi);
}

/// Puts the pass over the rows into the stream; `use` lies on the device.
template <Real T>
void launch_distance(Engine& engine, const Tile<T, Device>& tile, MatrixView<const T, Device> c, const Label* labels,
                     const DistanceUse& use) {
  engine.launch_for_shared(tile.x.rows(), row_threads, bytes_of_sums(use.phi != nullptr ? 1 : 0), distance_kernel<T>,
                           tile, c, labels, use);
}

template <Real T>
void distance(Engine& engine, const Tile<T, Device>& tile, MatrixView<const T, Device> c, std::span<const Label> labels,
              std::span<double> d2, detail::ExactSum* phi) {
  if (tile.x.rows() == 0) return;
  Scratch scratch = engine.scratch();
  const DeviceSums sums(engine, scratch, 1);
  launch_distance(engine, tile, c, labels.data(), {d2.data(), phi != nullptr ? sums.bins() : nullptr});
  if (phi != nullptr) sums.take(std::span(phi, 1));
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
