// SPDX-License-Identifier: MIT
/// @file
/// Draws of rows by exact prefix search, all at once: a block of threads to a draw.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>
#include <vector>

#include "lloyd/cuda/dynamic_shared.cuh"
#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/pick.cuh"
#include "lloyd/kmeans/mass.hpp"
#include "lloyd/kmeans/random.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// Sums m_0 + ... + m_i over a block's threads, each thread's own and all of them; called by all of them.
struct BlockPrefix {
  std::uint64_t through, total;

  [[nodiscard]] static __device__ BlockPrefix of(std::uint64_t own) {
    struct Storage {
      std::uint64_t sum[2][block_threads];
    };
    auto& shared = static_shared<Storage>();
    const unsigned i = threadIdx.x;
    shared.sum[0][i] = own;
    __syncthreads();
    int from = 0;
    for (unsigned step = 1; step < blockDim.x; step *= 2, from = 1 - from) {
      shared.sum[1 - from][i] = shared.sum[from][i] + (i >= step ? shared.sum[from][i - step] : 0);
      __syncthreads();
    }
    const BlockPrefix prefix{shared.sum[from][i], shared.sum[from][blockDim.x - 1]};
    __syncthreads();
    return prefix;
  }
};

/// A place that a draw has fallen on, and what is left of it there.
struct Found {
  Index place;  ///< -1: past the end
  std::uint64_t rest;
};

/// The least i with m_0 + ... + m_i > target of `count` masses mass(i); by a block of threads, each of which gets it.
template <class Mass>
[[nodiscard]] __device__ Found prefix_search(Index count, std::uint64_t target, const Mass& mass) {
  struct Storage {
    Index place;
    std::uint64_t rest;
  };
  auto& shared = static_shared<Storage>();
  for (Index begin = 0; begin < count; begin += blockDim.x) {
    const Index i = begin + threadIdx.x;
    const std::uint64_t own = i < count ? mass(i) : 0;
    const BlockPrefix prefix = BlockPrefix::of(own);
    if (target < prefix.total) {
      const std::uint64_t before = prefix.through - own;
      if (before <= target && target < prefix.through) shared.place = i, shared.rest = target - before;
      __syncthreads();
      const Found found{shared.place, shared.rest};
      __syncthreads();
      return found;
    }
    target -= prefix.total;
  }
  return {-1, target};
}

/// The sum of `count` masses, for all threads of a block.
[[nodiscard]] __device__ inline std::uint64_t sum_of(const std::int64_t* masses, Index count) {
  std::uint64_t own = 0;
  for (Index i = threadIdx.x; i < count; i += blockDim.x) own += static_cast<std::uint64_t>(masses[i]);
  return BlockPrefix::of(own).total;
}

/// Draws t = blockIdx.x, blockIdx.x + gridDim.x, ..: rows_t is the row of the tile that draw_of(t) falls on, or -1
/// where all masses are 0.
template <Real T, class Scale, class DrawOf>
__global__ void __launch_bounds__(block_threads)
    draw_kernel(Tile<T, Device> tile, const double* d2, Scale scale_of, Blocks blocks, const std::int64_t* masses,
                DrawOf draw_of, Index* rows) {
  const detail::MassScale scale = scale_of();
  const std::uint64_t total = sum_of(masses, blocks.count);
  for (Index t = blockIdx.x; t < draw_of.count; t += gridDim.x) {
    Index row = -1;
    if (total > 0) {
      const Found block = prefix_search(blocks.count, detail::below(draw_of(t), total),
                                        [&](Index b) { return static_cast<std::uint64_t>(masses[b]); });
      const auto of_block = detail::rows_of_block(tile, blocks.first + block.place);
      const Found found = prefix_search(of_block.end - of_block.begin, block.rest, [&](Index i) {
        return scale(tile.w(of_block.begin + i), d2[of_block.begin + i]);
      });
      row = of_block.begin + found.place;
    }
    if (threadIdx.x == 0) rows[t] = row;
  }
}

/// Draws of addresses that differ in their index.
struct DrawsByIndex {
  detail::DrawAddress first;
  Index count;

  [[nodiscard]] __device__ detail::Draw operator()(Index t) const {
    detail::DrawAddress address = first;
    address.index += t;
    return detail::draw(address);
  }
};

/// Global rows that draws fall on, of which the address of the first is given; none where all masses are 0.
template <Real T>
[[nodiscard]] std::vector<Index> draw(Engine& engine, const Tile<T, Device>& tile, std::span<const double> d2,
                                      const detail::MassScale& scale, const detail::DrawAddress& first, Index count) {
  Scratch scratch = engine.scratch();
  const Blocks blocks = Blocks::of(tile);
  auto* masses = scratch.take<std::int64_t>(blocks.count);
  auto* there = scratch.take<Index>(count);
  launch_block_masses(engine, tile, d2.data(), KnownScale{scale}, blocks, masses);
  launch(engine.stream(), dim3(engine.blocks_for(count)), dim3(block_threads), 0,
         draw_kernel<T, KnownScale, DrawsByIndex>, tile, d2.data(), KnownScale{scale}, blocks, masses,
         DrawsByIndex{first, count}, there);
  std::vector<Index> rows(static_cast<std::size_t>(count));
  engine.read(there, rows.size(), rows.data());
  for (Index& row : rows) row = row < 0 ? row : tile.global(row);
  return rows;
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
