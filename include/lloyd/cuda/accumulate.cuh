// SPDX-License-Identifier: MIT
/// @file
/// S_{l_i} += w_i x_i: rows change cluster, as integers. Ways that give the same bits: accumulators of all clusters in
/// each block's shared memory, a column to a thread; beyond, rows sorted by label; atomic additions where few rows
/// move; and one-hot, by products.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "lloyd/cuda/by_label.cuh"
#include "lloyd/cuda/dynamic_shared.cuh"
#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/moves.cuh"
#include "lloyd/cuda/one_hot.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/cuda/sums.cuh"
#include "lloyd/kmeans/sums.hpp"
#include "lloyd/options.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// Automatic takes one-hot where one_hot_factor * k < d: nowhere. It writes and reads 16 bytes or more for each value
/// of all rows, where the others read those of the rows that move (docs/decisions/0017).
inline constexpr Index one_hot_factor = Index{1} << 20;

[[nodiscard]] inline bool takes_one_hot(CentroidUpdate update, Index k, Index d) {
  return update == CentroidUpdate::one_hot || (update == CentroidUpdate::automatic && one_hot_factor * k < d);
}

/// How rows are added where many move: accumulators in shared memory, of some columns of all clusters, as often as
/// there is room for rows side by side; or sorted.
struct ScatterPlan {
  int width = 0;      ///< columns of a block
  int copies = 0;     ///< rows that a block takes at once; 0: there is no room, and rows are sorted
  Index least_moved;  ///< fewer rows are added by atomic additions

  [[nodiscard]] static ScatterPlan of(const detail::SumsShape& shape) {
    constexpr Index room = (Index{48} << 10) / static_cast<Index>(sizeof(std::int64_t)), least_width = 32;
    constexpr Index most_slices = 65535;  // blocks of a grid, sideways
    const Index of_column = shape.k * shape.limbs, columns = (std::max)(shape.columns, Index{1});
    const Index width = (std::min)({columns, room / of_column, Index{block_threads}});
    if (width < (std::min)(columns, least_width) || (columns + width - 1) / width > most_slices)
      return {0, 0, 2 * shape.k};
    const Index copies = (std::min)(room / (of_column * width), block_threads / width);
    return {static_cast<int>(width), static_cast<int>(copies), 8 * shape.k};
  }
  [[nodiscard]] __device__ bool takes(Index moved) const { return moved >= least_moved; }
};

/// Moves rows by atomic additions, where the plan does not take them.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    scatter_kernel(Gate gate, Terms<T> terms, Moves moves, detail::SumsView sums, ScatterPlan plan) {
  if (gate.closed()) return;
  const auto moved = static_cast<Index>(*moves.count);
  if (plan.takes(moved)) return;
  const Index columns = sums.shape().columns;
  for (Index e = first_thing(); e < moved * columns; e += thing_step()) {
    const Index i = moves.rows[e / columns], q = e % columns;
    const Label from = moves.from != nullptr ? moves.from[i] : -1, to = moves.to[i];
    terms.for_each_integer(i, q, [&](int l, std::int64_t whole) {
      add_shared(sums.cluster(to) + l * columns + q, whole);
      if (from >= 0) add_shared(sums.cluster(from) + l * columns + q, -whole);
    });
  }
}

