// SPDX-License-Identifier: MIT
/// @file
/// D(x, c) in the lanes of vector registers: the eight partial sums of its definition are eight lanes, so every
/// instruction set gives the same bits.
#pragma once

#include "lloyd/cpu/target.hpp"
#include "lloyd/kmeans/distance.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// How D is computed for rows of T.
template <Real T>
using DistanceFunction = double (*)(const T* x, const T* c, Index d);

#if LLOYD_X86

/// The last d % 8 columns, added to stored lanes; then the sum of the lanes.
template <Real T>
LLOYD_TARGET("avx2,fma")
inline double finish_lanes(double* lane, const T* x, const T* c, Index from, Index d) {
  for (Index q = from; q < d; ++q) {
    const double t = static_cast<double>(x[q]) - static_cast<double>(c[q]);
    lane[q % 8] = __builtin_fma(t, t, lane[q % 8]);
  }
  return detail::sum_lanes(lane);
}

LLOYD_TARGET("avx2,fma") inline double distance_avx2(const float* x, const float* c, Index d) {
  __m256d low = _mm256_setzero_pd(), high = low;
  Index q = 0;
  for (; q + 8 <= d; q += 8) {
    const __m256d t = _mm256_sub_pd(_mm256_cvtps_pd(_mm_loadu_ps(x + q)), _mm256_cvtps_pd(_mm_loadu_ps(c + q)));
    const __m256d s = _mm256_sub_pd(_mm256_cvtps_pd(_mm_loadu_ps(x + q + 4)), _mm256_cvtps_pd(_mm_loadu_ps(c + q + 4)));
    low = _mm256_fmadd_pd(t, t, low);
    high = _mm256_fmadd_pd(s, s, high);
  }
  alignas(32) double lane[8];
  _mm256_store_pd(lane, low);
  _mm256_store_pd(lane + 4, high);
  return finish_lanes(lane, x, c, q, d);
}

LLOYD_TARGET("avx2,fma") inline double distance_avx2(const double* x, const double* c, Index d) {
  __m256d low = _mm256_setzero_pd(), high = low;
  Index q = 0;
  for (; q + 8 <= d; q += 8) {
    const __m256d t = _mm256_sub_pd(_mm256_loadu_pd(x + q), _mm256_loadu_pd(c + q));
    const __m256d s = _mm256_sub_pd(_mm256_loadu_pd(x + q + 4), _mm256_loadu_pd(c + q + 4));
    low = _mm256_fmadd_pd(t, t, low);
    high = _mm256_fmadd_pd(s, s, high);
  }
  alignas(32) double lane[8];
  _mm256_store_pd(lane, low);
  _mm256_store_pd(lane + 4, high);
  return finish_lanes(lane, x, c, q, d);
}

// A lane past the last column loads two zeros and adds 0 * 0, which changes nothing.
LLOYD_TARGET("avx512f,avx512vl") inline double distance_avx512(const float* x, const float* c, Index d) {
  __m512d sum = _mm512_setzero_pd();
  for (Index q = 0; q < d; q += 8) {
    const auto mask = static_cast<__mmask8>(d - q >= 8 ? 0xff : (1 << (d - q)) - 1);
    // g++ 12 warns of an uninitialised operand in the unmasked conversion
    const __m512d t = _mm512_sub_pd(_mm512_maskz_cvtps_pd(mask, _mm256_maskz_loadu_ps(mask, x + q)),
                                    _mm512_maskz_cvtps_pd(mask, _mm256_maskz_loadu_ps(mask, c + q)));
    sum = _mm512_fmadd_pd(t, t, sum);
  }
  alignas(64) double lane[8];
  _mm512_store_pd(lane, sum);
  return detail::sum_lanes(lane);
}

LLOYD_TARGET("avx512f,avx512vl") inline double distance_avx512(const double* x, const double* c, Index d) {
  __m512d sum = _mm512_setzero_pd();
  for (Index q = 0; q < d; q += 8) {
    const auto mask = static_cast<__mmask8>(d - q >= 8 ? 0xff : (1 << (d - q)) - 1);
    const __m512d t = _mm512_sub_pd(_mm512_maskz_loadu_pd(mask, x + q), _mm512_maskz_loadu_pd(mask, c + q));
    sum = _mm512_fmadd_pd(t, t, sum);
  }
  alignas(64) double lane[8];
  _mm512_store_pd(lane, sum);
  return detail::sum_lanes(lane);
}

#endif

/// D for an instruction set that this machine has.
template <Real T>
[[nodiscard]] DistanceFunction<T> distance_function(Isa isa) {
#if LLOYD_X86
  if (isa >= Isa::avx512) return &distance_avx512;
  if (isa == Isa::avx2) return &distance_avx2;
#endif
  (void)isa;
  return &detail::distance<T>;
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
