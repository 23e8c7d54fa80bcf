// SPDX-License-Identifier: MIT
/// @file
/// Rows drawn independently of each other: each draw depends on its row alone. They are counted, then listed.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <span>
#include <vector>

#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/kmeans/mass.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// Counts the rows drawn, and lists them where there is a list.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    sample_kernel(Tile<T, Device> tile, const double* d2, detail::MassScale scale, detail::BernoulliTrial trial,
                  Index* rows, unsigned long long* count) {
  for (Index i = first_thing(); i < tile.x.rows(); i += thing_step()) {
    if (!trial(tile.global(i), scale(tile.w(i), d2[i]))) continue;
    const unsigned long long place = atomicAdd(count, 1ULL);
    if (rows != nullptr) rows[place] = tile.global(i);
  }
}

/// The rows are appended in ascending order.
template <Real T>
void sample(Engine& engine, const Tile<T, Device>& tile, std::span<const double> d2, const detail::MassScale& scale,
            const detail::BernoulliTrial& trial, std::vector<Index>& rows) {
  if (tile.x.rows() == 0) return;
  Scratch scratch = engine.scratch();
  auto* count = scratch.take<unsigned long long>(1);
  const auto run = [&](Index* to) {
    engine.clear(count, 1);
    engine.launch_for(tile.x.rows(), 1, sample_kernel<T>, tile, d2.data(), scale, trial, to, count);
  };
  run(nullptr);
  unsigned long long found = 0;
  engine.read(count, 1, &found);
  if (found == 0) return;
  auto* list = scratch.take<Index>(static_cast<Index>(found));
  run(list);
  const std::size_t before = rows.size();
  rows.resize(before + static_cast<std::size_t>(found));
  engine.read(list, static_cast<std::size_t>(found), rows.data() + before);
  std::sort(rows.begin() + static_cast<std::ptrdiff_t>(before), rows.end());
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
