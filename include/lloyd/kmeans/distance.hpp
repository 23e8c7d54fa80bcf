// SPDX-License-Identifier: MIT
/// @file
/// D(x, c): the one squared distance that labels, seeding, relocation, inertia and transform use. It is a number with
/// a fixed sequence of roundings, so every backend, compiler and instruction set gets the same bits.
#pragma once

#include <cfloat>
#include <cmath>

#include "lloyd/matrix.hpp"

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "lloyd: -ffast-math is not supported: exact labels need IEEE arithmetic (and NaN must be found)"
#endif
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "lloyd: -funsafe-math-optimizations, -fassociative-math and -freciprocal-math are not supported"
#endif
#if FLT_EVAL_METHOD != 0
#error "lloyd: FLT_EVAL_METHOD must be 0: each operation has to round to its own type (on x86: -mfpmath=sse)"
#endif

namespace lloyd::inline LLOYD_ABI::detail {

/// The eight partial sums of D, added pairwise.
[[nodiscard]] constexpr double sum_lanes(const double* lane) {
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/// D(x, c) over d columns: t = x_q - c_q in double, lane q mod 8 takes fma(t, t, lane), q ascending, lanes pairwise.
/// The fma is written out: contraction left to a compiler changes the bits.
template <Real T>
[[nodiscard]] constexpr double distance(const T* x, const T* c, Index d) {
  double lane[8] = {};
  for (Index q = 0; q < d; ++q) {
    const double t = static_cast<double>(x[q]) - static_cast<double>(c[q]);
    lane[q % 8] = std::fma(t, t, lane[q % 8]);
  }
  return sum_lanes(lane);
}

}  // namespace lloyd::inline LLOYD_ABI::detail
