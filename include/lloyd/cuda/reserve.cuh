// SPDX-License-Identifier: MIT
/// @file
/// The memory of a fit, taken before its work begins, and reading results.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "lloyd/cuda/accumulate.cuh"
#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/farthest.cuh"
#include "lloyd/cuda/filter.cuh"
#include "lloyd/cuda/one_hot.cuh"
#include "lloyd/cuda/prepare.cuh"
#include "lloyd/cuda/sums.cuh"
#include "lloyd/kmeans/batching.hpp"
#include "lloyd/kmeans/loop.hpp"
#include "lloyd/kmeans/seed_plus_plus.hpp"
#include "lloyd/kmeans/sums.hpp"
#include "lloyd/options.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// Scratch of an iteration, the largest of what any primitive of a fit takes at once.
/// @param trials  candidates of a step of k-means++; 0 where there is none
template <Real T>
[[nodiscard]] std::size_t scratch_of_fit(Index n, const detail::SumsShape& shape, const detail::Batching& batching,
                                         const Options& options, Index trials) {
  const Index d = shape.d, rows = (std::min)(rows_of_tile<T>(batching, d), (std::max)(n, Index{1}));
  const auto tile =
      static_cast<std::size_t>(rows) * (bytes_of_row<T>((std::min)(batching.centroids, shape.k), d) + sizeof(Index));
  const bool one_hot = takes_one_hot(options.update, shape.k, d);
  const std::size_t update = one_hot ? OneHotPlan::of(shape, n, batching.sums_budget).bytes(shape)
                                     : static_cast<std::size_t>(rows + shape.k + 1) * sizeof(Index);
  const std::size_t seeding =
      static_cast<std::size_t>(trials) * (static_cast<std::size_t>(d) * sizeof(T) + sizeof(Index) + bytes_of_sums(1));
  const std::size_t rest =
      static_cast<std::size_t>((n + rows_a_group - 1) / rows_a_group) * 3 * sizeof(double) + (std::size_t{1} << 14);
  return bytes_of_prepared<T>(shape.k, d) + tile + update + seeding + rest;
}

/// What a run keeps of n rows and its clusters.
template <Real T>
[[nodiscard]] std::size_t bytes_of_run(Index n, const detail::SumsShape& shape, bool best_kept) {
  const auto of_rows = static_cast<std::size_t>(n) * (sizeof(double) + sizeof(Label) * (best_kept ? 2 : 1));
  const auto of_centroids = (best_kept ? 4U : 3U) * static_cast<std::size_t>(shape.k * shape.d) * sizeof(T);
  const auto of_sums = 2 * static_cast<std::size_t>(shape.size()) * sizeof(std::int64_t);
  const auto of_columns = static_cast<std::size_t>(shape.columns) * 4 * sizeof(double);
  return of_rows + of_centroids + of_sums + of_columns;
}

/// What seeding holds beside that: candidates of a step, and the problem that a sample of rows is, or that the
/// candidates of scalable k-means++ are, which are drawn: here as many as are expected.
template <Real T>
[[nodiscard]] std::size_t bytes_of_seeding(Index n, const detail::SumsShape& shape, Options options) {
  const Index k = options.n_clusters;
  const auto of_row = static_cast<std::size_t>(shape.d) * sizeof(T);
  const auto of_problem = [&](Index rows) {
    return static_cast<std::size_t>(rows) * (of_row + sizeof(double)) + bytes_of_run<T>(rows, shape, false);
  };
  const Index sample = (std::max)(options.init_size, k);
  if (options.init_size > 0 && sample < n) {
    options.init_size = 0;
    return of_problem(sample) + bytes_of_seeding<T>(sample, shape, options);
  }
  if (options.init == Init::random) return 0;
  const auto step = static_cast<std::size_t>((std::min)(detail::local_trials(options), n)) * of_row;
  if (options.init != Init::scalable_kmeans_plus_plus) return step;
  const auto rounds = static_cast<double>(options.init_rounds > 0 ? options.init_rounds : 5);
  const double expected = rounds * options.oversampling_factor * static_cast<double>(k);
  return step + of_problem(expected < static_cast<double>(n) ? static_cast<Index>(expected) + 1 : n);
}

/// Takes the scratch of a fit and makes sure that its buffers can be had.
/// @param seeded  whether starting centroids are to be found
/// @throws BackendError that names the bytes needed and free
template <Real T>
void reserve(Engine& engine, Index n, const detail::SumsShape& shape, const detail::Batching& batching,
             const Options& options, bool seeded) {
  const Index trials = seeded && options.init != Init::random ? detail::local_trials(options) : 0;
  engine.reserve(bytes_of_run<T>(n, shape, options.n_init > 1) + (seeded ? bytes_of_seeding<T>(n, shape, options) : 0),
                 scratch_of_fit<T>(n, shape, batching, options, trials));
}

/// Reads what a call has left on a device, and waits for it.
template <class Values, class V>
void read_all(const Values& values, V* to) {
  if (values.data() == nullptr) return;
  const Memory& memory = values.memory();
  const DeviceGuard guard(memory.device());
  LLOYD_CUDA_CHECK(cudaMemcpyAsync(to, values.data(), values.bytes(), cudaMemcpyDeviceToHost, memory.stream()));
  LLOYD_CUDA_CHECK(cudaStreamSynchronize(memory.stream()));
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
