// SPDX-License-Identifier: MIT
/// @file
/// Steps of k-means++ without the host: draws, gains, the best candidate and the new distances.
#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cstdint>
#include <span>

#include "lloyd/cuda/draw.cuh"
#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/gain.cuh"
#include "lloyd/cuda/lower.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/cuda/state.cuh"
#include "lloyd/cuda/sums.cuh"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/kmeans/random.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// candidate_t = x_{rows_t}; where nothing could be drawn, the first centroid.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    candidates_kernel(MatrixView<const T, Device> x, MatrixView<const T, Device> c, const Index* rows,
                      MatrixView<T, Device> candidates) {
  for (Index t = first_row(); t < candidates.rows(); t += row_step()) {
    const T* from = rows[t] < 0 ? c.row(0) : x.row(rows[t]);
    for (Index q = row_lane(); q < candidates.cols(); q += row_threads) candidates(t, q) = from[q];
  }
}

/// The candidate of the greatest gain, ties to the lowest, becomes a centroid; one block. The sums are changed.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    choose_kernel(MatrixView<const T, Device> candidates, std::int64_t* gains, T* centroid) {
  struct Storage {
    double gain[block_threads];
    Index best;
    double best_gain;
  };
  auto& shared = static_shared<Storage>();
  if (threadIdx.x == 0) shared.best = 0, shared.best_gain = -1;
  for (Index begin = 0; begin < candidates.rows(); begin += blockDim.x) {
    const Index t = begin + threadIdx.x;
    if (t < candidates.rows()) shared.gain[threadIdx.x] = detail::ExactSum::value_of(gains + t * sum_bins);
    __syncthreads();
    for (Index i = 0; threadIdx.x == 0 && i < blockDim.x && begin + i < candidates.rows(); ++i)
      if (shared.gain[i] > shared.best_gain) shared.best = begin + i, shared.best_gain = shared.gain[i];
    __syncthreads();
  }
  for (Index q = threadIdx.x; q < candidates.cols(); q += blockDim.x) centroid[q] = candidates(shared.best, q);
}

/// What the steps are of.
struct PlusPlus {
  std::uint64_t seed;
  Index init, trials;
  Index from;      ///< the first centroid to be chosen
  double largest;  ///< w_i d2_i so far
};

/// Chooses centroids from .. k - 1 of c, given D to the nearest of those before, as kmeans/seed_plus_plus.hpp says.
template <Real T>
void extend_plus_plus(Engine& engine, const Tile<T, Device>& tile, MatrixView<T, Device> c, std::span<double> d2,
                      std::span<Label> labels, const PlusPlus& of) {
  Scratch scratch = engine.scratch();
  const Blocks blocks = Blocks::of(tile);
  const Index k = c.rows(), d = c.cols();
  auto* largest = scratch.take<std::uint64_t>(1);
  auto* masses = scratch.take<std::int64_t>(blocks.count);
  auto* rows = scratch.take<Index>(of.trials);
  auto* gains = scratch.take<std::int64_t>(of.trials * sum_bins);
  const MatrixView<T, Device> candidates(scratch.take<T>(of.trials * d), of.trials, d);
  const ScaleOfLargest scale{largest, tile.x.rows()};
  const MatrixView<const T, Device> y = candidates, seeds = c;
  const double* distances = d2.data();
  fill(engine, std::span(largest, 1), std::bit_cast<std::uint64_t>(of.largest));
  for (Index step = of.from; step < k; ++step) {
    const DrawsByIndex draws{{of.seed, detail::Purpose::plus_plus, of.init, step, 0}, of.trials};
    launch_block_masses(engine, tile, distances, scale, blocks, masses);
    launch(engine.stream(), dim3(engine.blocks_for(of.trials)), dim3(block_threads), 0,
           draw_kernel<T, ScaleOfLargest, DrawsByIndex>, tile, distances, scale, blocks, masses, draws, rows);
    engine.launch_for(of.trials, row_threads, candidates_kernel<T>, tile.x, seeds, rows, candidates);
    engine.clear(gains, of.trials * sum_bins);
    if (of.trials > 1) launch_gain(engine, tile, y, distances, gains);
    launch(engine.stream(), dim3(1), dim3(block_threads), 0, choose_kernel<T>, y, gains, c.row(step));
    if (step + 1 == k) break;
    engine.clear(largest, 1);
    const Lowered to{d2.data(), labels.data(), static_cast<Label>(step), largest, nullptr};
    launch_lower(engine, tile, seeds.slice(step, 1), nullptr, to);
  }
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
