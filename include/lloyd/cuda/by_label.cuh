// SPDX-License-Identifier: MIT
/// @file
/// Rows that move, sorted by the cluster that they leave or join, and sums over what lies together. A counting sort in
/// kernels: it sorts only the rows that move, and does nothing where they are few, without asking the host.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "lloyd/cuda/draw.cuh"
#include "lloyd/cuda/dynamic_shared.cuh"
#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/moves.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/cuda/sums.cuh"
#include "lloyd/kmeans/sums.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// Rows sorted by one of their labels.
struct ByLabel {
  const Label* labels;  ///< by row; null: none has one
  std::int64_t sign;    ///< 1: they join that cluster, -1: they leave it
  std::int64_t* place;  ///< k + 1: where the next row of a cluster goes; the last: how many rows there are
  Index* rows;
  Index k;
  Index least_moved;  ///< fewer are not sorted

  [[nodiscard]] __device__ bool works(const Gate& gate, const Moves& moves) const {
    return !gate.closed() && static_cast<Index>(*moves.count) >= least_moved;
  }
};

template <int = 0>
__global__ void __launch_bounds__(block_threads) count_labels_kernel(Gate gate, Moves moves, ByLabel sorted) {
  if (!sorted.works(gate, moves)) return;
  for (Index m = first_thing(); m < static_cast<Index>(*moves.count); m += thing_step())
    if (const Label j = sorted.labels[moves.rows[m]]; j >= 0) add_shared(sorted.place + j, 1);
}

/// Counts become places: the sums of those before; one block.
template <int = 0>
__global__ void __launch_bounds__(block_threads) places_kernel(Gate gate, Moves moves, ByLabel sorted) {
  if (!sorted.works(gate, moves)) return;
  std::uint64_t before = 0;
  for (Index begin = 0; begin < sorted.k; begin += blockDim.x) {
    const Index j = begin + threadIdx.x;
    const auto own = j < sorted.k ? static_cast<std::uint64_t>(sorted.place[j]) : 0;
    const BlockPrefix prefix = BlockPrefix::of(own);
    if (j < sorted.k) sorted.place[j] = static_cast<std::int64_t>(before + prefix.through - own);
    before += prefix.total;
  }
  if (threadIdx.x == 0) sorted.place[sorted.k] = static_cast<std::int64_t>(before);
}

template <int = 0>
__global__ void __launch_bounds__(block_threads) place_rows_kernel(Gate gate, Moves moves, ByLabel sorted) {
  if (!sorted.works(gate, moves)) return;
  for (Index m = first_thing(); m < static_cast<Index>(*moves.count); m += thing_step()) {
    const Index i = moves.rows[m];
    const Label j = sorted.labels[i];
    if (j < 0) continue;
    sorted.rows[atomicAdd(reinterpret_cast<unsigned long long*>(sorted.place + j), 1ULL)] = i;
  }
}

/// Rows of a block's slice.
inline constexpr Index slice_rows = 256;

/// A thread adds up a column of the rows of one cluster that lie together in a slice, then adds that to the sums.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    sum_slices_kernel(Gate gate, Terms<T> terms, Moves moves, ByLabel sorted, detail::SumsView sums) {
  if (!sorted.works(gate, moves)) return;
  auto* own = dynamic_shared<std::int64_t>() + threadIdx.x;  // limb l stands `step` l places on
  const int step = static_cast<int>(blockDim.x);
  const detail::SumsShape& shape = sums.shape();
  for (int l = 0; l < shape.limbs; ++l) own[l * step] = 0;
  const Index rows = sorted.place[sorted.k];
  for (Index q = static_cast<Index>(blockIdx.y) * blockDim.x + threadIdx.x; q < shape.columns;
       q += static_cast<Index>(gridDim.y) * blockDim.x)
    for (Index begin = static_cast<Index>(blockIdx.x) * slice_rows; begin < rows;
         begin += static_cast<Index>(gridDim.x) * slice_rows) {
      const Index end = begin + slice_rows < rows ? begin + slice_rows : rows;
      for (Index m = begin; m < end; ++m) {
        const Index i = sorted.rows[m];
        const Label j = sorted.labels[i];
        terms.for_each_integer(i, q, [&](int l, std::int64_t whole) { own[l * step] += whole; });
        if (m + 1 < end && sorted.labels[sorted.rows[m + 1]] == j) continue;
        for (int l = 0; l < shape.limbs; ++l) {
          if (own[l * step] == 0) continue;
          add_shared(sums.cluster(j) + l * shape.columns + q, sorted.sign * own[l * step]);
          own[l * step] = 0;
        }
      }
    }
}

/// Adds the rows that move, where at least `least_moved` do.
template <Real T>
void move_by_label(Engine& engine, const Terms<T>& terms, const Moves& moves, const detail::SumsView& sums,
                   Index least_moved) {
  Scratch scratch = engine.scratch();
  const detail::SumsShape& shape = sums.shape();
  const Index n = terms.tile.x.rows();
  constexpr Index most_slices = 65535;  // blocks of a grid, sideways
  ByLabel sorted{nullptr, 1, scratch.take<std::int64_t>(shape.k + 1), scratch.take<Index>(n), shape.k, least_moved};
  const dim3 grid(engine.blocks_for((n + slice_rows - 1) / slice_rows),
                  static_cast<unsigned>((std::min)((shape.columns + block_threads - 1) / block_threads, most_slices)));
  const std::size_t bytes = static_cast<std::size_t>(shape.limbs) * block_threads * sizeof(std::int64_t);
  for (const bool joins : {true, false}) {
    sorted.labels = joins ? moves.to : moves.from;
    sorted.sign = joins ? 1 : -1;
    if (sorted.labels == nullptr) continue;
    engine.clear(sorted.place, shape.k + 1);
    engine.launch_for(n, 1, count_labels_kernel<>, engine.gate(), moves, sorted);
    launch(engine.stream(), dim3(1), dim3(block_threads), 0, places_kernel<>, engine.gate(), moves, sorted);
    engine.launch_for(n, 1, place_rows_kernel<>, engine.gate(), moves, sorted);
    launch(engine.stream(), grid, dim3(block_threads), bytes, sum_slices_kernel<T>, engine.gate(), terms, moves, sorted,
           sums);
  }
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
