// SPDX-License-Identifier: MIT
/// @file
/// Vectors of one instruction set each, with the few operations that kernels use. Operations are attributed with their
/// instruction set; a kernel is inlined into a function that carries the same attribute (kernel.hpp).
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "lloyd/cpu/target.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// Numbers as wide as F, for places of centroids.
template <Real F>
using Place = std::conditional_t<std::same_as<F, float>, std::int32_t, std::int64_t>;

/// Sixteen bytes by the compilers' vector extension: SSE2 or NEON, whatever the target has. Multiplies, then adds.
template <Real F>
struct Portable {
  using Scalar = F;
  static constexpr int lanes = 16 / static_cast<int>(sizeof(F)), groups = 2, centroids = 4;
  using Value [[gnu::vector_size(16)]] = F;
  using Bits [[gnu::vector_size(16)]] = Place<F>;
  Value v;
  struct Places {
    Bits v;
  };

  static Portable load(const F* from) {
    Portable out;
    __builtin_memcpy(&out.v, from, sizeof(Value));
    return out;
  }
  /// The first `count` lanes; zeros in the others, whose memory is not touched.
  static Portable load_first(const F* from, int count) {
    Portable out{};
    for (int l = 0; l < count; ++l) out.v[l] = from[l];
    return out;
  }
  static Portable all(F value) { return {value - Value{}}; }
  static void store(F* to, Portable a) { __builtin_memcpy(to, &a.v, sizeof(Value)); }
  static Portable fma(Portable a, Portable b, Portable c) { return {a.v * b.v + c.v}; }
  static Portable add(Portable a, Portable b) { return {a.v + b.v}; }
  static Portable larger(Portable a, Portable b) { return {select(a.v > b.v, a.v, b.v)}; }
  static Portable subtract(Portable a, Portable b) { return {a.v - b.v}; }
  static Portable multiply(Portable a, Portable b) { return {a.v * b.v}; }
  static Portable root(Portable a) {
    for (int l = 0; l < lanes; ++l) a.v[l] = std::sqrt(a.v[l]);
    return a;
  }
  /// A bit for each lane in which a >= b.
  static std::uint32_t not_below(Portable a, Portable b) {
    std::uint32_t bits = 0;
    for (int l = 0; l < lanes; ++l) bits |= static_cast<std::uint32_t>(a.v[l] >= b.v[l]) << l;
    return bits;
  }
  /// The lower, and the upper, halves of both in turn.
  static Portable interleave_low(Portable a, Portable b) {
    if constexpr (lanes == 4) return {__builtin_shufflevector(a.v, b.v, 0, 4, 1, 5)};
    if constexpr (lanes == 2) return {__builtin_shufflevector(a.v, b.v, 0, 2)};
  }
  static Portable interleave_high(Portable a, Portable b) {
    if constexpr (lanes == 4) return {__builtin_shufflevector(a.v, b.v, 2, 6, 3, 7)};
    if constexpr (lanes == 2) return {__builtin_shufflevector(a.v, b.v, 1, 3)};
  }
  static Places load_places(const Place<F>* from) {
    Places out;
    __builtin_memcpy(&out.v, from, sizeof(Bits));
    return out;
  }
  static void store_places(Place<F>* to, Places a) { __builtin_memcpy(to, &a.v, sizeof(Bits)); }
  /// Where a > best: second = best, best = a, at = *here. Elsewhere second = max(second, a).
  static void keep_best(Portable a, const Place<F>* here, Portable& best, Portable& second, Places& at) {
    const Bits above = a.v > best.v;
    const Value low = select(above, best.v, a.v);
    second.v = select(low > second.v, low, second.v);
    best.v = select(above, a.v, best.v);
    at.v = (above & (*here - Bits{})) | (~above & at.v);
  }

 private:
  static Value select(Bits mask, Value a, Value b) {
    Bits x, y;
    __builtin_memcpy(&x, &a, sizeof(Bits));
    __builtin_memcpy(&y, &b, sizeof(Bits));
    x = (mask & x) | (~mask & y);
    __builtin_memcpy(&a, &x, sizeof(Bits));
    return a;
  }
};

#if LLOYD_X86

template <Real F>
struct Avx2;
template <>
struct Avx2<float> {
  using Scalar = float;
  static constexpr int lanes = 8, groups = 3, centroids = 4;
  __m256 v;
  struct Places {
    __m256i v;
  };

