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
template <Real T>
[[nodiscard]] std::size_t scratch_of_fit(Index n, const detail::SumsShape& shape, const detail::Batching& batching,
                                         const Options& options) {
  const Index d = shape.d, rows = (std::min)(rows_of_tile<T>(batching, d), (std::max)(n, Index{1}));
  const auto tile =
      static_cast<std::size_t>(rows) * (bytes_of_row<T>((std::min)(batching.centroids, shape.k), d) + sizeof(Index));
  const bool one_hot = takes_one_hot(options.update, shape.k, d);
  const std::size_t update = one_hot ? OneHotPlan::of(shape, n, batching.sums_budget).bytes(shape)
                                     : static_cast<std::size_t>(rows + shape.k + 1) * sizeof(Index);
  const auto trials = static_cast<std::size_t>(detail::local_trials(options));
  const std::size_t seeding =
      trials * (static_cast<std::size_t>(d) * sizeof(T) + sizeof(Index)) + bytes_of_sums(static_cast<int>(trials));
  const std::size_t rest =
      static_cast<std::size_t>((n + rows_a_group - 1) / rows_a_group) * 3 * sizeof(double) + (std::size_t{1} << 14);
  return bytes_of_prepared<T>(shape.k, d) + tile + update + seeding + rest;
}

/// Takes the scratch of a fit and makes sure that its buffers can be had.
/// @throws BackendError that names the bytes needed and free
template <Real T>
void reserve(Engine& engine, Index n, const detail::SumsShape& shape, const detail::Batching& batching,
             const Options& options) {
  const auto of_rows = static_cast<std::size_t>(n) * (sizeof(double) + sizeof(Label) * (options.n_init > 1 ? 2 : 1));
  const auto of_centroids = 3 * static_cast<std::size_t>(shape.k * shape.d) * sizeof(T);
  const auto of_sums = 2 * static_cast<std::size_t>(shape.size()) * sizeof(std::int64_t);
  const auto of_columns = static_cast<std::size_t>(shape.columns) * 4 * sizeof(double);
  engine.reserve(of_rows + of_centroids + of_sums + of_columns + Engine::blas_workspace,
                 scratch_of_fit<T>(n, shape, batching, options));
  (void)engine.blas();
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
