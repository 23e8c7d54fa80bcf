// SPDX-License-Identifier: MIT
/// @file
/// Masses of rows, or of whole blocks of them: threads share blocks, so none is added to twice.
#pragma once

#include <cstdint>
#include <span>

#include "lloyd/cpu/parallel.hpp"
#include "lloyd/kmeans/mass.hpp"
#include "lloyd/source.hpp"

namespace lloyd::cpu {

template <Real T>
void pick(const Tile<T>& tile, std::span<const double> d2, const detail::MassScale& scale, Index block,
          std::span<std::int64_t> masses, int n_threads) {
  const auto mass = [&](Index i) {
    return static_cast<std::int64_t>(scale(tile.w(i), d2[static_cast<std::size_t>(i)]));
  };
  if (block >= 0) {
    const auto rows = detail::rows_of_block(tile, block);
    for (Index i = rows.begin; i < rows.end; ++i)
      masses[static_cast<std::size_t>(tile.global(i) % detail::rows_per_block)] += mass(i);
    return;
  }
  if (tile.x.rows() == 0) return;
  const Index first = tile.first / detail::rows_per_block;
  const Index blocks = tile.global(tile.x.rows() - 1) / detail::rows_per_block - first + 1;
  const int parts = parts_of(n_threads, blocks, 8);
  parallel(parts, [&](int part) {
    const Run run = run_of(blocks, part, parts);
    for (Index b = first + run.begin; b < first + run.end; ++b) {
      const auto rows = detail::rows_of_block(tile, b);
      std::int64_t sum = 0;
      for (Index i = rows.begin; i < rows.end; ++i) sum += mass(i);
      masses[static_cast<std::size_t>(b)] += sum;
    }
  });
}

}  // namespace lloyd::cpu
