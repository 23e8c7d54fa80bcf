// SPDX-License-Identifier: MIT
/// @file
/// S_j += sign w x, as integers: eight columns at a time where the instruction set converts between doubles and 64-bit
/// integers, four where halves of them are converted by adding 1.5 2^52.
#pragma once

#include <cstdint>

#include "lloyd/cpu/target.hpp"
#include "lloyd/kmeans/sums.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// How a row of weight w enters (sign 1) or leaves (-1) the integers `to` of a cluster.
template <Real T>
using AddRowFunction = void (*)(const T* x, double w, std::int64_t sign, const detail::SumsShape& shape,
                                const detail::Quanta& quanta, std::int64_t* to);

template <Real T>
void add_row_portable(const T* x, double w, std::int64_t sign, const detail::SumsShape& shape,
                      const detail::Quanta& quanta, std::int64_t* to) {
  detail::for_each_integer_of_row(
      x, w, shape, quanta, [&](Index place, std::int64_t whole) { detail::add_wrapping(to[place], whole, sign); });
}

#if LLOYD_X86

/// Cuts eight terms into limbs, as for_each_limb does one: all but the last are truncated, the last is rounded.
LLOYD_TARGET("avx512f,avx512dq,avx512vl")
inline void add_limbs_avx512(__m512d term, __m512d inverse, __mmask8 mask, std::int64_t sign, Index columns,
                             const detail::Quanta& quanta, std::int64_t* to) {
  const __m512d radix = _mm512_set1_pd(static_cast<double>(std::int64_t{1} << quanta.bits));
  const __m512i flip = _mm512_set1_epi64(sign < 0 ? -1 : 0);
  __m512d v = _mm512_mul_pd(term, inverse);  // exact: powers of two
  for (int l = 0; l < quanta.limbs && _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_NEQ_UQ) != 0;
       ++l, to += columns) {
    const bool last = l == quanta.limbs - 1;
    const __m512i whole = last ? _mm512_maskz_cvtpd_epi64(mask, v) : _mm512_maskz_cvttpd_epi64(mask, v);
    const __m512i signed_whole = _mm512_sub_epi64(_mm512_xor_si512(whole, flip), flip);
    if (mask == 0xff) {
      _mm512_storeu_si512(to, _mm512_add_epi64(_mm512_loadu_si512(to), signed_whole));
    } else {  // one by one: a masked load would wait for the masked store of the row before
      alignas(64) std::uint64_t each[8];
      _mm512_store_si512(each, signed_whole);
      for (Index q = 0; (mask >> q & 1) != 0; ++q) detail::add_wrapping(to[q], static_cast<std::int64_t>(each[q]), 1);
    }
    v = _mm512_mul_pd(_mm512_sub_pd(v, _mm512_maskz_cvtepi64_pd(mask, whole)), radix);  // exact
  }
}

LLOYD_TARGET("avx512f,avx512dq,avx512vl")
inline __m512d load_eight(const double* x, __mmask8 mask) { return _mm512_maskz_loadu_pd(mask, x); }
LLOYD_TARGET("avx512f,avx512dq,avx512vl")
inline __m512d load_eight(const float* x, __mmask8 mask) {
  return _mm512_maskz_cvtps_pd(mask, _mm256_maskz_loadu_ps(mask, x));
}

template <Real T>
LLOYD_TARGET("avx512f,avx512dq,avx512vl")
void add_row_avx512(const T* x, double w, std::int64_t sign, const detail::SumsShape& shape,
                    const detail::Quanta& quanta, std::int64_t* to) {
  const double* inverse = quanta.inverse.data();
  for (Index q = 0; q < shape.d; q += 8) {
    const auto mask = static_cast<__mmask8>(shape.d - q >= 8 ? 0xff : (1 << (shape.d - q)) - 1);
    const __m512d scale = _mm512_maskz_loadu_pd(mask, inverse + q);
    const __m512d value = load_eight(x + q, mask);
    if (!shape.weighted()) {
      add_limbs_avx512(value, scale, mask, sign, shape.columns, quanta, to + q);
      continue;
    }
    const __m512d weight = _mm512_set1_pd(w), product = _mm512_mul_pd(weight, value);
    const __m512d lost = _mm512_fmsub_pd(weight, value, product);  // what the product's rounding lost
    add_limbs_avx512(product, scale, mask, sign, shape.columns, quanta, to + q);
    add_limbs_avx512(lost, scale, mask, sign, shape.columns, quanta, to + q);
  }
  if (shape.weighted())
    add_limbs_avx512(_mm512_set1_pd(w), _mm512_set1_pd(inverse[shape.d]), 1, sign, shape.columns, quanta, to + shape.d);
}

