// SPDX-License-Identifier: MIT
/// @file
/// Masses of rows, or of whole blocks of them: a block of threads adds up a block of rows.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>
#include <vector>

#include "lloyd/cuda/dynamic_shared.cuh"
#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/cuda/sums.cuh"
#include "lloyd/kmeans/mass.hpp"
#include "lloyd/source.hpp"

namespace lloyd::cuda {

/// Blocks `first` .. first + count - 1 of the global numbering: masses_b = the sum of q_i over the rows of block
/// first + b that the tile holds.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    block_masses_kernel(Tile<T, Device> tile, const double* d2, detail::MassScale scale, Index first, Index count,
                        std::int64_t* masses) {
  struct Storage {
    std::int64_t sum;
  };
  auto& shared = static_shared<Storage>();
  for (Index b = blockIdx.x; b < count; b += gridDim.x) {
    if (threadIdx.x == 0) shared.sum = 0;
    __syncthreads();
    const auto rows = detail::rows_of_block(tile, first + b);
    std::int64_t own = 0;
    for (Index i = rows.begin + threadIdx.x; i < rows.end; i += blockDim.x)
      own += static_cast<std::int64_t>(scale(tile.w(i), d2[i]));
    if (own != 0) add_shared(&shared.sum, own);
    __syncthreads();
    if (threadIdx.x == 0) masses[b] = shared.sum;
    __syncthreads();
  }
}

/// masses_m = q_i of the row that is number m of a block, 0 for those that the tile does not hold.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    row_masses_kernel(Tile<T, Device> tile, const double* d2, detail::MassScale scale, Index block,
                      std::int64_t* masses) {
  const auto rows = detail::rows_of_block(tile, block);
  for (Index i = rows.begin + first_thing(); i < rows.end; i += thing_step())
    masses[tile.global(i) % detail::rows_per_block] = static_cast<std::int64_t>(scale(tile.w(i), d2[i]));
}

template <Real T>
void pick(Engine& engine, const Tile<T, Device>& tile, std::span<const double> d2, const detail::MassScale& scale,
          Index block, std::span<std::int64_t> masses) {
  if (tile.x.rows() == 0) return;
  Scratch scratch = engine.scratch();
  const bool of_rows = block >= 0;
  const Index first = of_rows ? 0 : tile.first / detail::rows_per_block;
  const Index count =
      of_rows ? detail::rows_per_block : tile.global(tile.x.rows() - 1) / detail::rows_per_block - first + 1;
  auto* found = scratch.take<std::int64_t>(count);
  if (of_rows) {
    engine.clear(found, count);
    engine.launch_for(detail::rows_per_block, 1, row_masses_kernel<T>, tile, d2.data(), scale, block, found);
  } else {
    launch(engine.stream(), dim3(engine.blocks_for(count)), dim3(block_threads), 0, block_masses_kernel<T>, tile,
           d2.data(), scale, first, count, found);
  }
  std::vector<std::int64_t> here(static_cast<std::size_t>(count));
  engine.read(found, here.size(), here.data());
  for (Index b = 0; b < count; ++b) masses[static_cast<std::size_t>(first + b)] += here[static_cast<std::size_t>(b)];
}

}  // namespace lloyd::cuda
