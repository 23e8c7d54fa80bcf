// SPDX-License-Identifier: MIT
/// @file
/// Maxima of bit patterns by column, each thread its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "lloyd/cpu/parallel.hpp"
#include "lloyd/kmeans/survey.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

template <Real T>
void survey(const Tile<T>& tile, std::span<std::uint64_t> maxima, int n_threads) {
  using Bits = std::conditional_t<std::same_as<T, float>, std::uint32_t, std::uint64_t>;
  constexpr Bits magnitude = (std::numeric_limits<Bits>::max)() >> 1;
  const Index d = tile.x.cols();
  struct Worker {
    std::vector<Bits> largest, smallest;  // the smallest less one, so that a zero is above all
    std::vector<std::uint64_t> weights;
  };
  for_each_batch(
      n_threads, tile.x.rows(), (std::max)(Index{1}, 65536 / d),
      [&] {
        return Worker{std::vector<Bits>(static_cast<std::size_t>(d), 0),
                      std::vector<Bits>(static_cast<std::size_t>(d), (std::numeric_limits<Bits>::max)()),
                      std::vector<std::uint64_t>(detail::Survey::weight_maxima, 0)};
      },
      [&](Worker& worker, Index begin, Index count) {
        Bits* largest = worker.largest.data();
        Bits* smallest = worker.smallest.data();
        for (Index i = begin; i < begin + count; ++i) {
          const T* x = tile.x.row(i);
          for (Index q = 0; q < d; ++q) {
            const Bits bits = std::bit_cast<Bits>(x[q]) & magnitude, below = bits - 1;
            largest[q] = bits > largest[q] ? bits : largest[q];
            smallest[q] = below < smallest[q] ? below : smallest[q];
          }
          if (!tile.w.empty()) detail::Survey::see_weight(worker.weights, tile.w(i));
        }
      },
      [&](const Worker& worker) {
        for (Index q = 0; q < d; ++q) {
          const auto column = static_cast<std::size_t>(q);
          detail::Survey::see(maxima, d, q, static_cast<double>(std::bit_cast<T>(worker.largest[column])));
          const Bits smallest = worker.smallest[column] + 1;  // 0: all are zero
          detail::Survey::see(maxima, d, q, static_cast<double>(std::bit_cast<T>(smallest)));
        }
        const auto weights = maxima.last(detail::Survey::weight_maxima);
        for (std::size_t w = 0; w < weights.size(); ++w) weights[w] = (std::max)(weights[w], worker.weights[w]);
      });
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