/// Integers, below 2^51 in magnitude, that doubles hold: added to 1.5 2^52, whose last bit is worth 1.
LLOYD_TARGET("avx2,fma") inline __m256i small_integers_of(__m256d whole) {
  const __m256d magic = _mm256_set1_pd(0x1.8p52);
  return _mm256_sub_epi64(_mm256_castpd_si256(_mm256_add_pd(whole, magic)), _mm256_castpd_si256(magic));
}
/// The same below 2^62, by halves.
LLOYD_TARGET("avx2,fma") inline __m256i integers_of(__m256d whole) {
  const __m256d high =
      _mm256_round_pd(_mm256_mul_pd(whole, _mm256_set1_pd(0x1p-32)), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  const __m256d low = _mm256_fnmadd_pd(high, _mm256_set1_pd(0x1p32), whole);  // exact
  return _mm256_add_epi64(_mm256_slli_epi64(small_integers_of(high), 32), small_integers_of(low));
}

/// Cuts four terms into limbs, as add_limbs_avx512 does eight.
LLOYD_TARGET("avx2,fma")
inline void add_limbs_avx2(__m256d term, __m256d inverse, std::int64_t sign, Index columns,
                           const detail::Quanta& quanta, std::int64_t* to) {
  const __m256d radix = _mm256_set1_pd(static_cast<double>(std::int64_t{1} << quanta.bits));
  const __m256i flip = _mm256_set1_epi64x(sign < 0 ? -1 : 0);
  __m256d v = _mm256_mul_pd(term, inverse);  // exact: powers of two
  for (int l = 0; l < quanta.limbs && _mm256_movemask_pd(_mm256_cmp_pd(v, _mm256_setzero_pd(), _CMP_NEQ_UQ)) != 0;
       ++l, to += columns) {
    const __m256d whole = l == quanta.limbs - 1 ? _mm256_round_pd(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
                                                : _mm256_round_pd(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __m256i signed_whole = _mm256_sub_epi64(_mm256_xor_si256(integers_of(whole), flip), flip);
    auto* const at = reinterpret_cast<__m256i*>(to);
    _mm256_storeu_si256(at, _mm256_add_epi64(_mm256_loadu_si256(at), signed_whole));
    v = _mm256_mul_pd(_mm256_sub_pd(v, whole), radix);  // exact
  }
}

LLOYD_TARGET("avx2,fma") inline __m256d load_four(const double* x) { return _mm256_loadu_pd(x); }
LLOYD_TARGET("avx2,fma") inline __m256d load_four(const float* x) { return _mm256_cvtps_pd(_mm_loadu_ps(x)); }

template <Real T>
LLOYD_TARGET("avx2,fma")
void add_row_avx2(const T* x, double w, std::int64_t sign, const detail::SumsShape& shape, const detail::Quanta& quanta,
                  std::int64_t* to) {
  const double* inverse = quanta.inverse.data();
  Index q = 0;
  for (; q + 4 <= shape.d; q += 4) {
    const __m256d scale = _mm256_loadu_pd(inverse + q), value = load_four(x + q);
    if (!shape.weighted()) {
      add_limbs_avx2(value, scale, sign, shape.columns, quanta, to + q);
      continue;
    }
    const __m256d weight = _mm256_set1_pd(w), product = _mm256_mul_pd(weight, value);
    add_limbs_avx2(product, scale, sign, shape.columns, quanta, to + q);
    add_limbs_avx2(_mm256_fmsub_pd(weight, value, product), scale, sign, shape.columns, quanta, to + q);
  }
  detail::for_each_integer_of_row(
      x, w, shape, quanta, [&](Index place, std::int64_t whole) { detail::add_wrapping(to[place], whole, sign); }, q);
}

#endif

/// The one for an instruction set that this machine has.
template <Real T>
[[nodiscard]] AddRowFunction<T> add_row_function(Isa isa) {
#if LLOYD_X86
  if (isa >= Isa::avx512) return &add_row_avx512<T>;
  if (isa == Isa::avx2) return &add_row_avx2<T>;
#endif
  (void)isa;
  return &add_row_portable<T>;
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
