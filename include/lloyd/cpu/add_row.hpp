// SPDX-License-Identifier: MIT
/// @file
/// S_j += sign w x, as integers, eight columns at a time where the instruction set converts between doubles and 64-bit
/// integers.
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

#endif

/// The one for an instruction set that this machine has.
template <Real T>
[[nodiscard]] AddRowFunction<T> add_row_function(Isa isa) {
#if LLOYD_X86
  if (isa >= Isa::avx512) return &add_row_avx512<T>;
#endif
  (void)isa;
  return &add_row_portable<T>;
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
