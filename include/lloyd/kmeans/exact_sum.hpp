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

namespace lloyd::inline LLOYD_ABI::detail {

/// An exponent-indexed accumulator: bin k holds multiples of 2^(32 k - 1074) in a 64-bit integer, so any finite
/// double is added as three integers and needs no scale. Adding bins of two accumulators adds the sums, in any order:
/// the value never depends on order, threads or ranks. What is not finite is counted, and decides the value.
class ExactSum {
 public:
  static constexpr std::size_t bins = 68;  // 2^1024 at bit 2098, and 2^77 terms above it

  constexpr void add(double x) { deposit(x, 1); }
  constexpr void subtract(double x) { deposit(x, -1); }

  /// Adds sign * w * x exactly. A weight of 0 adds nothing, whatever x.
  constexpr void add_product(double w, double x, std::int64_t sign = 1) {
    for_each_term_of_product(w, x, [&](double term) { deposit(term, sign); });
  }

  /// Hands w * x to `add(term)`: the rounded product and what its rounding lost (exact unless that underflows).
  template <class Add>
  static constexpr void for_each_term_of_product(double w, double x, const Add& add) {
    const double product = w * x;
    if (is_finite(product)) {
      add(product);
      const double lost = std::fma(w, x, -product);
      if (lost != 0) add(lost);
    } else if (w != 0) {
      add(product);
    }
  }

  /// Hands every integer that sign * x adds to `add(bin, integer)`, each below 2^33; what is not finite is counted in
  /// the last two bins, an infinity by its sign, a NaN as one of each.
  template <class Add>
  static constexpr void for_each_integer(double x, std::int64_t sign, const Add& add) {
    if (!is_finite(x)) {
      const double signed_x = sign < 0 ? -x : x;
      if (!(signed_x < 0)) add(bins, 1);
      if (!(signed_x > 0)) add(bins + 1, 1);
      return;
    }
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto biased = static_cast<unsigned>(bits >> 52 & 0x7ff);
    const std::uint64_t mantissa = (bits & 0xfffffffffffffU) | (biased != 0 ? std::uint64_t{1} << 52 : 0);
    const unsigned position = biased != 0 ? biased - 1 : 0;  // of the lowest mantissa bit, from 2^-1074
    const unsigned shift = position % 32, bin = position / 32;
    const std::uint64_t low = (mantissa & 0xffffffffU) << shift, high = (mantissa >> 32) << shift;
    const std::int64_t s = (bits >> 63) != 0 ? -sign : sign;
    add(bin, s * static_cast<std::int64_t>(low & 0xffffffffU));
    add(bin + 1, s * static_cast<std::int64_t>((low >> 32) + (high & 0xffffffffU)));
    add(bin + 2, s * static_cast<std::int64_t>(high >> 32));
  }

  /// Carries `bin`, the bins of a sum: leaves every one but the last in 0 .. 2^32 - 1.
  static constexpr void carry_bins(std::int64_t* bin) {
    for (std::size_t k = 0; k + 1 < bins; ++k) {
      const std::int64_t up = bin[k] >> 32;
      bin[k] -= up * (std::int64_t{1} << 32);
      bin[k + 1] += up;
    }
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

  /// Adds bins and counts of exchange(), or sums of up to 2^29 such.
  constexpr void add_exchanged(std::span<const std::int64_t> other) {
    carry();
    for (std::size_t k = 0; k < bin_.size(); ++k) bin_[k] += other[k];
    carry();
  }

  /// The bins and counts for an exchange between ranks, carried so that 2^30 ranks may add them.
  [[nodiscard]] constexpr std::span<std::int64_t> exchange() {
    carry();
    return bin_;
  }

  /// The sum times 2^power, rounded once to the nearest double, ties to even. Infinite where infinities of one sign
  /// were added, NaN where those of both were, or a NaN.
  [[nodiscard]] constexpr double value(int power = 0) const {
    std::array<std::int64_t, bins + 2> copy = bin_;
    return value_of(copy.data(), power);
  }
  /// The same of bins and counts, which are changed.
  [[nodiscard]] static constexpr double value_of(std::int64_t* bin, int power = 0) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const bool up = bin[bins] != 0, down = bin[bins + 1] != 0;
    if (up || down) return up && down ? std::numeric_limits<double>::quiet_NaN() : up ? infinity : -infinity;
    carry_bins(bin);
    const bool negative = bin[bins - 1] < 0;
    if (negative) {
      for (std::size_t k = 0; k < bins; ++k) bin[k] = -bin[k];
      carry_bins(bin);
    }
    std::size_t high = bins;
    while (high > 0 && bin[high - 1] == 0) --high;
    if (high == 0) return 0;
    const auto word = [&](std::size_t below) {  // the bin `below` places under the highest one in use
      return high > below ? static_cast<std::uint64_t>(bin[high - 1 - below]) : 0;
    };
    // 32-bit bins high-1, high-2, high-3 shifted up to 64 bits; the rest only tells whether anything is left.
    const int shift = std::countl_zero(word(0)) - 32;
    const std::uint64_t third = word(2) << shift;
    const std::uint64_t top = (word(0) << 32 | word(1)) << shift | third >> 32;
    bool sticky = (third & 0xffffffffU) != 0;
    for (std::size_t k = 0; k + 3 < high && !sticky; ++k) sticky = bin[k] != 0;
    const int exponent = 32 * static_cast<int>(high) - 64 - 1074 - shift + power;
    const double magnitude = round_to<double>(top, sticky, exponent);
    return negative ? -magnitude : magnitude;
  }

 private:
  static constexpr std::uint64_t inf_bits = std::uint64_t{0x7ff} << 52;
  static constexpr std::int64_t most_pending = std::int64_t{1} << 29;  // each term adds less than 2^33 to a bin

  [[nodiscard]] static constexpr bool is_finite(double x) {
    return (std::bit_cast<std::uint64_t>(x) & inf_bits) != inf_bits;  // by bits: no compiler option can drop it
  }

  constexpr void deposit(double x, std::int64_t sign) {
    for_each_integer(x, sign, [&](std::size_t bin, std::int64_t whole) { bin_[bin] += whole; });
    if (++pending_ >= most_pending) carry();
  }

  constexpr void carry() {
    carry_bins(bin_.data());
    pending_ = 1;
  }

  std::array<std::int64_t, bins + 2> bin_{};  // the last two: infinities above and below
  std::int64_t pending_ = 0;
};

}  // namespace lloyd::inline LLOYD_ABI::detail
