// SPDX-License-Identifier: MIT
/// @file
/// The last step of every exact sum: an integer of any length becomes a float or a double, rounded once.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// The exponent of the lowest bit that a T can hold: 2^-149 or 2^-1074.
template <Real T>
inline constexpr int lowest_bit = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;

/// (top + some fraction if `sticky`) * 2^exponent, rounded to the nearest T, ties to even. Bit 63 of `top` is set.
template <Real T>
[[nodiscard]] constexpr T round_to(std::uint64_t top, bool sticky, int exponent) {
  const int last = (std::max)(exponent + 64 - std::numeric_limits<T>::digits, lowest_bit<T>);
  const int shift = last - exponent;  // bits of `top` below the last one kept, at least 11
  if (shift > 64) return 0;           // below half the smallest subnormal
  std::uint64_t kept = shift == 64 ? 0 : top >> shift;
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const std::uint64_t rest = shift == 64 ? top : top & (half + (half - 1));
  if (rest > half || (rest == half && (sticky || kept % 2 == 1))) ++kept;
  return std::ldexp(static_cast<T>(kept), last);
}

/// floor(log2 |x|) of a finite x != 0, subnormals included, read from the bits.
[[nodiscard]] constexpr int exponent_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x) & ~(std::uint64_t{1} << 63);
  const int biased = static_cast<int>(bits >> 52);
  return biased != 0 ? biased - 1023 : 63 - std::countl_zero(bits) - 1074;
}

/// The exponent of the lowest bit set in a finite x != 0.
[[nodiscard]] constexpr int lowest_set_bit(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x) & ~(std::uint64_t{1} << 63);
  const int biased = static_cast<int>(bits >> 52);
  const auto mantissa = (bits & ((std::uint64_t{1} << 52) - 1)) | (biased != 0 ? std::uint64_t{1} << 52 : 0);
  return (std::max)(biased, 1) - 1075 + std::countr_zero(mantissa);
}

/// 2^e as a double: 0 below -1074, infinite above 1023.
[[nodiscard]] constexpr double power_of_two(int e) {
  constexpr int least_normal = -1022, lowest = -1074;
  if (e >= least_normal) return std::bit_cast<double>(static_cast<std::uint64_t>((std::min)(e, 1024) + 1023) << 52);
  return e < lowest ? 0 : std::bit_cast<double>(std::uint64_t{1} << (e - lowest));
}

/// The least e with 2^e >= n, n >= 1.
[[nodiscard]] constexpr int ceil_log2(Index n) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n) - 1));
}

}  // namespace lloyd::inline LLOYD_ABI::detail
