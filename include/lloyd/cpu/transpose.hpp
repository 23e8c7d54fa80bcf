// SPDX-License-Identifier: MIT
/// @file
/// Columns of a few rows: as many of each as a vector has lanes.
#pragma once

#include "lloyd/cpu/vector.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// columns[c], lane l = row[l][q + c].
template <class V>
struct Transpose {
  /// A perfect shuffle of the rows, log2(lanes) times.
  [[gnu::always_inline]] static inline void load(const typename V::Scalar* const* row, Index q, V* columns) {
    constexpr int half = V::lanes / 2;
#pragma GCC unroll 16
    for (int l = 0; l < V::lanes; ++l) columns[l] = V::load(row[l] + q);
#pragma GCC unroll 4
    for (int step = 1; step < V::lanes; step *= 2) {
      V b[static_cast<std::size_t>(V::lanes)];
#pragma GCC unroll 8
      for (int l = 0; l < half; ++l) {
        b[2 * l] = V::interleave_low(columns[l], columns[l + half]);
        b[2 * l + 1] = V::interleave_high(columns[l], columns[l + half]);
      }
#pragma GCC unroll 16
      for (int l = 0; l < V::lanes; ++l) columns[l] = b[l];
    }
  }
};

#if LLOYD_X86

/// Halves of two rows are joined as they are loaded, so that no shuffle has to cross the middle of a vector.
template <>
struct Transpose<Avx2<float>> {
  using V = Avx2<float>;

  [[gnu::always_inline]] static inline void load(const float* const* row, Index q, V* columns) {
#pragma GCC unroll 2
    for (int first = 0; first < V::lanes; first += 4) {
      V a[4];
#pragma GCC unroll 4
      for (int l = 0; l < 4; ++l) a[l] = join(row[l] + q + first, row[l + 4] + q + first);
      const V low01 = low(a[0], a[1]), low23 = low(a[2], a[3]), high01 = high(a[0], a[1]), high23 = high(a[2], a[3]);
      columns[first] = low_pairs(low01, low23);
      columns[first + 1] = high_pairs(low01, low23);
      columns[first + 2] = low_pairs(high01, high23);
      columns[first + 3] = high_pairs(high01, high23);
    }
  }

 private:
  LLOYD_TARGET("avx2,fma") static V join(const float* low, const float* high) {
    return {_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1)};
  }
  LLOYD_TARGET("avx2,fma") static V low(V a, V b) { return {_mm256_unpacklo_ps(a.v, b.v)}; }
  LLOYD_TARGET("avx2,fma") static V high(V a, V b) { return {_mm256_unpackhi_ps(a.v, b.v)}; }
  LLOYD_TARGET("avx2,fma") static V low_pairs(V a, V b) {
    return {_mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a.v), _mm256_castps_pd(b.v)))};
  }
  LLOYD_TARGET("avx2,fma") static V high_pairs(V a, V b) {
    return {_mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a.v), _mm256_castps_pd(b.v)))};
  }
};
template <>
struct Transpose<Avx2<double>> {
  using V = Avx2<double>;

  [[gnu::always_inline]] static inline void load(const double* const* row, Index q, V* columns) {
#pragma GCC unroll 2
    for (int first = 0; first < V::lanes; first += 2) {
      const V a = join(row[0] + q + first, row[2] + q + first), b = join(row[1] + q + first, row[3] + q + first);
      columns[first] = low(a, b);
      columns[first + 1] = high(a, b);
    }
  }

 private:
  LLOYD_TARGET("avx2,fma") static V join(const double* low, const double* high) {
    return {_mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1)};
  }
  LLOYD_TARGET("avx2,fma") static V low(V a, V b) { return {_mm256_unpacklo_pd(a.v, b.v)}; }
  LLOYD_TARGET("avx2,fma") static V high(V a, V b) { return {_mm256_unpackhi_pd(a.v, b.v)}; }
};

#endif

}  // namespace lloyd::inline LLOYD_ABI::cpu
