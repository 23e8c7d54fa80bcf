// SPDX-License-Identifier: MIT
/// @file
/// Products of rows with up to three centroids, features in the lanes: rows are read as they lie in memory, and not
/// their values but their products are kept.
#pragma once

#include "lloyd/cpu/pack.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// The most centroids whose sums, with the rows' squares, stay in registers until every feature is added.
inline constexpr Index most_products = 3;

template <class V>
struct RowProducts {
  using F = typename V::Scalar;
  static constexpr int rows = V::centroids / 2;  ///< at once

  /// As Packer has it, but for to[c width + lane] = sum_q x'_q centroid[c]_q in place of x'. Zeros from centroid k on.
  [[gnu::always_inline]] static inline std::uint32_t run(const PackTile<F>& t) {
    for (int r = 0; r < V::lanes; r += rows) {
      if (t.k == 1) multiply<1>(t, r);
      if (t.k == 2) multiply<2>(t, r);
      if (t.k == 3) multiply<3>(t, r);
    }
    for (Index c = t.k; c < t.values; ++c) V::store(t.to + c * t.width, V::all(F{0}));
    return finish_pack<V>(t, V::load(t.square));
  }

 private:
  /// Where some rows begin, apart from the tile: compilers read that again after each vector that is stored.
  struct Rows {
    const F *row[static_cast<std::size_t>(rows)], *next[static_cast<std::size_t>(rows)], *o, *centroids;
    Index d, stride;
  };

  template <int K>
  [[gnu::always_inline]] static inline void multiply(const PackTile<F>& t, int r) {
    Rows x{{}, {}, t.o, t.centroids, t.d, t.stride};
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i) {
      x.row[i] = t.row[r + i];
      x.next[i] = t.row[V::lanes + r + i];
    }
    const V scale = V::all(t.scale);
    V sum[static_cast<std::size_t>((K + 1) * rows)];  // the last are those of the squares
#pragma GCC unroll 16
    for (V& s : sum) s = V::all(F{0});
    Index q = 0;
    for (; q + V::lanes <= x.d; q += V::lanes) add<K, true>(x, scale, q, sum);
    if (q < x.d) add<K, false>(x, scale, q, sum);
    write<K>(t, r, sum);
  }

  /// sum += the products of features q, q + 1, ...: as many as there are lanes, or as are left.
  template <int K, bool Whole>
  [[gnu::always_inline]] static inline void add(const Rows& t, const V& scale, Index q, V* sum) {
    V centroid[static_cast<std::size_t>(K)];
#pragma GCC unroll 4
    for (int c = 0; c < K; ++c) centroid[c] = V::load(t.centroids + c * t.stride + q);
    const auto left = static_cast<int>(t.d - q);
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i) {
      V x;
      if constexpr (Whole) {
        __builtin_prefetch(t.next[i] + q, 0, 2);
        x = V::subtract(V::load(t.row[i] + q), V::load(t.o + q));
      } else {
        x = V::subtract(V::load_first(t.row[i] + q, left), V::load_first(t.o + q, left));
      }
      x = V::multiply(x, scale);
#pragma GCC unroll 4
      for (int c = 0; c < K; ++c) sum[c * rows + i] = V::fma(x, centroid[c], sum[c * rows + i]);
      sum[K * rows + i] = V::fma(x, x, sum[K * rows + i]);
    }
  }

  template <int K>
  [[gnu::always_inline]] static inline void write(const PackTile<F>& t, int r, const V* sum) {
    constexpr int sums = (K + 1) * rows;
    F out[static_cast<std::size_t>(sums + V::lanes)];
#pragma GCC unroll 16
    for (int first = 0; first < sums; first += V::lanes) {
      V part[static_cast<std::size_t>(V::lanes)];
#pragma GCC unroll 16
      for (int l = 0; l < V::lanes; ++l) part[l] = first + l < sums ? sum[first + l] : V::all(F{0});
      V::store(out + first, add_lanes(part));
    }
    for (int c = 0; c <= K; ++c)
      for (int i = 0; i < rows; ++i) (c < K ? t.to + c * t.width : t.square)[r + i] = out[c * rows + i];
  }

  /// Lane l is the sum of the lanes of a[l]: Packer's shuffle, whose halves are added each time.
  [[gnu::always_inline]] static inline V add_lanes(V (&a)[static_cast<std::size_t>(V::lanes)]) {
#pragma GCC unroll 4
    for (int half = V::lanes / 2; half > 0; half /= 2)
#pragma GCC unroll 8
      for (int l = 0; l < half; ++l)
        a[l] = V::add(V::interleave_low(a[l], a[l + half]), V::interleave_high(a[l], a[l + half]));
    return a[0];
  }
};

}  // namespace lloyd::inline LLOYD_ABI::cpu
