// SPDX-License-Identifier: MIT
/// @file
/// A sum of doubles without any rounding, for quantities of one term a row (inertia, potentials, scatter).
/// @see Neal (2015), Fast exact summation using small and large superaccumulators, arXiv:1505.05571.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "lloyd/kmeans/rounding.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::detail {

/// An exponent-indexed accumulator: bin k holds multiples of 2^(32 k - 1074) in a 64-bit integer, so any finite
/// double is added as three integers and needs no scale. Adding bins of two accumulators adds the sums, in any order:
/// the value never depends on order, threads or ranks. What is not finite is counted, and decides the value.
class ExactSum {
 public:
  static constexpr std::size_t bins = 68;  // 2^1024 at bit 2098, and 2^77 terms above it

  constexpr void add(double x) { is_finite(x) ? deposit(x, 1) : count(x, 1); }
  constexpr void subtract(double x) { is_finite(x) ? deposit(x, -1) : count(x, -1); }

  /// Adds sign * w * x exactly: the rounded product and what its rounding lost (exact unless that underflows). A weight
  /// of 0 adds nothing, whatever x.
  constexpr void add_product(double w, double x, std::int64_t sign = 1) {
    const double product = w * x;
    if (!is_finite(product)) {
      if (w != 0) count(product, sign);
      return;
    }
    deposit(product, sign);
    const double lost = std::fma(w, x, -product);
    if (lost != 0) deposit(lost, sign);
  }

  constexpr void merge(const ExactSum& other) {
    if (pending_ + other.pending_ > most_pending) {
      carry();
      ExactSum carried = other;
      carried.carry();
      merge(carried);
      return;
    }
    for (std::size_t k = 0; k < bin_.size(); ++k) bin_[k] += other.bin_[k];
    pending_ += other.pending_;
  }

  /// The bins and counts for an exchange between ranks, carried so that 2^30 ranks may add them.
  [[nodiscard]] constexpr std::span<std::int64_t> exchange() {
    carry();
    return bin_;
  }

  /// The sum, rounded once to the nearest double, ties to even. Infinite where infinities of one sign were added, NaN
  /// where those of both were, or a NaN.
  [[nodiscard]] constexpr double value() const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const bool up = bin_[bins] != 0, down = bin_[bins + 1] != 0;
    if (up || down) return up && down ? std::numeric_limits<double>::quiet_NaN() : up ? infinity : -infinity;
    ExactSum sum = *this;
    sum.carry();
    const bool negative = sum.bin_[bins - 1] < 0;
    if (negative) {
      for (std::size_t k = 0; k < bins; ++k) sum.bin_[k] = -sum.bin_[k];
      sum.carry();
    }
    std::size_t high = bins;
    while (high > 0 && sum.bin_[high - 1] == 0) --high;
    if (high == 0) return 0;
    const auto word = [&](std::size_t below) {  // the bin `below` places under the highest one in use
      return high > below ? static_cast<std::uint64_t>(sum.bin_[high - 1 - below]) : 0;
    };
    // 32-bit bins high-1, high-2, high-3 shifted up to 64 bits; the rest only tells whether anything is left.
    const int shift = std::countl_zero(word(0)) - 32;
    const std::uint64_t third = word(2) << shift;
    const std::uint64_t top = (word(0) << 32 | word(1)) << shift | third >> 32;
    bool sticky = (third & 0xffffffffU) != 0;
    for (std::size_t k = 0; k + 3 < high && !sticky; ++k) sticky = sum.bin_[k] != 0;
    const double magnitude = round_to<double>(top, sticky, 32 * static_cast<int>(high) - 64 - 1074 - shift);
    return negative ? -magnitude : magnitude;
  }

 private:
  static constexpr std::uint64_t inf_bits = std::uint64_t{0x7ff} << 52;
  static constexpr std::int64_t most_pending = std::int64_t{1} << 29;  // each term adds less than 2^33 to a bin

  [[nodiscard]] static constexpr bool is_finite(double x) {
    return (std::bit_cast<std::uint64_t>(x) & inf_bits) != inf_bits;  // by bits: no compiler option can drop it
  }

  /// Counts an infinity by its sign; a NaN as one of each.
  constexpr void count(double x, std::int64_t sign) {
    const double signed_x = sign < 0 ? -x : x;
    if (!(signed_x < 0)) ++bin_[bins];
    if (!(signed_x > 0)) ++bin_[bins + 1];
  }

  constexpr void deposit(double x, std::int64_t sign) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto biased = static_cast<unsigned>(bits >> 52 & 0x7ff);
    const std::uint64_t mantissa = (bits & 0xfffffffffffffU) | (biased != 0 ? std::uint64_t{1} << 52 : 0);
    const unsigned position = biased != 0 ? biased - 1 : 0;  // of the lowest mantissa bit, from 2^-1074
    const unsigned shift = position % 32;
    const std::uint64_t low = (mantissa & 0xffffffffU) << shift, high = (mantissa >> 32) << shift;
    const std::int64_t s = (bits >> 63) != 0 ? -sign : sign;
    std::int64_t* bin = bin_.data() + position / 32;
    bin[0] += s * static_cast<std::int64_t>(low & 0xffffffffU);
    bin[1] += s * static_cast<std::int64_t>((low >> 32) + (high & 0xffffffffU));
    bin[2] += s * static_cast<std::int64_t>(high >> 32);
    if (++pending_ >= most_pending) carry();
  }

  /// Leaves every bin but the last in 0 .. 2^32 - 1.
  constexpr void carry() {
    for (std::size_t k = 0; k + 1 < bins; ++k) {
      const std::int64_t up = bin_[k] >> 32;
      bin_[k] -= up * (std::int64_t{1} << 32);
      bin_[k + 1] += up;
    }
    pending_ = 1;
  }

  std::array<std::int64_t, bins + 2> bin_{};  // the last two: infinities above and below
  std::int64_t pending_ = 0;
};

}  // namespace lloyd::detail
