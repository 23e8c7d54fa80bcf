// SPDX-License-Identifier: MIT
/// @file
/// The rows farthest from their centroids, one after another: the farthest of every block of rows is known, so the next
/// one is the farthest of these, and then only its block is looked through again.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lloyd/cuda/dynamic_shared.cuh"
#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/kmeans/mass.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

inline constexpr Index rows_a_group = 1024;

/// A row and its distance; farther first, then lower row. No row: a distance of 0.
struct Far {
  double d2;
  Index row;  ///< of the tile

  [[nodiscard]] static __device__ Far none() { return {0, 0}; }
  [[nodiscard]] __device__ bool before(const Far& other) const {
    return d2 > other.d2 || (d2 == other.d2 && row < other.row);
  }
};

/// The first of the block's values, for all its threads, who call it together.
[[nodiscard]] __device__ inline Far first_of_block(Far own) {
  struct Storage {
    double d2[block_threads];
    Index row[block_threads];
  };
  auto& shared = static_shared<Storage>();
  shared.d2[threadIdx.x] = own.d2, shared.row[threadIdx.x] = own.row;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const Far other{shared.d2[threadIdx.x + half], shared.row[threadIdx.x + half]};
      if (other.before(own)) own = other, shared.d2[threadIdx.x] = own.d2, shared.row[threadIdx.x] = own.row;
    }
    __syncthreads();
  }
  const Far first{shared.d2[0], shared.row[0]};
  __syncthreads();
  return first;
}

/// Rows by distance, of positive weight.
template <Real T>
struct FarRows {
  Tile<T, Device> tile;
  const double* d2;
  double* group_d2;  ///< the farthest of each group of rows that has not been taken
  Index* group_row;
  Index groups;

  /// The farthest row of a group that comes after `last` in order; by a block of threads.
  [[nodiscard]] __device__ Far first_of_group(Index group, const Far& last) const {
    Far own = Far::none();
    const Index begin = group * rows_a_group, end = begin + rows_a_group;
    for (Index i = begin + threadIdx.x; i < end && i < tile.x.rows(); i += blockDim.x) {
      const Far row{d2[i], i};
      if (row.d2 > 0 && last.before(row) && row.before(own) && tile.w(i) > 0) own = row;
    }
    return first_of_block(own);
  }
  /// The farthest row of those that have not been taken, which then is; by a block of threads, the only one.
  [[nodiscard]] __device__ Far take() const {
    Far own = Far::none();
    for (Index g = threadIdx.x; g < groups; g += blockDim.x) {
      const Far row{group_d2[g], group_row[g]};
      if (row.d2 > 0 && row.before(own)) own = row;
    }
    const Far first = first_of_block(own);
    if (!(first.d2 > 0)) return first;
    const Index group = first.row / rows_a_group;
    const Far rest = first_of_group(group, first);
    if (threadIdx.x == 0) group_d2[group] = rest.d2, group_row[group] = rest.row;
    __syncthreads();
    return first;
  }
};

/// The farthest row of every group. Does nothing where `wanted` is 0.
template <Real T>
__global__ void __launch_bounds__(block_threads) far_groups_kernel(Gate gate, FarRows<T> rows, const int* wanted) {
  if (gate.closed() || *wanted == 0) return;
  const Far before_all{INFINITY, -1};
  for (Index g = blockIdx.x; g < rows.groups; g += gridDim.x) {
    const Far first = rows.first_of_group(g, before_all);
    if (threadIdx.x == 0) rows.group_d2[g] = first.d2, rows.group_row[g] = first.row;
  }
}

/// The m farthest rows in order; one block.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    farthest_kernel(FarRows<T> rows, const Label* labels, Index m, detail::FarRow* found, Index* count) {
  Index taken = 0;
  for (; taken < m; ++taken) {
    const Far row = rows.take();
    if (!(row.d2 > 0)) break;
    if (threadIdx.x == 0) found[taken] = {row.d2, rows.tile.global(row.row), rows.tile.w(row.row), labels[row.row]};
  }
  if (threadIdx.x == 0) *count = taken;
}

/// Scratch for the rows of a tile.
template <Real T>
[[nodiscard]] FarRows<T> far_rows_of(Scratch& scratch, const Tile<T, Device>& tile, const double* d2) {
  const Index groups = (tile.x.rows() + rows_a_group - 1) / rows_a_group;
  return {tile, d2, scratch.take<double>(groups), scratch.take<Index>(groups), groups};
}

template <Real T>
void farthest(Engine& engine, const Tile<T, Device>& tile, std::span<const double> d2, std::span<const Label> labels,
              Index m, std::vector<detail::FarRow>& far_rows) {
  if (tile.x.rows() == 0 || m == 0) return;
  Scratch scratch = engine.scratch();
  const FarRows<T> rows = far_rows_of(scratch, tile, d2.data());
  const Index most = m < tile.x.rows() ? m : tile.x.rows();
  auto* found = scratch.take<detail::FarRow>(most);
  auto* count = scratch.take<Index>(1);
  auto* wanted = scratch.take<int>(1);
  LLOYD_CUDA_CHECK(cudaMemsetAsync(wanted, 1, sizeof(int), engine.stream()));
  launch(engine.stream(), dim3(engine.blocks_for(rows.groups)), dim3(block_threads), 0, far_groups_kernel<T>,
         engine.gate(), rows, wanted);
  launch(engine.stream(), dim3(1), dim3(block_threads), 0, farthest_kernel<T>, rows, labels.data(), most, found, count);
  Index taken = 0;
  engine.read(count, 1, &taken);
  std::vector<detail::FarRow> here(static_cast<std::size_t>(taken));
  engine.read(found, here.size(), here.data());
  for (const detail::FarRow& row : here) detail::keep_farthest(far_rows, row, m);
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
