// SPDX-License-Identifier: MIT
/// @file
/// The small things that the algorithm does to its state between primitives.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/cuda/sums.cuh"
#include "lloyd/matrix.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

template <class V>
__global__ void __launch_bounds__(block_threads) fill_kernel(Gate gate, V* values, Index n, V value) {
  if (gate.closed()) return;
  for (Index i = first_thing(); i < n; i += thing_step()) values[i] = value;
}
template <class V>
__global__ void __launch_bounds__(block_threads) put_kernel(V* values, const Index* at, Index n, V value) {
  for (Index i = first_thing(); i < n; i += thing_step()) values[at[i]] = value;
}
template <int = 0>
__global__ void __launch_bounds__(block_threads)
    add_kernel(Gate gate, std::int64_t* sums, const std::int64_t* delta, Index n) {
  if (gate.closed()) return;
  for (Index i = first_thing(); i < n; i += thing_step())
    sums[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sums[i]) + static_cast<std::uint64_t>(delta[i]));
}
/// The mean of the centroids, rounded to T, a column to a thread, as detail::mean_of adds it.
template <Real T>
__global__ void __launch_bounds__(block_threads) mean_kernel(MatrixView<const T, Device> c, T* mean) {
  for (Index q = first_thing(); q < c.cols(); q += thing_step()) {
    double sum = 0;
    for (Index j = 0; j < c.rows(); ++j)
      sum = __dadd_rn(sum, __ddiv_rn(static_cast<double>(c(j, q)), static_cast<double>(c.rows())));
    mean[q] = static_cast<T>(sum);
  }
}
/// Rows of a tile by their global number, and their weights where these are wanted. Rows of no tile are left alone.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    gather_kernel(Tile<T, Device> tile, const Index* wanted, Index n, MatrixView<T, Device> out, double* w) {
  for (Index r = first_row(); r < n; r += row_step()) {
    const Index distance = wanted[r] - tile.first, i = distance / tile.step;
    if (distance < 0 || distance % tile.step != 0 || i >= tile.x.rows()) continue;
    for (Index q = row_lane(); q < out.cols(); q += row_threads) out(r, q) = tile.x(i, q);
    if (w != nullptr && row_lane() == 0) w[r] = tile.w(i);
  }
}
template <int = 0>
__global__ void __launch_bounds__(block_threads) weights_kernel(Weights<Device> w, double* out) {
  for (Index i = first_thing(); i < w.size(); i += thing_step()) out[i] = w(i);
}

template <class V>
void fill(Engine& engine, std::span<V> values, V value) {
  const auto n = static_cast<Index>(values.size());
  engine.launch_for(n, 1, fill_kernel<V>, engine.gate(), values.data(), n, value);
}

/// A list of the host for a kernel to read.
[[nodiscard]] inline const Index* upload(Engine& engine, Scratch& scratch, std::span<const Index> list) {
  auto* there = scratch.take<Index>(static_cast<Index>(list.size()));
  engine.write(list.data(), list.size(), there);
  return there;
}

template <class V>
void put(Engine& engine, std::span<V> values, std::span<const Index> at, V value) {
  Scratch scratch = engine.scratch();
  const auto n = static_cast<Index>(at.size());
  engine.launch_for(n, 1, put_kernel<V>, values.data(), upload(engine, scratch, at), n, value);
}

inline void add(Engine& engine, std::span<std::int64_t> sums, std::span<std::int64_t> delta) {
  const auto n = static_cast<Index>(sums.size());
  engine.launch_for(n, 1, add_kernel<>, engine.gate(), sums.data(), delta.data(), n);
}

template <Real T>
[[nodiscard]] Buffer<T> mean(Engine& engine, MatrixView<const T, Device> c) {
  auto result = engine.make<T>(c.cols());
  engine.launch_for(c.cols(), 1, mean_kernel<T>, c, result.data());
  return result;
}

template <Real T>
void gather(Engine& engine, const Tile<T, Device>& tile, std::span<const Index> wanted, MatrixView<T, Device> out,
            std::span<double> w) {
  Scratch scratch = engine.scratch();
  const auto n = static_cast<Index>(wanted.size());
  engine.launch_for(n, row_threads, gather_kernel<T>, tile, upload(engine, scratch, wanted), n, out, w.data());
}

[[nodiscard]] inline std::vector<double> read_weights(Engine& engine, const Weights<Device>& w) {
  std::vector<double> here(static_cast<std::size_t>(w.size()));
  if (here.empty()) return here;
  Scratch scratch = engine.scratch();
  auto* there = scratch.take<double>(w.size());
  engine.launch_for(w.size(), 1, weights_kernel<>, w, there);
  engine.read(there, here.size(), here.data());
  return here;
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
