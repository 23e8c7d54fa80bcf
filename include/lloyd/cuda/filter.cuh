// SPDX-License-Identifier: MIT
/// @file
/// Filter, certify, recheck on a tile of rows: products by cuBLAS, a reduction to the best three lower bounds of each
/// row, and D between those that the bounds leave.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lloyd/cuda/bound.cuh"
#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/gram.cuh"
#include "lloyd/cuda/prepare.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/cuda/sums.cuh"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// The three least lower bounds met, where the first two are, and the least upper bound.
template <Real F>
struct Best {
  F low[3];
  F up;
  Label at[2];

  __device__ static Best none() {
    const auto inf = static_cast<F>(INFINITY);
    return {{inf, inf, inf}, inf, {-1, -1}};
  }
  /// Ties go either way: rows are certified only where there is none.
  __device__ void take(F lower, Label j) {
    if (!(lower < low[2])) return;
    low[2] = lower;
    if (!(lower < low[1])) return;
    low[2] = low[1], low[1] = lower, at[1] = j;
    if (!(lower < low[0])) return;
    low[1] = low[0], low[0] = lower, at[1] = at[0], at[0] = j;
  }
  /// Joins what the eight threads of a row have met; all of them get it.
  __device__ void join() {
    for (int step = 1; step < row_threads; step *= 2) {
      const unsigned mask = row_mask();
      const F first = __shfl_xor_sync(mask, low[0], step), second = __shfl_xor_sync(mask, low[1], step),
              third = __shfl_xor_sync(mask, low[2], step), upper = __shfl_xor_sync(mask, up, step);
      const Label first_at = __shfl_xor_sync(mask, at[0], step), second_at = __shfl_xor_sync(mask, at[1], step);
      take(first, first_at);
      take(second, second_at);
      take(third, -1);
      up = upper < up ? upper : up;
    }
  }
};

/// A tile of rows in the filter, and the centroids that they meet.
template <Real F>
struct FilterTile {
  F* rows;        ///< n x d: x' = scale (x - o)
  double* norm;   ///< n: |x'|, rounded up
  F* products;    ///< products_of(d) times n x k
  Best<F>* best;  ///< n
  Index n, k, d;  ///< k: centroids of the present products, of which `first` is the first
  Index first;
};

/// x' = scale (x - o)
template <Real T>
__global__ void __launch_bounds__(block_threads) shift_kernel(Gate gate, MatrixView<const T, Device> x, const T* o,
                                                              const std::uint64_t* largest, FilterTile<T> tile) {
  if (gate.closed()) return;
  const double scale = scale_of<T>(largest);
  for (Index i = first_row(); i < tile.n; i += row_step()) {
    double lane = 0;
    for (Index q = row_lane(); q < tile.d; q += row_threads) {
      const auto value = static_cast<T>(__dsub_rn(static_cast<double>(x(i, q)), static_cast<double>(o[q])) * scale);
      tile.rows[i * tile.d + q] = value;
      lane = __fma_rn(static_cast<double>(value), static_cast<double>(value), lane);
    }
    const double square = sum_over_row(lane);
    if (row_lane() != 0) continue;
    tile.norm[i] = sqrt(square) * (1 + (static_cast<double>(tile.d) / 8 + 16) * 0x1p-53);
    tile.best[i] = Best<T>::none();
  }
}

/// Bounds of D, in units of scale^2 / 2 and less ||x - o||^2, from products.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    reduce_kernel(Gate gate, FilterCentroids<T> centroids, FilterTile<T> tile) {
  if (gate.closed()) return;
  constexpr auto unit = std::numeric_limits<T>::epsilon();
  const Index parts = products_of(tile.d), size = tile.n * tile.k;
  for (Index i = first_row(); i < tile.n; i += row_step()) {
    const auto norm = static_cast<T>(tile.norm[i]) * (1 + 2 * unit);
    Best<T> best = Best<T>::none();
    for (Index c = row_lane(); c < tile.k; c += row_threads) {
      const Index j = tile.first + c;
      const T* product = tile.products + i * tile.k + c;
      T sum = 0;
      for (Index part = 0; part < parts; ++part) sum += product[part * size];
      const T score = centroids.half[j] - sum;
      const T error = norm * centroids.slope[j] + centroids.offset[j];
      best.take(score - error, static_cast<Label>(j));
      best.up = score + error < best.up ? score + error : best.up;
    }
    best.join();
    if (row_lane() != 0) continue;
    Best<T>& all = tile.best[i];
    best.take(all.low[0], all.at[0]);
    best.take(all.low[1], all.at[1]);
    best.take(all.low[2], -1);
    best.up = all.up < best.up ? all.up : best.up;
    all = best;
  }
}

