// SPDX-License-Identifier: MIT
/// @file
/// Vectors of one instruction set each, with the few operations that kernels use. Operations are attributed with their
/// instruction set; a kernel is inlined into a function that carries the same attribute (kernel.hpp).
#pragma once

#include <cstdint>

#include "lloyd/cpu/target.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::cpu {

/// Sixteen bytes by the compilers' vector extension: SSE2 or NEON, whatever the target has. Multiplies, then adds.
template <Real F>
struct Portable {
  using Scalar = F;
  static constexpr int lanes = 16 / static_cast<int>(sizeof(F)), rows = 4, most_vectors = 2;
  using Value [[gnu::vector_size(16)]] = F;
  Value v;

  static Portable load(const F* from) {
    Portable out;
    __builtin_memcpy(&out.v, from, sizeof(Value));
    return out;
  }
  static Portable all(F value) { return {value - Value{}}; }
  static void store(F* to, Portable a) { __builtin_memcpy(to, &a.v, sizeof(Value)); }
  static Portable fma(Portable a, Portable b, Portable c) { return {a.v * b.v + c.v}; }
  static Portable add(Portable a, Portable b) { return {a.v + b.v}; }
  static Portable subtract(Portable a, Portable b) { return {a.v - b.v}; }
  static Portable multiply(Portable a, Portable b) { return {a.v * b.v}; }
  /// A bit for each lane in which a >= b.
  static std::uint32_t not_below(Portable a, Portable b) {
    std::uint32_t bits = 0;
    for (int l = 0; l < lanes; ++l) bits |= static_cast<std::uint32_t>(a.v[l] >= b.v[l]) << l;
    return bits;
  }
};

#if LLOYD_X86

template <Real F>
struct Avx2;
template <>
struct Avx2<float> {
  using Scalar = float;
  static constexpr int lanes = 8, rows = 4, most_vectors = 3;
  __m256 v;

  LLOYD_TARGET("avx2,fma") static Avx2 load(const float* from) { return {_mm256_loadu_ps(from)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 all(float value) { return {_mm256_set1_ps(value)}; }
  LLOYD_TARGET("avx2,fma") static void store(float* to, Avx2 a) { _mm256_storeu_ps(to, a.v); }
  LLOYD_TARGET("avx2,fma") static Avx2 fma(Avx2 a, Avx2 b, Avx2 c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 add(Avx2 a, Avx2 b) { return {_mm256_add_ps(a.v, b.v)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 subtract(Avx2 a, Avx2 b) { return {_mm256_sub_ps(a.v, b.v)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 multiply(Avx2 a, Avx2 b) { return {_mm256_mul_ps(a.v, b.v)}; }
  LLOYD_TARGET("avx2,fma") static std::uint32_t not_below(Avx2 a, Avx2 b) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(a.v, b.v, _CMP_GE_OQ)));
  }
};
template <>
struct Avx2<double> {
  using Scalar = double;
  static constexpr int lanes = 4, rows = 4, most_vectors = 3;
  __m256d v;

  LLOYD_TARGET("avx2,fma") static Avx2 load(const double* from) { return {_mm256_loadu_pd(from)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 all(double value) { return {_mm256_set1_pd(value)}; }
  LLOYD_TARGET("avx2,fma") static void store(double* to, Avx2 a) { _mm256_storeu_pd(to, a.v); }
  LLOYD_TARGET("avx2,fma") static Avx2 fma(Avx2 a, Avx2 b, Avx2 c) { return {_mm256_fmadd_pd(a.v, b.v, c.v)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 add(Avx2 a, Avx2 b) { return {_mm256_add_pd(a.v, b.v)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 subtract(Avx2 a, Avx2 b) { return {_mm256_sub_pd(a.v, b.v)}; }
  LLOYD_TARGET("avx2,fma") static Avx2 multiply(Avx2 a, Avx2 b) { return {_mm256_mul_pd(a.v, b.v)}; }
  LLOYD_TARGET("avx2,fma") static std::uint32_t not_below(Avx2 a, Avx2 b) {
    return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_cmp_pd(a.v, b.v, _CMP_GE_OQ)));
  }
};

template <Real F>
struct Avx512;
template <>
struct Avx512<float> {
  using Scalar = float;
  static constexpr int lanes = 16, rows = 8, most_vectors = 3;
  __m512 v;

  LLOYD_TARGET("avx512f") static Avx512 load(const float* from) { return {_mm512_loadu_ps(from)}; }
  LLOYD_TARGET("avx512f") static Avx512 all(float value) { return {_mm512_set1_ps(value)}; }
  LLOYD_TARGET("avx512f") static void store(float* to, Avx512 a) { _mm512_storeu_ps(to, a.v); }
  LLOYD_TARGET("avx512f") static Avx512 fma(Avx512 a, Avx512 b, Avx512 c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
  LLOYD_TARGET("avx512f") static Avx512 add(Avx512 a, Avx512 b) { return {_mm512_add_ps(a.v, b.v)}; }
  LLOYD_TARGET("avx512f") static Avx512 subtract(Avx512 a, Avx512 b) { return {_mm512_sub_ps(a.v, b.v)}; }
  LLOYD_TARGET("avx512f") static Avx512 multiply(Avx512 a, Avx512 b) { return {_mm512_mul_ps(a.v, b.v)}; }
  LLOYD_TARGET("avx512f") static std::uint32_t not_below(Avx512 a, Avx512 b) {
    return _mm512_cmp_ps_mask(a.v, b.v, _CMP_GE_OQ);
  }
};
template <>
struct Avx512<double> {
  using Scalar = double;
  static constexpr int lanes = 8, rows = 8, most_vectors = 3;
  __m512d v;

  LLOYD_TARGET("avx512f") static Avx512 load(const double* from) { return {_mm512_loadu_pd(from)}; }
  LLOYD_TARGET("avx512f") static Avx512 all(double value) { return {_mm512_set1_pd(value)}; }
  LLOYD_TARGET("avx512f") static void store(double* to, Avx512 a) { _mm512_storeu_pd(to, a.v); }
  LLOYD_TARGET("avx512f") static Avx512 fma(Avx512 a, Avx512 b, Avx512 c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }
  LLOYD_TARGET("avx512f") static Avx512 add(Avx512 a, Avx512 b) { return {_mm512_add_pd(a.v, b.v)}; }
  LLOYD_TARGET("avx512f") static Avx512 subtract(Avx512 a, Avx512 b) { return {_mm512_sub_pd(a.v, b.v)}; }
  LLOYD_TARGET("avx512f") static Avx512 multiply(Avx512 a, Avx512 b) { return {_mm512_mul_pd(a.v, b.v)}; }
  LLOYD_TARGET("avx512f") static std::uint32_t not_below(Avx512 a, Avx512 b) {
    return _mm512_cmp_pd_mask(a.v, b.v, _CMP_GE_OQ);
  }
};

#endif

}  // namespace lloyd::cpu
