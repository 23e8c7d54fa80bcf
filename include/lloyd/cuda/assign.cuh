// SPDX-License-Identifier: MIT
/// @file
/// l_i = argmin_j D(x_i, c_j), some rows at a time; then D to the own centroid where it is wanted.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <span>

#include "lloyd/cuda/distance.cuh"
#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/filter.cuh"
#include "lloyd/cuda/moves.cuh"
#include "lloyd/cuda/prepare.cuh"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

template <Real T, class Bound>
Index assign(Engine& engine, const Tile<T, Device>& tile, const Prepared<T, Bound>& prepared, std::span<Label> labels,
             std::span<double> d2, detail::ExactSum* phi) {
  if (tile.x.rows() == 0) return 0;
  Scratch scratch = engine.scratch();
  auto* rechecked = scratch.take<std::int64_t>(1);
  engine.clear(rechecked, 1);
  const DeviceSums sums(engine, scratch, 1);
  Filter<T, Bound> filter(engine, scratch, prepared, tile.x.rows());
  auto* of_part = labels.empty() ? scratch.take<Label>(filter.rows()) : nullptr;
  for (Index begin = 0; begin < tile.x.rows(); begin += filter.rows()) {
    const auto part = part_of(tile, begin, (std::min)(filter.rows(), tile.x.rows() - begin));
    Label* own = labels.empty() ? of_part : labels.data() + begin;
    filter.assign(part.x, own, rechecked);
    if (d2.empty() && phi == nullptr) continue;
    launch_distance(engine, part, prepared.c, own,
                    {d2.empty() ? nullptr : d2.data() + begin, phi != nullptr ? sums.bins() : nullptr});
  }
  if (phi != nullptr) sums.take(std::span(phi, 1));
  std::int64_t count = 0;
  engine.read(rechecked, 1, &count);
  return count;
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
