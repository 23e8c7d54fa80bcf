// SPDX-License-Identifier: MIT
/// @file
/// Rows that change cluster: which they are, and their integers.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/cuda/sums.cuh"
#include "lloyd/kmeans/sums.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// Some rows of a tile.
template <Real T>
[[nodiscard]] Tile<T, Device> part_of(const Tile<T, Device>& tile, Index begin, Index count) {
  return {tile.x.slice(begin, count), tile.w.slice(begin, count), tile.offset + begin, tile.global(begin), tile.step};
}

/// The rows of a tile whose label changes.
struct Moves {
  const Label* from;          ///< by row; null: every row comes from none (-1)
  const Label* to;            ///< by row
  Index* rows;                ///< those that move, in any order
  unsigned long long* count;  ///< how many
};

/// Lists the rows that move, and moves their counts.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    find_moved_kernel(Gate gate, Tile<T, Device> tile, Moves moves, detail::SumsView sums) {
  if (gate.closed()) return;
  for (Index i = first_thing(); i < tile.x.rows(); i += thing_step()) {
    const Label from = moves.from != nullptr ? moves.from[i] : -1, to = moves.to[i];
    if (from == to) continue;
    moves.rows[atomicAdd(moves.count, 1ULL)] = i;
    const auto count = [&](Label j, std::int64_t sign) {
      add_shared(&sums.cluster_size(j), sign);
      if (tile.w(i) > 0) add_shared(&sums.occupancy(j), sign);
    };
    count(to, 1);
    if (from >= 0) count(from, -1);
  }
}

/// labels = fresh, and the number of rows that moved joins that of the sums.
template <int = 0>
__global__ void __launch_bounds__(block_threads) accept_kernel(Gate gate, Index n, Label* labels, const Label* fresh,
                                                               const unsigned long long* count, std::int64_t* changed) {
  if (gate.closed()) return;
  for (Index i = first_thing(); i < n; i += thing_step()) labels[i] = fresh[i];
  if (first_thing() == 0) add_shared(changed, static_cast<std::int64_t>(*count));
}

/// What rows add: their tile, the scales of its columns, and how many of these are features; the one after is the
/// weight.
template <Real T>
struct Terms {
  Tile<T, Device> tile;
  DeviceQuanta quanta;
  Index features;

  /// Hands every integer that row i adds to column q to add(limb, integer).
  template <class Add>
  __device__ void for_each_integer(Index i, Index q, const Add& add) const {
    const double inverse = quanta.inverse[q];
    if (q == features) {
      detail::for_each_limb(tile.w(i), inverse, quanta.bits, quanta.limbs, add);
    } else if (!tile.w.empty()) {
      detail::for_each_limb_of_product(tile.w(i), static_cast<double>(tile.x(i, q)), inverse, quanta.bits, quanta.limbs,
                                       add);
    } else {
      detail::for_each_limb(static_cast<double>(tile.x(i, q)), inverse, quanta.bits, quanta.limbs, add);
    }
  }
};

}  // namespace lloyd::inline LLOYD_ABI::cuda