/// argmin_j D(x, c_j) over all j, ties to the lowest; by eight threads.
template <Real T>
[[nodiscard]] __device__ Label nearest_of(const T* x, MatrixView<const T, Device> c) {
  Label nearest = 0;
  double least = row_distance(x, c.row(0), c.cols());
  for (Index j = 1; j < c.rows(); ++j) {
    const double d2 = row_distance(x, c.row(j), c.cols());
    if (d2 < least) least = d2, nearest = static_cast<Label>(j);
  }
  return nearest;
}

/// Writes each row's label: the filter's where its bounds prove it, else what D says of the two candidates that they
/// leave, or of all. Counts the rows that were not proven.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    settle_kernel(Gate gate, MatrixView<const T, Device> x, MatrixView<const T, Device> c, FilterTile<T> tile,
                  BoundTerms terms, Label* labels, std::int64_t* rechecked) {
  if (gate.closed()) return;
  for (Index i = first_row(); i < tile.n; i += row_step()) {
    const Best<T> best = tile.best[i];
    const double norm = tile.norm[i], own = terms.own(norm), up = static_cast<double>(best.up) + 2 * own;
    const double limit = up + fabs(up) * 0x1p-50;
    const bool usable = norm <= largest_norm<T> && best.at[0] >= 0;
    Label label = best.at[0];
    if (!(usable && static_cast<double>(best.low[1]) > limit)) {
      const T* row = x.row(i);
      if (usable && best.at[1] >= 0 && static_cast<double>(best.low[2]) > limit) {
        const double first = row_distance(row, c.row(best.at[0]), c.cols());
        const double second = row_distance(row, c.row(best.at[1]), c.cols());
        if (second < first || (second == first && best.at[1] < label)) label = best.at[1];
      } else {
        label = nearest_of(row, c);
      }
      if (row_lane() == 0 && rechecked != nullptr) add_shared(rechecked, 1);
    }
    if (row_lane() == 0) labels[i] = label;
  }
}

/// Bytes of scratch that a row takes in the filter.
template <Real T>
[[nodiscard]] std::size_t bytes_of_row(Index centroids, Index d) {
  return static_cast<std::size_t>(d + centroids * products_of(d)) * sizeof(T) + sizeof(double) + sizeof(Best<T>) +
         2 * sizeof(Label);
}
/// Rows of a tile: as the batching says, and fewer where products take more room than it reckons with.
template <Real T>
[[nodiscard]] Index rows_of_tile(const detail::Batching& batching, Index d) {
  const std::size_t budget = detail::tile_bytes(batching.rows, batching.centroids, d, sizeof(T));
  return std::clamp(static_cast<Index>(budget / bytes_of_row<T>(batching.centroids, d)), Index{1}, batching.rows);
}

/// The filter of some rows at a time.
template <Real T, class Bound>
class Filter {
 public:
  Filter(Engine& engine, Scratch& scratch, const Prepared<T, Bound>& prepared, Index n)
      : engine_(engine), prepared_(prepared) {
    const Index d = prepared.c.cols(), k = (std::min)(prepared.batching.centroids, prepared.c.rows());
    rows_ = (std::min)(rows_of_tile<T>(prepared.batching, d), n);
    tile_ = {scratch.take<T>(rows_ * d),
             scratch.take<double>(rows_),
             scratch.take<T>(rows_ * k * products_of(d)),
             scratch.take<Best<T>>(rows_),
             0,
             k,
             d,
             0};
  }

  /// How many rows it takes at once.
  [[nodiscard]] Index rows() const { return rows_; }

  /// labels_i = argmin_j D(x_i, c_j) for up to rows() rows; adds how many were rechecked where that is wanted.
  void assign(MatrixView<const T, Device> x, Label* labels, std::int64_t* rechecked) {
    const auto& c = prepared_.c;
    const auto& centroids = prepared_.filter;
    tile_.n = x.rows();
    engine_.launch_for(x.rows(), row_threads, shift_kernel<T>, engine_.gate(), x, prepared_.o.data(), centroids.largest,
                       tile_);
    const Index most = (std::min)(prepared_.batching.centroids, c.rows());
    for (tile_.first = 0; tile_.first < c.rows(); tile_.first += most) {
      tile_.k = (std::min)(most, c.rows() - tile_.first);
      gram(engine_, tile_.rows, centroids.values + tile_.first * tile_.d, tile_.n, tile_.k, tile_.d, tile_.products);
      engine_.launch_for(x.rows(), row_threads, reduce_kernel<T>, engine_.gate(), centroids, tile_);
    }
    engine_.launch_for(x.rows(), row_threads, settle_kernel<T>, engine_.gate(), x, c, tile_, prepared_.terms, labels,
                       rechecked);
  }

 private:
  Engine& engine_;
  const Prepared<T, Bound>& prepared_;
  FilterTile<T> tile_{};
  Index rows_ = 0;
};

}  // namespace lloyd::inline LLOYD_ABI::cuda
