// SPDX-License-Identifier: MIT
/// @file
/// One row changes cluster.
#pragma once

#include <cuda_runtime.h>

#include <span>

#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/moves.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/kmeans/sums.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// Row i of the tile goes from its label to `to`: its columns by the threads of one block, the rest by the first.
template <Real T>
__device__ void move_by_block(const Terms<T>& terms, Index i, Label to, Label* label, const detail::SumsView& sums) {
  const Label from = *label;
  const Index columns = sums.shape().columns;
  for (Index q = threadIdx.x; q < columns; q += blockDim.x)
    terms.for_each_integer(i, q, [&](int l, std::int64_t whole) {
      add_shared(sums.cluster(to) + l * columns + q, whole);
      if (from >= 0) add_shared(sums.cluster(from) + l * columns + q, -whole);
    });
  __syncthreads();
  if (threadIdx.x != 0) return;
  const auto count = [&](Label j, std::int64_t sign) {
    add_shared(&sums.cluster_size(j), sign);
    if (terms.tile.w(i) > 0) add_shared(&sums.occupancy(j), sign);
  };
  count(to, 1);
  if (from >= 0) count(from, -1);
  add_shared(&sums.changed(), 1);
  *label = to;
}

template <Real T>
__global__ void __launch_bounds__(block_threads)
    move_kernel(Terms<T> terms, Index i, Label to, Label* labels, detail::SumsView sums) {
  move_by_block(terms, i, to, labels + i, sums);
}

template <Real T>
void move(Engine& engine, const Tile<T, Device>& tile, Index i, Label to, std::span<Label> labels,
          const detail::Quanta& quanta, const detail::SumsView& sums) {
  launch(engine.stream(), dim3(1), dim3(block_threads), 0, move_kernel<T>,
         Terms<T>{tile, engine.quanta(quanta), sums.shape().d}, i, to, labels.data(), sums);
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
