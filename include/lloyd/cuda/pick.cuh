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

namespace lloyd::inline LLOYD_ABI::cuda {

/// A scale that the host knows.
struct KnownScale {
  detail::MassScale scale;

  [[nodiscard]] __device__ detail::MassScale operator()() const { return scale; }
};
/// The scale for n rows of which the device knows the pattern of the largest w_i d2_i.
struct ScaleOfLargest {
  const std::uint64_t* largest;
  Index n;

  [[nodiscard]] __device__ detail::MassScale operator()() const {
    return detail::MassScale::for_largest(__longlong_as_double(static_cast<long long>(*largest)), n);
  }
};

/// The blocks of the global numbering that a tile has rows of.
struct Blocks {
  Index first, count;

  template <Real T>
  [[nodiscard]] static Blocks of(const Tile<T, Device>& tile) {
    const Index first = tile.first / detail::rows_per_block;
    return {first, tile.global(tile.x.rows() - 1) / detail::rows_per_block - first + 1};
  }
};

/// Blocks `first` .. first + count - 1 of the global numbering: masses_b = the sum of q_i over the rows of block
/// first + b that the tile holds.
template <Real T, class Scale>
__global__ void __launch_bounds__(block_threads)
    block_masses_kernel(Tile<T, Device> tile, const double* d2, Scale scale_of, Blocks blocks, std::int64_t* masses) {
  struct Storage {
    std::int64_t sum;
  };
  auto& shared = static_shared<Storage>();
  const detail::MassScale scale = scale_of();
  for (Index b = blockIdx.x; b < blocks.count; b += gridDim.x) {
    if (threadIdx.x == 0) shared.sum = 0;
    __syncthreads();
    const auto rows = detail::rows_of_block(tile, blocks.first + b);
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

template <Real T, class Scale>
void launch_block_masses(Engine& engine, const Tile<T, Device>& tile, const double* d2, const Scale& scale,
                         const Blocks& blocks, std::int64_t* masses) {
  launch(engine.stream(), dim3(engine.blocks_for(blocks.count)), dim3(block_threads), 0, block_masses_kernel<T, Scale>,
         tile, d2, scale, blocks, masses);
}

template <Real T>
void pick(Engine& engine, const Tile<T, Device>& tile, std::span<const double> d2, const detail::MassScale& scale,
          Index block, std::span<std::int64_t> masses) {
  if (tile.x.rows() == 0) return;
  Scratch scratch = engine.scratch();
  const Blocks blocks = block < 0 ? Blocks::of(tile) : Blocks{0, detail::rows_per_block};
  auto* found = scratch.take<std::int64_t>(blocks.count);
  if (block < 0) {
    launch_block_masses(engine, tile, d2.data(), KnownScale{scale}, blocks, found);
  } else {
    engine.clear(found, blocks.count);
    engine.launch_for(detail::rows_per_block, 1, row_masses_kernel<T>, tile, d2.data(), scale, block, found);
  }
  std::vector<std::int64_t> here(static_cast<std::size_t>(blocks.count));
  engine.read(found, here.size(), here.data());
  for (std::size_t b = 0; b < here.size(); ++b) masses[static_cast<std::size_t>(blocks.first) + b] += here[b];
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