/// Moves rows through accumulators in shared memory. A thread alone adds to a column of a copy.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    column_kernel(Gate gate, Terms<T> terms, Moves moves, detail::SumsView sums, ScatterPlan plan) {
  if (gate.closed()) return;
  const auto moved = static_cast<Index>(*moves.count);
  if (!plan.takes(moved)) return;
  auto* all = dynamic_shared<std::int64_t>();
  const detail::SumsShape& shape = sums.shape();
  const int size = static_cast<int>(shape.k) * shape.limbs * plan.width;
  for (int e = static_cast<int>(threadIdx.x); e < plan.copies * size; e += static_cast<int>(blockDim.x)) all[e] = 0;
  __syncthreads();
  const int column = static_cast<int>(threadIdx.x) % plan.width, copy = static_cast<int>(threadIdx.x) / plan.width;
  const Index first = static_cast<Index>(blockIdx.y) * plan.width, q = first + column;
  std::int64_t* own = all + copy * size + column;
  const bool works = copy < plan.copies && q < shape.columns;
  for (Index m = static_cast<Index>(blockIdx.x) * plan.copies + copy; works && m < moved;
       m += static_cast<Index>(gridDim.x) * plan.copies) {
    const Index i = moves.rows[m];
    const Label from = moves.from != nullptr ? moves.from[i] : -1, to = moves.to[i];
    terms.for_each_integer(i, q, [&](int l, std::int64_t whole) {
      own[(to * shape.limbs + l) * plan.width] += whole;
      if (from >= 0) own[(from * shape.limbs + l) * plan.width] -= whole;
    });
  }
  __syncthreads();
  for (int e = static_cast<int>(threadIdx.x); e < size; e += static_cast<int>(blockDim.x)) {
    const Index place = e / plan.width, to = first + e % plan.width;  // place: limbs of clusters
    std::int64_t sum = 0;
    for (int c = 0; c < plan.copies; ++c) sum += all[c * size + e];
    if (sum != 0 && to < shape.columns) add_shared(sums.cluster(0) + place * shape.columns + to, sum);
  }
}

template <Real T>
void launch_columns(Engine& engine, const Terms<T>& terms, const Moves& moves, const detail::SumsView& sums,
                    const ScatterPlan& plan) {
  const detail::SumsShape& shape = sums.shape();
  const Index rows_a_block = 16 * Index{plan.copies};
  const dim3 grid(engine.blocks_for((terms.tile.x.rows() + rows_a_block - 1) / rows_a_block),
                  static_cast<unsigned>((shape.columns + plan.width - 1) / plan.width));
  const int threads = (plan.width * plan.copies + 31) / 32 * 32;
  const auto bytes = static_cast<std::size_t>(shape.k * shape.limbs) * static_cast<std::size_t>(plan.width) *
                     static_cast<std::size_t>(plan.copies) * sizeof(std::int64_t);
  launch(engine.stream(), grid, dim3(static_cast<unsigned>(threads)), bytes, column_kernel<T>, engine.gate(), terms,
         moves, sums, plan);
}

/// Moves rows of a tile, by the way that `update` and the shape choose. `moves.rows` and `.count` are written.
template <Real T>
void move_rows(Engine& engine, const Tile<T, Device>& tile, const Moves& moves, const detail::Quanta& quanta,
               const detail::SumsView& sums, CentroidUpdate update, std::size_t budget) {
  const detail::SumsShape& shape = sums.shape();
  engine.clear(moves.count, 1);
  engine.launch_for(tile.x.rows(), 1, find_moved_kernel<T>, engine.gate(), tile, moves, sums);
  if (shape.columns == 0) return;
  if (takes_one_hot(update, shape.k, shape.d)) return one_hot(engine, tile, moves, quanta, sums, budget);
  const Terms<T> terms{tile, engine.quanta(quanta), shape.d};
  const ScatterPlan plan = ScatterPlan::of(shape);
  if (plan.copies > 0) {
    launch_columns(engine, terms, moves, sums, plan);
  } else {
    move_by_label(engine, terms, moves, sums, plan.least_moved);
  }
  engine.launch_for(tile.x.rows() * shape.columns, 1, scatter_kernel<T>, engine.gate(), terms, moves, sums, plan);
}

template <Real T>
void accumulate(Engine& engine, const Tile<T, Device>& tile, const Options& options, std::span<const Label> labels,
                const detail::Quanta& quanta, const detail::SumsView& sums) {
  constexpr Index most_rows = Index{1} << 16;
  Scratch scratch = engine.scratch();
  const Index rows = (std::min)(tile.x.rows(), most_rows);
  auto* moved = scratch.take<Index>(rows);
  auto* count = scratch.take<unsigned long long>(1);
  for (Index begin = 0; begin < tile.x.rows(); begin += rows) {
    const auto part = part_of(tile, begin, (std::min)(rows, tile.x.rows() - begin));
    move_rows(engine, part, {nullptr, labels.data() + begin, moved, count}, quanta, sums, options.update,
              options.memory_budget / 2);
  }
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