  LLOYD_TARGET("avx2,fma") static Avx2 load(const float* from) { return {_mm256_loadu_ps(from)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 load_first(const float* from, int count) {
    alignas(32) static constexpr Place<float> bits[2 * lanes] = {-1, -1, -1, -1, -1, -1, -1, -1};
    const auto* first = reinterpret_cast<const __m256i*>(bits + lanes - count);
    return {_mm256_maskload_ps(from, _mm256_loadu_si256(first))};
  }
  LLOYD_TARGET("avx2,fma") static Avx2 all(float value) { return {_mm256_set1_ps(value)}; }
  LLOYD_TARGET("avx2,fma") static void store(float* to, Avx2 a) { _mm256_storeu_ps(to, a.v); }
  LLOYD_TARGET("avx2,fma") static Avx2 fma(Avx2 a, Avx2 b, Avx2 c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 add(Avx2 a, Avx2 b) { return {_mm256_add_ps(a.v, b.v)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 larger(Avx2 a, Avx2 b) { return {_mm256_max_ps(a.v, b.v)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 subtract(Avx2 a, Avx2 b) { return {_mm256_sub_ps(a.v, b.v)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 multiply(Avx2 a, Avx2 b) { return {_mm256_mul_ps(a.v, b.v)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 root(Avx2 a) { return {_mm256_sqrt_ps(a.v)}; }
  LLOYD_TARGET("avx2,fma") static std::uint32_t not_below(Avx2 a, Avx2 b) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(a.v, b.v, _CMP_GE_OQ)));
  }
  LLOYD_TARGET("avx2,fma") static Avx2 interleave_low(Avx2 a, Avx2 b) {
    return {__builtin_shufflevector(a.v, b.v, 0, 8, 1, 9, 2, 10, 3, 11)};
  }
  LLOYD_TARGET("avx2,fma") static Avx2 interleave_high(Avx2 a, Avx2 b) {
    return {__builtin_shufflevector(a.v, b.v, 4, 12, 5, 13, 6, 14, 7, 15)};
  }
  LLOYD_TARGET("avx2,fma") static Places load_places(const Place<float>* from) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
  }
  LLOYD_TARGET("avx2,fma") static void store_places(Place<float>* to, Places a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), a.v);
  }
  LLOYD_TARGET("avx2,fma")
  static void keep_best(Avx2 a, const Place<float>* here, Avx2& best, Avx2& second, Places& at) {
    const __m256 above = _mm256_cmp_ps(a.v, best.v, _CMP_GT_OQ);
    second.v = _mm256_max_ps(second.v, _mm256_min_ps(a.v, best.v));
    best.v = _mm256_max_ps(a.v, best.v);
    at.v = _mm256_blendv_epi8(at.v, _mm256_set1_epi32(*here), _mm256_castps_si256(above));
  }
};
template <>
struct Avx2<double> {
  using Scalar = double;
  static constexpr int lanes = 4, groups = 3, centroids = 4;
  __m256d v;
  struct Places {
    __m256i v;
  };

  LLOYD_TARGET("avx2,fma") static Avx2 load(const double* from) { return {_mm256_loadu_pd(from)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 load_first(const double* from, int count) {
    alignas(32) static constexpr Place<double> bits[2 * lanes] = {-1, -1, -1, -1};
    const auto* first = reinterpret_cast<const __m256i*>(bits + lanes - count);
    return {_mm256_maskload_pd(from, _mm256_loadu_si256(first))};
  }
  LLOYD_TARGET("avx2,fma") static Avx2 all(double value) { return {_mm256_set1_pd(value)}; }
  LLOYD_TARGET("avx2,fma") static void store(double* to, Avx2 a) { _mm256_storeu_pd(to, a.v); }
  LLOYD_TARGET("avx2,fma") static Avx2 fma(Avx2 a, Avx2 b, Avx2 c) { return {_mm256_fmadd_pd(a.v, b.v, c.v)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 add(Avx2 a, Avx2 b) { return {_mm256_add_pd(a.v, b.v)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 larger(Avx2 a, Avx2 b) { return {_mm256_max_pd(a.v, b.v)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 subtract(Avx2 a, Avx2 b) { return {_mm256_sub_pd(a.v, b.v)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 multiply(Avx2 a, Avx2 b) { return {_mm256_mul_pd(a.v, b.v)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 root(Avx2 a) { return {_mm256_sqrt_pd(a.v)}; }
  LLOYD_TARGET("avx2,fma") static std::uint32_t not_below(Avx2 a, Avx2 b) {
    return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_cmp_pd(a.v, b.v, _CMP_GE_OQ)));
  }
  LLOYD_TARGET("avx2,fma") static Avx2 interleave_low(Avx2 a, Avx2 b) {
    return {__builtin_shufflevector(a.v, b.v, 0, 4, 1, 5)};
  }
  LLOYD_TARGET("avx2,fma") static Avx2 interleave_high(Avx2 a, Avx2 b) {
    return {__builtin_shufflevector(a.v, b.v, 2, 6, 3, 7)};
  }
  LLOYD_TARGET("avx2,fma") static Places load_places(const Place<double>* from) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
  }
  LLOYD_TARGET("avx2,fma") static void store_places(Place<double>* to, Places a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), a.v);
  }
  LLOYD_TARGET("avx2,fma")
  static void keep_best(Avx2 a, const Place<double>* here, Avx2& best, Avx2& second, Places& at) {
    const __m256d above = _mm256_cmp_pd(a.v, best.v, _CMP_GT_OQ);
    second.v = _mm256_max_pd(second.v, _mm256_min_pd(a.v, best.v));
    best.v = _mm256_max_pd(a.v, best.v);
    at.v = _mm256_blendv_epi8(at.v, _mm256_set1_epi64x(*here), _mm256_castpd_si256(above));
  }
};

template <Real F>
struct Avx512;
template <>
struct Avx512<float> {
  using Scalar = float;
  static constexpr int lanes = 16, groups = 3, centroids = 8;
  __m512 v;
  struct Places {
    __m512i v;
  };

  LLOYD_TARGET("avx512f") static Avx512 load(const float* from) { return {_mm512_loadu_ps(from)}; }
  LLOYD_TARGET("avx512f") static Avx512 load_first(const float* from, int count) {
    return {_mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << count) - 1), from)};
  }
  LLOYD_TARGET("avx512f") static Avx512 all(float value) { return {_mm512_set1_ps(value)}; }
  LLOYD_TARGET("avx512f") static void store(float* to, Avx512 a) { _mm512_storeu_ps(to, a.v); }
  LLOYD_TARGET("avx512f") static Avx512 fma(Avx512 a, Avx512 b, Avx512 c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
  LLOYD_TARGET("avx512f") static Avx512 add(Avx512 a, Avx512 b) { return {_mm512_add_ps(a.v, b.v)}; }
  LLOYD_TARGET("avx512f") static Avx512 subtract(Avx512 a, Avx512 b) { return {_mm512_sub_ps(a.v, b.v)}; }
  LLOYD_TARGET("avx512f") static Avx512 multiply(Avx512 a, Avx512 b) { return {_mm512_mul_ps(a.v, b.v)}; }
  // g++ 12 warns of an uninitialised operand in the unmasked forms of these
  LLOYD_TARGET("avx512f") static Avx512 root(Avx512 a) {
    return {_mm512_maskz_sqrt_ps(static_cast<__mmask16>(-1), a.v)};
  }
  LLOYD_TARGET("avx512f") static Avx512 larger(Avx512 a, Avx512 b) {
    return {_mm512_maskz_max_ps(static_cast<__mmask16>(-1), a.v, b.v)};
  }
  LLOYD_TARGET("avx512f") static std::uint32_t not_below(Avx512 a, Avx512 b) {
    return _mm512_cmp_ps_mask(a.v, b.v, _CMP_GE_OQ);
  }
  LLOYD_TARGET("avx512f") static Avx512 interleave_low(Avx512 a, Avx512 b) {
    return {__builtin_shufflevector(a.v, b.v, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)};
  }
  LLOYD_TARGET("avx512f") static Avx512 interleave_high(Avx512 a, Avx512 b) {
    return {__builtin_shufflevector(a.v, b.v, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)};
  }
  LLOYD_TARGET("avx512f") static Places load_places(const Place<float>* from) { return {_mm512_loadu_si512(from)}; }
  LLOYD_TARGET("avx512f") static void store_places(Place<float>* to, Places a) { _mm512_storeu_si512(to, a.v); }
  LLOYD_TARGET("avx512f")
  static void keep_best(Avx512 a, const Place<float>* here, Avx512& best, Avx512& second, Places& at) {
    const __mmask16 above = _mm512_cmp_ps_mask(a.v, best.v, _CMP_GT_OQ);
    second.v = _mm512_maskz_max_ps(static_cast<__mmask16>(-1), second.v,
                                   _mm512_maskz_min_ps(static_cast<__mmask16>(-1), a.v, best.v));
    best.v = _mm512_mask_mov_ps(best.v, above, a.v);
    at.v = _mm512_mask_set1_epi32(at.v, above, *here);
  }
};
template <>
struct Avx512<double> {
  using Scalar = double;
  static constexpr int lanes = 8, groups = 3, centroids = 8;
  __m512d v;
  struct Places {
    __m512i v;
  };

  LLOYD_TARGET("avx512f") static Avx512 load(const double* from) { return {_mm512_loadu_pd(from)}; }
  LLOYD_TARGET("avx512f") static Avx512 load_first(const double* from, int count) {
    return {_mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << count) - 1), from)};
  }
  LLOYD_TARGET("avx512f") static Avx512 all(double value) { return {_mm512_set1_pd(value)}; }
  LLOYD_TARGET("avx512f") static void store(double* to, Avx512 a) { _mm512_storeu_pd(to, a.v); }
  LLOYD_TARGET("avx512f") static Avx512 fma(Avx512 a, Avx512 b, Avx512 c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }
  LLOYD_TARGET("avx512f") static Avx512 add(Avx512 a, Avx512 b) { return {_mm512_add_pd(a.v, b.v)}; }
  LLOYD_TARGET("avx512f") static Avx512 subtract(Avx512 a, Avx512 b) { return {_mm512_sub_pd(a.v, b.v)}; }
  LLOYD_TARGET("avx512f") static Avx512 multiply(Avx512 a, Avx512 b) { return {_mm512_mul_pd(a.v, b.v)}; }
  // g++ 12 warns of an uninitialised operand in the unmasked forms of these
  LLOYD_TARGET("avx512f") static Avx512 root(Avx512 a) {
    return {_mm512_maskz_sqrt_pd(static_cast<__mmask8>(-1), a.v)};
  }
  LLOYD_TARGET("avx512f") static Avx512 larger(Avx512 a, Avx512 b) {
    return {_mm512_maskz_max_pd(static_cast<__mmask8>(-1), a.v, b.v)};
  }
  LLOYD_TARGET("avx512f") static std::uint32_t not_below(Avx512 a, Avx512 b) {
    return _mm512_cmp_pd_mask(a.v, b.v, _CMP_GE_OQ);
  }
  LLOYD_TARGET("avx512f") static Avx512 interleave_low(Avx512 a, Avx512 b) {
    return {__builtin_shufflevector(a.v, b.v, 0, 8, 1, 9, 2, 10, 3, 11)};
  }
  LLOYD_TARGET("avx512f") static Avx512 interleave_high(Avx512 a, Avx512 b) {
    return {__builtin_shufflevector(a.v, b.v, 4, 12, 5, 13, 6, 14, 7, 15)};
  }
  LLOYD_TARGET("avx512f") static Places load_places(const Place<double>* from) { return {_mm512_loadu_si512(from)}; }
  LLOYD_TARGET("avx512f") static void store_places(Place<double>* to, Places a) { _mm512_storeu_si512(to, a.v); }
  LLOYD_TARGET("avx512f")
  static void keep_best(Avx512 a, const Place<double>* here, Avx512& best, Avx512& second, Places& at) {
    const __mmask8 above = _mm512_cmp_pd_mask(a.v, best.v, _CMP_GT_OQ);
    second.v = _mm512_maskz_max_pd(static_cast<__mmask8>(-1), second.v,
                                   _mm512_maskz_min_pd(static_cast<__mmask8>(-1), a.v, best.v));
    best.v = _mm512_mask_mov_pd(best.v, above, a.v);
    at.v = _mm512_mask_set1_epi64(at.v, above, *here);
  }
};

#endif

}  // namespace lloyd::inline LLOYD_ABI::cpu
