// SPDX-License-Identifier: MIT
/// @file
/// S_from -= w x and S_to += w x, as integers: eight columns at a time where the instruction set converts between
/// doubles and 64-bit integers, four where they are converted by adding 1.5 2^52.
#pragma once

#include <cstdint>

#include "lloyd/cpu/target.hpp"
#include "lloyd/kmeans/sums.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// How a row of weight w leaves the integers `from` of a cluster and enters those of another, `to`; null is no cluster.
template <Real T>
using MoveRowFunction = void (*)(const T* x, double w, const detail::SumsShape& shape, const detail::Quanta& quanta,
                                 std::int64_t* from, std::int64_t* to);

/// from[place] -= whole, to[place] += whole.
inline void change(std::int64_t* from, std::int64_t* to, Index place, std::int64_t whole) {
  if (from != nullptr) detail::add_wrapping(from[place], whole, -1);
  if (to != nullptr) detail::add_wrapping(to[place], whole, 1);
}

template <Real T>
void move_row_portable(const T* x, double w, const detail::SumsShape& shape, const detail::Quanta& quanta,
                       std::int64_t* from, std::int64_t* to) {
  detail::for_each_integer_of_row(x, w, shape, quanta,
                                  [&](Index place, std::int64_t whole) { change(from, to, place, whole); });
}

#if LLOYD_X86

[[gnu::always_inline]] LLOYD_TARGET("avx512f,avx512dq,avx512vl") inline void change_eight(std::int64_t* from,
                                                                                          std::int64_t* to, Index place,
                                                                                          __m512i whole,
                                                                                          __mmask8 mask) {
  if (mask == 0xff) {
    if (from != nullptr) _mm512_storeu_si512(from + place, _mm512_sub_epi64(_mm512_loadu_si512(from + place), whole));
    if (to != nullptr) _mm512_storeu_si512(to + place, _mm512_add_epi64(_mm512_loadu_si512(to + place), whole));
  } else {  // one by one: a masked load would wait for the masked store of the row before
    alignas(64) std::int64_t each[8];
    _mm512_store_si512(each, whole);
    for (Index q = 0; (mask >> q & 1) != 0; ++q) change(from, to, place + q, each[q]);
  }
}

/// Cuts eight terms into limbs, as for_each_limb does one: all but the last are truncated, the last is rounded.
[[gnu::always_inline]] LLOYD_TARGET("avx512f,avx512dq,avx512vl") inline void move_limbs_avx512(
    __m512d term, __m512d inverse, __mmask8 mask, const detail::Quanta& quanta, std::int64_t* from, std::int64_t* to,
    Index place) {
  const __m512d radix = _mm512_set1_pd(static_cast<double>(std::int64_t{1} << quanta.bits));
  __m512d v = _mm512_mul_pd(term, inverse);  // exact: powers of two
  for (int l = 0; l < quanta.limbs && _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_NEQ_UQ) != 0;
       ++l, place += quanta.columns()) {
    const bool last = l == quanta.limbs - 1;
    const __m512i whole = last ? _mm512_maskz_cvtpd_epi64(mask, v) : _mm512_maskz_cvttpd_epi64(mask, v);
    change_eight(from, to, place, whole, mask);
    v = _mm512_mul_pd(_mm512_sub_pd(v, _mm512_maskz_cvtepi64_pd(mask, whole)), radix);  // exact
  }
}

[[gnu::always_inline]] LLOYD_TARGET("avx512f,avx512dq,avx512vl") inline __m512d
    load_eight(const double* x, __mmask8 mask) {
  return _mm512_maskz_loadu_pd(mask, x);
}
[[gnu::always_inline]] LLOYD_TARGET("avx512f,avx512dq,avx512vl") inline __m512d
    load_eight(const float* x, __mmask8 mask) {
  return _mm512_maskz_cvtps_pd(mask, _mm256_maskz_loadu_ps(mask, x));
}

template <Real T>
LLOYD_TARGET("avx512f,avx512dq,avx512vl")
void move_row_avx512(const T* x, double w, const detail::SumsShape& shape, const detail::Quanta& quanta,
                     std::int64_t* from, std::int64_t* to) {
  const double* inverse = quanta.inverse.data();
  for (Index q = 0; q < shape.d; q += 8) {
    const auto mask = static_cast<__mmask8>(shape.d - q >= 8 ? 0xff : (1 << (shape.d - q)) - 1);
    const __m512d scale = _mm512_maskz_loadu_pd(mask, inverse + q);
    const __m512d value = load_eight(x + q, mask);
    if (!shape.weighted()) {
      move_limbs_avx512(value, scale, mask, quanta, from, to, q);
      continue;
    }
    const __m512d weight = _mm512_set1_pd(w), product = _mm512_mul_pd(weight, value);
    const __m512d lost = _mm512_fmsub_pd(weight, value, product);  // what the product's rounding lost
    move_limbs_avx512(product, scale, mask, quanta, from, to, q);
    move_limbs_avx512(lost, scale, mask, quanta, from, to, q);
  }
  if (shape.weighted())
    move_limbs_avx512(_mm512_set1_pd(w), _mm512_set1_pd(inverse[shape.d]), 1, quanta, from, to, shape.d);
}

/// Added to an integer below 2^51 in magnitude, it leaves that in the last bits, which are worth 1 and up.
inline constexpr double integer_shift = 0x1.8p52;
inline constexpr int most_shifted_bits = 50;

