// SPDX-License-Identifier: MIT
/// @file
/// Sums of distances as integers: how a distance is cut in two, and what the cuts add up to.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "lloyd/kmeans/random.hpp"
#include "lloyd/kmeans/rounding.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// The quanta for distances up to a reach of 2^e: q_0 = 2^(e - bits), q_1 = 2^(e - 2 bits). A distance becomes the
/// nearest multiple of q_0, and what is left the nearest multiple of q_1, so at most q_1 / 2 is lost of each: nothing
/// of one that is 0 or above 2^(53 - 2 bits) of the reach (docs/numerics.md).
struct Cut {
  int bits = 0, exponent = 0;  ///< exponent: of q_1
  double high = 0, low = 0;    ///< 1.5 * 2^52 quanta
};

/// For sums of at most `terms` distances whose squares are at most `reach`.
[[nodiscard]] inline Cut cut_for(double reach, Index terms) {
  const int e = reach > 0 ? exponent_of(std::sqrt(reach)) + 1 : 0;
  const int bits = (std::min)(50, 61 - ceil_log2(terms));
  return {bits, e - 2 * bits, std::ldexp(1.5, 52 + e - bits), std::ldexp(1.5, 52 + e - 2 * bits)};
}

/// A sum of cut distances, modulo 2^64 each; as it is read it fits.
struct CutSum {
  std::uint64_t high = 0, low = 0;

  void add(const CutSum& other) { high += other.high, low += other.low; }

  /// The sum of distances, rounded once to the nearest double, ties to even.
  [[nodiscard]] double value(const Cut& cut) const {
    const auto signed_low = static_cast<UInt128>(static_cast<std::int64_t>(low));
    const UInt128 sum = (static_cast<UInt128>(high) << cut.bits) + signed_low;
    if (sum == 0) return 0;
    const auto upper = static_cast<std::uint64_t>(sum >> 64);
    const int length = upper != 0 ? 64 + static_cast<int>(std::bit_width(upper))
                                  : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(sum)));
    const int over = length - 64;
    if (over <= 0) return round_to<double>(static_cast<std::uint64_t>(sum) << -over, false, cut.exponent + over);
    const bool sticky = (sum & ((UInt128{1} << over) - 1)) != 0;
    return round_to<double>(static_cast<std::uint64_t>(sum >> over), sticky, cut.exponent + over);
  }
};

}  // namespace lloyd::inline LLOYD_ABI::detail
