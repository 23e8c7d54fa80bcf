// SPDX-License-Identifier: MIT
/// @file
/// d2_i = min(d2_i, min_t D(x_i, y_t)): every D where the y are few, that of the nearest, found by the filter, where
/// they are many.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/filter.cuh"
#include "lloyd/cuda/moves.cuh"
#include "lloyd/cuda/prepare.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/cuda/sums.cuh"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// More centroids than this go through the filter.
inline constexpr Index most_by_distance = 16;

/// What is lowered: d2, and the labels where they are not null; their number begins at `first`.
struct Lowered {
  double* d2;
  Label* labels;
  Label first;
  std::uint64_t* largest;  ///< the pattern of the largest w_i d2_i
  std::int64_t* phi;       ///< null: not wanted
};

/// `nearest` is each row's nearest y, or null: then all are looked at.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    lower_kernel(Tile<T, Device> tile, MatrixView<const T, Device> y, const Label* nearest, Lowered to) {
  const BlockSums sum(dynamic_shared<std::int64_t>(), to.phi != nullptr ? 1 : 0);
  double largest = 0;
  for (Index i = first_row(); i < tile.x.rows(); i += row_step()) {
    const T* x = tile.x.row(i);
    const Label t = nearest != nullptr ? nearest[i] : nearest_of(x, y);
    const double candidate = row_distance(x, y.row(t), y.cols());
    if (row_lane() != 0) continue;
    double own = to.d2[i];
    if (candidate < own) {
      to.d2[i] = own = candidate;
      if (to.labels != nullptr) to.labels[i] = to.first + t;
    }
    const double weighted = tile.w(i) * own;
    largest = weighted > largest ? weighted : largest;
    if (to.phi != nullptr) sum.add_product(0, tile.w(i), own);
  }
  if (largest > 0) raise(to.largest, static_cast<std::uint64_t>(__double_as_longlong(largest)));
  if (to.phi != nullptr) sum.flush(to.phi);
}

template <Real T>
void launch_lower(Engine& engine, const Tile<T, Device>& tile, MatrixView<const T, Device> y, const Label* nearest,
                  const Lowered& to) {
  engine.launch_for_shared(tile.x.rows(), row_threads, bytes_of_sums(to.phi != nullptr ? 1 : 0), lower_kernel<T>, tile,
                           y, nearest, to);
}

template <Real T, class Bound>
double lower(Engine& engine, const Tile<T, Device>& tile, const Prepared<T, Bound>& prepared, Label first,
             std::span<double> d2, std::span<Label> labels, detail::ExactSum* phi) {
  if (tile.x.rows() == 0) return 0;
  Scratch scratch = engine.scratch();
  const DeviceSums sums(engine, scratch, 1);
  auto* largest = scratch.take<std::uint64_t>(1);
  engine.clear(largest, 1);
  const auto lower_part = [&](const Tile<T, Device>& part, const Label* nearest, Index begin) {
    const Lowered to{d2.data() + begin, labels.empty() ? nullptr : labels.data() + begin, first, largest,
                     phi != nullptr ? sums.bins() : nullptr};
    launch_lower(engine, part, prepared.c, nearest, to);
  };
  if (prepared.c.rows() <= most_by_distance) {
    lower_part(tile, nullptr, 0);
  } else {
    Filter<T, Bound> filter(engine, scratch, prepared, tile.x.rows());
    auto* nearest = scratch.take<Label>(filter.rows());
    for (Index begin = 0; begin < tile.x.rows(); begin += filter.rows()) {
      const auto part = part_of(tile, begin, (std::min)(filter.rows(), tile.x.rows() - begin));
      filter.assign(part.x, nearest, nullptr);
      lower_part(part, nearest, begin);
    }
  }
  if (phi != nullptr) sums.take(std::span(phi, 1));
  std::uint64_t pattern = 0;
  engine.read(largest, 1, &pattern);
  return std::bit_cast<double>(pattern);
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