/// The integer of a sum with integer_shift.
[[gnu::always_inline]] LLOYD_TARGET("avx2,fma") inline __m256i shifted_integers(__m256d sum) {
  return _mm256_sub_epi64(_mm256_castpd_si256(sum), _mm256_castpd_si256(_mm256_set1_pd(integer_shift)));
}
/// Integers, below 2^62 in magnitude, that doubles hold, by halves.
[[gnu::always_inline]] LLOYD_TARGET("avx2,fma") inline __m256i integers_of(__m256d whole) {
  const __m256d shift = _mm256_set1_pd(integer_shift);
  const __m256d high =
      _mm256_round_pd(_mm256_mul_pd(whole, _mm256_set1_pd(0x1p-32)), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  const __m256d low = _mm256_fnmadd_pd(high, _mm256_set1_pd(0x1p32), whole);  // exact
  return _mm256_add_epi64(_mm256_slli_epi64(shifted_integers(_mm256_add_pd(high, shift)), 32),
                          shifted_integers(_mm256_add_pd(low, shift)));
}

[[gnu::always_inline]] LLOYD_TARGET("avx2,fma") inline void change_four(std::int64_t* from, std::int64_t* to,
                                                                        Index place, __m256i whole, int count) {
  if (count < 4) {  // one by one, as above
    alignas(32) std::int64_t each[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(each), whole);
    for (int q = 0; q < count; ++q) change(from, to, place + q, each[q]);
    return;
  }
  if (from != nullptr) {
    auto* const at = reinterpret_cast<__m256i*>(from + place);
    _mm256_storeu_si256(at, _mm256_sub_epi64(_mm256_loadu_si256(at), whole));
  }
  if (to != nullptr) {
    auto* const at = reinterpret_cast<__m256i*>(to + place);
    _mm256_storeu_si256(at, _mm256_add_epi64(_mm256_loadu_si256(at), whole));
  }
}

/// Cuts four terms into limbs, as move_limbs_avx512 does eight. Mostly they are whole multiples of the first quantum.
[[gnu::always_inline]] LLOYD_TARGET("avx2,fma") inline void move_limbs_avx2(__m256d term, __m256d inverse, int count,
                                                                            const detail::Quanta& quanta,
                                                                            std::int64_t* from, std::int64_t* to,
                                                                            Index place) {
  __m256d v = _mm256_mul_pd(term, inverse);  // exact: powers of two
  if (quanta.bits <= most_shifted_bits) {
    const __m256d shift = _mm256_set1_pd(integer_shift), sum = _mm256_add_pd(v, shift);
    if (_mm256_movemask_pd(_mm256_cmp_pd(v, _mm256_sub_pd(sum, shift), _CMP_NEQ_UQ)) == 0)
      return change_four(from, to, place, shifted_integers(sum), count);
  }
  const __m256d radix = _mm256_set1_pd(static_cast<double>(std::int64_t{1} << quanta.bits));
  for (int l = 0; l < quanta.limbs && _mm256_movemask_pd(_mm256_cmp_pd(v, _mm256_setzero_pd(), _CMP_NEQ_UQ)) != 0;
       ++l, place += quanta.columns()) {
    const __m256d whole = l == quanta.limbs - 1 ? _mm256_round_pd(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
                                                : _mm256_round_pd(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    change_four(from, to, place, integers_of(whole), count);
    v = _mm256_mul_pd(_mm256_sub_pd(v, whole), radix);  // exact
  }
}

/// The first `count` of four values; zeros in the others, whose memory is not touched.
[[gnu::always_inline]] LLOYD_TARGET("avx2,fma") inline __m256d load_four(const double* x, int count) {
  if (count == 4) return _mm256_loadu_pd(x);
  const __m256i lane = _mm256_setr_epi64x(0, 1, 2, 3);
  return _mm256_maskload_pd(x, _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), lane));
}
[[gnu::always_inline]] LLOYD_TARGET("avx2,fma") inline __m256d load_four(const float* x, int count) {
  if (count == 4) return _mm256_cvtps_pd(_mm_loadu_ps(x));
  const __m128i lane = _mm_setr_epi32(0, 1, 2, 3);
  return _mm256_cvtps_pd(_mm_maskload_ps(x, _mm_cmpgt_epi32(_mm_set1_epi32(count), lane)));
}

template <Real T>
LLOYD_TARGET("avx2,fma")
void move_row_avx2(const T* x, double w, const detail::SumsShape& shape, const detail::Quanta& quanta,
                   std::int64_t* from, std::int64_t* to) {
  const double* inverse = quanta.inverse.data();
  for (Index q = 0; q < shape.d; q += 4) {
    const auto count = static_cast<int>(shape.d - q < 4 ? shape.d - q : 4);
    const __m256d scale = load_four(inverse + q, count), value = load_four(x + q, count);
    if (!shape.weighted()) {
      move_limbs_avx2(value, scale, count, quanta, from, to, q);
      continue;
    }
    const __m256d weight = _mm256_set1_pd(w), product = _mm256_mul_pd(weight, value);
    move_limbs_avx2(product, scale, count, quanta, from, to, q);
    move_limbs_avx2(_mm256_fmsub_pd(weight, value, product), scale, count, quanta, from, to, q);
  }
  if (shape.weighted())
    move_limbs_avx2(_mm256_set1_pd(w), _mm256_set1_pd(inverse[shape.d]), 1, quanta, from, to, shape.d);
}

#endif

/// The one for an instruction set that this machine has.
template <Real T>
[[nodiscard]] MoveRowFunction<T> move_row_function(Isa isa) {
#if LLOYD_X86
  if (isa >= Isa::avx512) return &move_row_avx512<T>;
  if (isa == Isa::avx2) return &move_row_avx2<T>;
#endif
  (void)isa;
  return &move_row_portable<T>;
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
