// SPDX-License-Identifier: MIT
/// @file
/// The mean of a cluster in float: one division in double decides nearly every rounding, 128-bit integers the others.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "lloyd/kmeans/quotient.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

__extension__ using Int128 = __int128;

/// Sums over one weight, which is positive, rounded to T: detail::quotient, sooner for float.
template <Real T>
class QuickQuotient {
 public:
  explicit QuickQuotient(const detail::LimbSum& weight) : weight_(weight), whole_(weight) {}

  [[nodiscard]] T of(const detail::LimbSum& sum) const {
    if constexpr (std::same_as<T, float>) {
      if (whole_.about > 0 && whole_.about < most_weight && sum.limbs <= 2) return rounded(sum);
    }
    return detail::quotient<T>(sum, weight_);
  }

 private:
  static constexpr double most_weight = 0x1p100;

  /// One or two limbs (of others nothing is known) as one integer, in units of the last limb's quantum, and about.
  struct Whole {
    Int128 value = 0;
    double about = 0;  ///< relative error below 2^-51
    int exponent = 0;  ///< of the quantum

    explicit Whole(const detail::LimbSum& sum) {
      if (sum.limbs > 2) return;
      exponent = sum.exponent - sum.bits * (sum.limbs - 1);
      value = sum[0];
      about = static_cast<double>(sum[0]);
      if (sum.limbs == 1) return;
      value = value * (Int128{1} << sum.bits) + sum[1];
      // the second limb is carried to -1/2 .. 1/2 of the first, so that nothing cancels
      const std::int64_t radix = std::int64_t{1} << sum.bits, carry = (sum[1] + radix / 2) >> sum.bits;
      about = static_cast<double>(sum[0] + carry) * static_cast<double>(radix) +
              static_cast<double>(sum[1] - carry * radix);
    }
  };

  [[nodiscard]] float rounded(const detail::LimbSum& sum) const {
    const Whole n(sum);
    if (n.value == 0) return 0;
    const double quotient = n.about / whole_.about * detail::power_of_two(n.exponent - whole_.exponent);
    const double size = std::fabs(quotient), slack = size * 0x1p-48;
    if (!(size > 0x1p-120 && size < 0x1p120)) return detail::quotient<float>(sum, weight_);
    const auto low = static_cast<float>(quotient - slack), high = static_cast<float>(quotient + slack);
    return low == high ? low : nearer(n, low, high);
  }

  /// Of two neighbours, about midway between which the quotient lies. Compared with the midpoint, 25 bits wide, times
  /// the weight, below 2^101: as both are about equal, neither passes 2^127.
  [[nodiscard]] float nearer(const Whole& n, float low, float high) const {
    int exponent = 0;
    const double middle = std::frexp((static_cast<double>(low) + static_cast<double>(high)) / 2, &exponent);
    Int128 left = n.value, right = static_cast<std::int64_t>(middle * 0x1p25) * whole_.value;
    const int shift = exponent - 25 + whole_.exponent - n.exponent;
    (shift > 0 ? right : left) *= Int128{1} << std::abs(shift);
    if (left == right) return (std::bit_cast<std::uint32_t>(low) & 1) == 0 ? low : high;
    return left < right ? low : high;
  }

  detail::LimbSum weight_;
  Whole whole_;
};

}  // namespace lloyd::inline LLOYD_ABI::cpu
