// SPDX-License-Identifier: MIT
/// @file
/// The pass of the loop: rows are assigned, some at a time, and those whose label changed move.
#pragma once

#include <algorithm>
#include <span>

#include "lloyd/cuda/accumulate.cuh"
#include "lloyd/cuda/distance.cuh"
#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/filter.cuh"
#include "lloyd/cuda/moves.cuh"
#include "lloyd/cuda/prepare.cuh"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// The sums of one term a row that a pass of the loop may be asked for; null: not wanted.
struct TermSums {
  detail::ExactSum *scatter, *inertia;
};

template <Real T, class Bound>
void assign_accumulate(Engine& engine, const Tile<T, Device>& tile, const Prepared<T, Bound>& prepared,
                       std::span<Label> labels, const detail::Quanta& quanta, const detail::SumsView& sums,
                       const TermSums& terms) {
  if (tile.x.rows() == 0) return;
  Scratch scratch = engine.scratch();
  Filter<T, Bound> filter(engine, scratch, prepared, tile.x.rows());
  auto* fresh = scratch.take<Label>(filter.rows());
  auto* moved = scratch.take<Index>(filter.rows());
  auto* count = scratch.take<unsigned long long>(1);
  const DeviceSums scatter(engine, scratch, 1), inertia(engine, scratch, 1);
  const MatrixView<const T, Device> origin(prepared.o.data(), 1, prepared.c.cols());
  for (Index begin = 0; begin < tile.x.rows(); begin += filter.rows()) {
    const auto part = part_of(tile, begin, (std::min)(filter.rows(), tile.x.rows() - begin));
    Label* own = labels.data() + begin;
    filter.assign(part.x, fresh, &sums.rechecked());
    move_rows(engine, part, {own, fresh, moved, count}, quanta, sums, prepared.update, prepared.batching.sums_budget);
    if (terms.scatter != nullptr) launch_distance<T>(engine, part, origin, nullptr, {nullptr, scatter.bins()});
    if (terms.inertia != nullptr) launch_distance<T>(engine, part, prepared.c, fresh, {nullptr, inertia.bins()});
    engine.launch_for(part.x.rows(), 1, accept_kernel<>, engine.gate(), part.x.rows(), own, fresh, count,
                      &sums.changed());
  }
  if (terms.scatter != nullptr) scatter.take(std::span(terms.scatter, 1));
  if (terms.inertia != nullptr) inertia.take(std::span(terms.inertia, 1));
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
