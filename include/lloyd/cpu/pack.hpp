// SPDX-License-Identifier: MIT
/// @file
/// Rows brought into lanes: shifted to the origin, scaled and transposed, so that a vector holds one feature of as many
/// rows.
#pragma once

#include "lloyd/cpu/vector.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

inline constexpr int most_lanes = 16;

/// What packing reads and writes.
template <Real F>
struct PackTile {
  const F* row[most_lanes];  ///< one a lane
  Index ahead;               ///< from a row to the one packed after it in its lane, which is fetched meanwhile
  const F* o;                ///< d
  F scale;
  Index d;
  F* to;                   ///< (values + 1) x lanes: to[q width + lane] = x'_q = scale (row[lane][q] - o[q]), |x'| last
  Index values;            ///< d, or products in place of values
  Index width;             ///< from one value to the next
  F* square;               ///< lanes: the sums of squares of x'
  F raise, tiny, largest;  ///< |x'| = root(square) raise + tiny; a row is usable up to `largest`

  // of products alone
  const F* centroids = nullptr;  ///< k x stride, zeros behind feature d
  Index k = 0, stride = 0;
};

/// Writes |x'|, and returns a bit for each lane that is usable. A NaN is not.
template <class V>
[[gnu::always_inline]] inline std::uint32_t finish_pack(const PackTile<typename V::Scalar>& t, const V& square) {
  const V norm = V::fma(V::root(square), V::all(t.raise), V::all(t.tiny));
  V::store(t.square, square);
  V::store(t.to + t.values * t.width, norm);
  return V::not_below(V::all(t.largest), norm);
}

template <class V>
struct Packer {
  using F = typename V::Scalar;

  /// Returns a bit for each lane that is usable.
  [[gnu::always_inline]] static inline std::uint32_t run(const PackTile<F>& t) {
    V sum[4] = {V::all(F{0}), V::all(F{0}), V::all(F{0}), V::all(F{0})};
    Index q = 0;
    V a[static_cast<std::size_t>(V::lanes)];
    for (; q + V::lanes <= t.d; q += V::lanes) {
#pragma GCC unroll 16
      for (int l = 0; l < V::lanes; ++l) {
        a[l] = V::load(t.row[l] + q);
        __builtin_prefetch(t.row[l] + t.ahead + q, 0, 3);  // sixteen short streams are too many for a prefetcher
      }
      transpose(a);
#pragma GCC unroll 16
      for (int l = 0; l < V::lanes; ++l) finish(t, q + l, a[l], sum[l % 4]);
    }
    const auto rest = static_cast<int>(t.d - q);
    if (rest <= V::lanes / 4) {  // fewer loads and stores than a transposition has
      for (int c = 0; c < rest; ++c) {
        F column[static_cast<std::size_t>(V::lanes)];
        for (int l = 0; l < V::lanes; ++l) column[l] = t.row[l][q + c];
        finish(t, q + c, V::load(column), sum[0]);
      }
    } else {
#pragma GCC unroll 16
      for (int l = 0; l < V::lanes; ++l) {
        a[l] = V::load_first(t.row[l] + q, rest);
        __builtin_prefetch(t.row[l] + t.ahead + q, 0, 3);
      }
      transpose(a);
#pragma GCC unroll 16
      for (int l = 0; l < V::lanes; ++l) {
        if (l < rest) finish(t, q + l, a[l], sum[l % 4]);
      }
    }
    return finish_pack(t, V::add(V::add(sum[0], sum[1]), V::add(sum[2], sum[3])));
  }

 private:
  [[gnu::always_inline]] static inline void finish(const PackTile<F>& t, Index q, const V& from, V& sum) {
    const V x = V::multiply(V::subtract(from, V::all(t.o[q])), V::all(t.scale));
    V::store(t.to + q * t.width, x);
    sum = V::fma(x, x, sum);
  }

  /// A perfect shuffle of the rows, log2(lanes) times.
  [[gnu::always_inline]] static inline void transpose(V (&a)[static_cast<std::size_t>(V::lanes)]) {
    constexpr int half = V::lanes / 2;
#pragma GCC unroll 4
    for (int step = 1; step < V::lanes; step *= 2) {
      V b[static_cast<std::size_t>(V::lanes)];
#pragma GCC unroll 8
      for (int l = 0; l < half; ++l) {
        b[2 * l] = V::interleave_low(a[l], a[l + half]);
        b[2 * l + 1] = V::interleave_high(a[l], a[l + half]);
      }
#pragma GCC unroll 16
      for (int l = 0; l < V::lanes; ++l) a[l] = b[l];
    }
  }
};

}  // namespace lloyd::inline LLOYD_ABI::cpu
