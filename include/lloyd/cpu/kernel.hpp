// SPDX-License-Identifier: MIT
/// @file
/// The register tile of the filter: a chunk of rows, in lanes, by a panel of centroids, over all features. The sums are
/// reduced to each row's best two, or compared with a threshold for each row; they reach memory only where one is met.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lloyd/cpu/vector.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// Chains of additions are begun anew after so many features.
inline constexpr Index features_per_chain = 256;

/// The longest chain of roundings that a sum of d products goes through, by a kernel or by a matrix product.
[[nodiscard]] constexpr Index chain_length(Index d) {
  return (d < features_per_chain ? d : features_per_chain) + (d + features_per_chain - 1) / features_per_chain;
}

/// What a tile reads and writes. A chunk is V::groups vectors of rows, a panel some centroids.
template <Real F>
struct KernelTile {
  Index d;                ///< features, |x'| being the last
  const F* x;             ///< d x chunk
  const F* panel;         ///< d x centroids; for sums of given products its last feature alone
  const F* start;         ///< centroids: what the sums begin from
  const F* products;      ///< centroids x chunk, where they are given
  const Place<F>* place;  ///< centroids: their numbers
  F *best, *second;       ///< chunk: the two greatest sums so far
  Place<F>* at;           ///< chunk: where the greatest is
  const F* threshold;     ///< chunk
  F* sums;                ///< centroids x chunk: written where anything is found
  std::uint32_t* found;   ///< centroids x groups: a bit for each row whose sum is at or above its threshold
};

/// sums = start + x panel for V::groups vectors of rows and some centroids.
template <class V, int Centroids>
struct Kernel {
  using F = typename V::Scalar;
  static constexpr int groups = V::groups, chunk = groups * V::lanes;
  using Sums = V[static_cast<std::size_t>(groups)][static_cast<std::size_t>(Centroids)];

  [[gnu::always_inline]] static inline void multiply(const KernelTile<F>& t, Sums& sum) {
    begin(t, sum);
    multiply_block(t, 0, t.d, sum);
  }

  /// The same over more features than a chain may have.
  [[gnu::always_inline]] static inline void multiply_in_chains(const KernelTile<F>& t, Sums& sum) {
    begin(t, sum);
    multiply_block(t, 0, features_per_chain, sum);
    for (Index q = features_per_chain; q < t.d; q += features_per_chain) add_block(t, q, sum);
  }

  /// The same from products that are known.
  [[gnu::always_inline]] static inline void join(const KernelTile<F>& t, Sums& sum) {
    const F* norm = t.x + (t.d - 1) * chunk;
#pragma GCC unroll 8
    for (int c = 0; c < Centroids; ++c)
#pragma GCC unroll 4
      for (int g = 0; g < groups; ++g)
        sum[g][c] = V::fma(V::load(norm + g * V::lanes), V::all(t.panel[c]),
                           V::add(V::load(t.products + c * chunk + g * V::lanes), V::all(t.start[c])));
  }

  [[gnu::always_inline]] static inline void reduce(const KernelTile<F>& t, Sums& sum) {
#pragma GCC unroll 4
    for (int g = 0; g < groups; ++g) {
      V best = V::load(t.best + g * V::lanes), second = V::load(t.second + g * V::lanes);
      auto at = V::load_places(t.at + g * V::lanes);
#pragma GCC unroll 8
      for (int c = 0; c < Centroids; ++c) V::keep_best(sum[g][c], t.place + c, best, second, at);
      V::store(t.best + g * V::lanes, best);
      V::store(t.second + g * V::lanes, second);
      V::store_places(t.at + g * V::lanes, at);
    }
  }

  /// Whether anything was found.
  [[gnu::always_inline]] static inline bool find(const KernelTile<F>& t, Sums& sum) {
    std::uint32_t any = 0;
#pragma GCC unroll 4
    for (int g = 0; g < groups; ++g) {
      const V threshold = V::load(t.threshold + g * V::lanes);
#pragma GCC unroll 8
      for (int c = 0; c < Centroids; ++c) {
        t.found[c * groups + g] = V::not_below(sum[g][c], threshold);
        any |= t.found[c * groups + g];
      }
    }
    if (any == 0) return false;
#pragma GCC unroll 4
    for (int g = 0; g < groups; ++g)
#pragma GCC unroll 8
      for (int c = 0; c < Centroids; ++c) V::store(t.sums + c * chunk + g * V::lanes, sum[g][c]);
    return true;
  }

 private:
  [[gnu::always_inline]] static inline void begin(const KernelTile<F>& t, Sums& sum) {
#pragma GCC unroll 8
    for (int c = 0; c < Centroids; ++c)
#pragma GCC unroll 4
      for (int g = 0; g < groups; ++g) sum[g][c] = V::all(t.start[c]);
  }

  [[gnu::always_inline]] static inline void multiply_block(const KernelTile<F>& t, Index begin, Index end, Sums& sum) {
    const F *x = t.x + begin * chunk, *panel = t.panel + begin * Centroids;
    for (Index q = begin; q < end; ++q, x += chunk, panel += Centroids) {
      V rows[static_cast<std::size_t>(groups)];
#pragma GCC unroll 4
      for (int g = 0; g < groups; ++g) rows[g] = V::load(x + g * V::lanes);
#pragma GCC unroll 8
      for (int c = 0; c < Centroids; ++c) {
        const V centroid = V::all(panel[c]);
#pragma GCC unroll 4
        for (int g = 0; g < groups; ++g) sum[g][c] = V::fma(rows[g], centroid, sum[g][c]);
      }
    }
  }

  /// The next features, summed by themselves and then added: the sums so far wait in memory.
  [[gnu::always_inline]] static inline void add_block(const KernelTile<F>& t, Index begin, Sums& sum) {
    F before[static_cast<std::size_t>(Centroids * chunk)];
#pragma GCC unroll 8
    for (int c = 0; c < Centroids; ++c)
#pragma GCC unroll 4
      for (int g = 0; g < groups; ++g) {
        V::store(before + c * chunk + g * V::lanes, sum[g][c]);
        sum[g][c] = V::all(F{0});
      }
    const Index end = begin + features_per_chain;
    multiply_block(t, begin, end < t.d ? end : t.d, sum);
#pragma GCC unroll 8
    for (int c = 0; c < Centroids; ++c)
#pragma GCC unroll 4
      for (int g = 0; g < groups; ++g) sum[g][c] = V::add(sum[g][c], V::load(before + c * chunk + g * V::lanes));
  }
};

}  // namespace lloyd::inline LLOYD_ABI::cpu
