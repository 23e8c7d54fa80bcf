// SPDX-License-Identifier: MIT
/// @file
/// Rows drawn independently of each other: each draw depends on its row alone.
#pragma once

#include <span>
#include <vector>

#include "lloyd/cpu/parallel.hpp"
#include "lloyd/kmeans/mass.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

template <Real T>
void sample(const Tile<T>& tile, std::span<const double> d2, const detail::MassScale& scale,
            const detail::BernoulliTrial& trial, std::vector<Index>& rows, int n_threads) {
  for_each_batch(
      n_threads, tile.x.rows(), 2048, [] { return std::vector<Index>(); },
      [&](std::vector<Index>& own, Index begin, Index count) {
        for (Index i = begin; i < begin + count; ++i)
          if (trial(tile.global(i), scale(tile.w(i), d2[static_cast<std::size_t>(i)]))) own.push_back(tile.global(i));
      },
      [&](const std::vector<Index>& own) { rows.insert(rows.end(), own.begin(), own.end()); });
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
