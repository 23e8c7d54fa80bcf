// SPDX-License-Identifier: MIT
/// @file
/// Empty clusters take the rows that are farthest from their centroids, without the host: it does not know whether any
/// cluster is empty, so every kernel finds out.
#pragma once

#include <cuda_runtime.h>

#include <span>

#include "lloyd/cuda/distance.cuh"
#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/farthest.cuh"
#include "lloyd/cuda/move.cuh"
#include "lloyd/kmeans/sums.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// Sets *any where a cluster has no row of positive weight.
template <int = 0>
__global__ void __launch_bounds__(block_threads) any_empty_kernel(Gate gate, detail::SumsView sums, int* any) {
  if (gate.closed()) return;
  for (Index j = first_thing(); j < sums.shape().k; j += thing_step())
    if (sums.occupancy(j) == 0) atomicExch(any, 1);
}

/// d2_i = D(x_i, c_{l_i}) where any cluster is empty.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    far_distance_kernel(Gate gate, Tile<T, Device> tile, MatrixView<const T, Device> c, const Label* labels, double* d2,
                        const int* any) {
  if (gate.closed() || *any == 0) return;
  for (Index i = first_row(); i < tile.x.rows(); i += row_step()) {
    const double own = row_distance(tile.x.row(i), c.row(labels[i]), c.cols());
    if (row_lane() == 0) d2[i] = own;
  }
}

/// The first cluster from j on without a row of positive weight, or k; by a block of threads.
[[nodiscard]] __device__ inline Index next_empty(const detail::SumsView& sums, Index j) {
  const Index k = sums.shape().k;
  for (; j < k; j += blockDim.x) {
    const Index own = j + threadIdx.x;
    const bool empty = own < k && sums.occupancy(own) == 0;
    // The lowest of the block is the "farthest" of distance 1.
    const Far first = first_of_block(empty ? Far{1, own} : Far::none());
    if (first.d2 > 0) return first.row;
  }
  return k;
}

/// Moves a row to each empty cluster, in order, as kmeans/relocate.hpp says; one block.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    relocate_kernel(Gate gate, FarRows<T> rows, Terms<T> terms, Label* labels, detail::SumsView sums,
                    std::int64_t* changed, const int* any) {
  if (gate.closed() || *any == 0) return;
  for (Index j = next_empty(sums, 0); j < sums.shape().k; j = next_empty(sums, j + 1)) {
    Far from = rows.take();
    while (from.d2 > 0 && sums.occupancy(labels[from.row]) == 1) from = rows.take();
    if (!(from.d2 > 0)) return;
    __syncthreads();
    move_by_block(terms, from.row, static_cast<Label>(j), labels + from.row, sums);
    if (threadIdx.x == 0) add_shared(changed, 1);
    __syncthreads();
  }
}

/// What relocation changes.
struct Relocation {
  std::span<Label> labels;
  std::span<double> d2;  ///< n doubles of scratch
  detail::SumsView sums;
  std::int64_t* changed;  ///< takes how many rows moved, on the device
};

/// Relocates over rows that all lie in one tile, from centroids c.
template <Real T>
void relocate(Engine& engine, const Tile<T, Device>& tile, MatrixView<const T, Device> c, const detail::Quanta& quanta,
              const Relocation& of) {
  Scratch scratch = engine.scratch();
  auto* any = scratch.take<int>(1);
  const FarRows<T> rows = far_rows_of(scratch, tile, static_cast<const double*>(of.d2.data()));
  engine.clear(any, 1);
  engine.launch_for(of.sums.shape().k, 1, any_empty_kernel<>, engine.gate(), of.sums, any);
  engine.launch_for(tile.x.rows(), row_threads, far_distance_kernel<T>, engine.gate(), tile, c, of.labels.data(),
                    of.d2.data(), any);
  launch(engine.stream(), dim3(engine.blocks_for(rows.groups)), dim3(block_threads), 0, far_groups_kernel<T>,
         engine.gate(), rows, any);
  launch(engine.stream(), dim3(1), dim3(block_threads), 0, relocate_kernel<T>, engine.gate(), rows,
         Terms<T>{tile, engine.quanta(quanta), of.sums.shape().d}, of.labels.data(), of.sums, of.changed, any);
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
