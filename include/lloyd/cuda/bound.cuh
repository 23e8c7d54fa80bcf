// SPDX-License-Identifier: MIT
/// @file
/// The terms of the certificate's bound for products that come from cuBLAS. docs/numerics.md, 2, derives them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// Products are summed over so many features at a time; the parts are added afterwards.
inline constexpr Index features_per_product = 256;

[[nodiscard]] constexpr Index products_of(Index d) { return (d + features_per_product - 1) / features_per_product; }

/// How the bound is made; anything but `Sound` is a planted fault for the tests to catch.
struct Sound {
  static constexpr double factor = 1;            ///< of every term
  static constexpr bool covers_distance = true;  ///< whether the rounding of D itself is in the bound
};

/// With x' = scale (x - o), c'_j = scale (c_j - o), h_j = ||c'_j||^2 / 2, the score s_j = h_j - x'.c'_j in F is within
/// e_j = |x'| slope_j + offset_j and own = row_square |x'|^2 + row_linear |x'| + row_constant of
/// scale^2 (D(x, c_j) - ||x - o||^2) / 2, whatever the order in which the library adds.
struct BoundTerms {
  double gamma, of_d, tiny, raise;
  double row_square, row_linear, row_constant;

  [[nodiscard]] constexpr double slope(double norm) const { return ((gamma + 2 * of_d) * norm + tiny) * raise; }
  [[nodiscard]] constexpr double offset(double square) const {
    return (gamma * square / 2 + of_d * square + tiny) * raise;
  }
  [[nodiscard]] constexpr double own(double norm) const {
    return (row_square * norm + row_linear) * norm + row_constant;
  }
};

/// The terms for rows of d features. A product has at most as many roundings as it adds features, the parts one each;
/// the library may take subnormals for zero. Chains too long for F give a bound that hardly any row satisfies.
template <Real F, class Bound = Sound>
[[nodiscard]] constexpr BoundTerms bound_terms(Index d) {
  constexpr double unit = static_cast<double>(std::numeric_limits<F>::epsilon()) / 2;
  constexpr double least = std::is_same_v<F, float> ? 0x1p-123 : 0x1p-1019;
  const auto features = static_cast<double>(d);
  const auto chain = static_cast<double>((std::min)(d, features_per_product) + products_of(d));
  const double n_u = (chain + 16) * unit;
  BoundTerms terms{};
  terms.gamma = n_u < 0.25 ? n_u / (1 - n_u) : 0x1p100;
  terms.of_d = Bound::covers_distance ? (features / 8 + 8) * 0x1p-53 : 0;
  terms.tiny = features * least;
  terms.raise = Bound::factor * (1 + (chain + 64) * unit);
  terms.row_square = terms.of_d * terms.raise;
  terms.row_linear = 4 * terms.tiny * Bound::factor;
  terms.row_constant = (4 * terms.tiny + features * 0x1p-90) * Bound::factor;
  return terms;
}

/// Rows beyond it go to D: their products may overflow.
template <Real F>
inline constexpr double largest_norm = std::is_same_v<F, float> ? 0x1p60 : 0x1p400;

}  // namespace lloyd::inline LLOYD_ABI::cuda
