// SPDX-License-Identifier: MIT
/// @file
/// The mean of a cluster: a quotient of two exact sums, rounded once, correctly.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "lloyd/kmeans/rounding.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// The value q_0 * sum_l limb[l * stride] 2^(-bits l), q_0 = 2^exponent.
struct LimbSum {
  const std::int64_t* limb;
  Index stride;
  int limbs, bits, exponent;

  [[nodiscard]] constexpr std::int64_t operator[](int l) const { return limb[l * stride]; }
};

/// A 512-bit integer, enough for six limbs of 61 bits and a common alignment of two of them. Its words are named one by
/// one, never by a variable, so that a device keeps them in registers.
class WideInt {
 public:
  /// |sum| in units of its last limb's quantum.
  explicit constexpr WideInt(const LimbSum& sum) {
    for (int l = 0; l < sum.limbs; ++l) {
      if (l > 0) shift_left(sum.bits);
      add(sum[l]);
    }
    negative_ = (word_.back() >> 63) != 0;
    if (negative_) {
      upwards([&](std::size_t i) { word_[i] = ~word_[i]; });
      add(1);
    }
  }

  [[nodiscard]] constexpr bool negative() const { return negative_; }
  [[nodiscard]] constexpr int bit_length() const {
    int length = 0;
    upwards([&](std::size_t i) {
      if (word_[i] != 0) length = static_cast<int>(64 * i) + static_cast<int>(std::bit_width(word_[i]));
    });
    return length;
  }

  constexpr void shift_left(int count) {
    for (; count >= 64; count -= 64) downwards([&](std::size_t i) { word_[i] = i > 0 ? word_[i - 1] : 0; });
    if (count == 0) return;
    downwards([&](std::size_t i) { word_[i] = word_[i] << count | (i > 0 ? word_[i - 1] >> (64 - count) : 0); });
  }

  /// Subtracts `other` if it is not greater; tells whether it did.
  constexpr bool subtract_if_not_less(const WideInt& other) {
    std::array<std::uint64_t, words> difference{};
    std::uint64_t borrow = 0;
    upwards([&](std::size_t i) {
      const std::uint64_t less = word_[i] - other.word_[i];
      difference[i] = less - borrow;
      borrow = static_cast<std::uint64_t>(word_[i] < other.word_[i] || less < borrow);
    });
    if (borrow == 0) word_ = difference;
    return borrow == 0;
  }

 private:
  static constexpr std::size_t words = 8;

  /// Calls use(0), use(1), ... with constants.
  template <class Use, std::size_t... I>
  static constexpr void each(const Use& use, std::index_sequence<I...> /*words*/) {
    (use(I), ...);
  }
  template <class Use>
  static constexpr void upwards(const Use& use) {
    each(use, std::make_index_sequence<words>());
  }
  template <class Use>
  static constexpr void downwards(const Use& use) {
    upwards([&](std::size_t i) { use(words - 1 - i); });
  }

  constexpr void add(std::int64_t value) {  // two's complement
    const std::uint64_t extension = value < 0 ? ~std::uint64_t{0} : 0;
    std::uint64_t carry = 0;
    upwards([&](std::size_t i) {
      const std::uint64_t part = i == 0 ? static_cast<std::uint64_t>(value) : extension;
      const std::uint64_t sum = word_[i] + part;
      word_[i] = sum + carry;
      carry = static_cast<std::uint64_t>(sum < part || word_[i] < carry);
    });
  }

  std::array<std::uint64_t, words> word_{};
  bool negative_ = false;
};

/// sum / weight rounded to T, by long division of integers: the definition. `weight` is positive.
template <Real T>
[[nodiscard]] constexpr T exact_quotient(const LimbSum& sum, const LimbSum& weight) {
  WideInt n(sum), m(weight);
  const int n_bits = n.bit_length(), m_bits = m.bit_length();
  if (n_bits == 0) return 0;
  if (n_bits >= m_bits) m.shift_left(n_bits - m_bits);
  if (n_bits < m_bits) n.shift_left(m_bits - n_bits);
  // Now 1/2 < n/m < 2: the first or the second quotient bit is set, and 64 bits follow from there.
  std::uint64_t top = 0;
  int produced = 0;
  for (; (top >> 63) == 0; ++produced) {
    top = top << 1 | static_cast<std::uint64_t>(n.subtract_if_not_less(m));
    n.shift_left(1);
  }
  const int exponent = n_bits - m_bits - (produced - 1) + (sum.exponent - sum.bits * (sum.limbs - 1)) -
                       (weight.exponent - weight.bits * (weight.limbs - 1));
  const T magnitude = round_to<T>(top, n.bit_length() != 0, exponent);
  return n.negative() ? -magnitude : magnitude;
}

/// An unevaluated sum of two doubles.
struct DoubleDouble {
  double high, low;
};

[[nodiscard]] constexpr DoubleDouble two_sum(double a, double b) {
  const double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

/// sum / q_0 with a relative error below 2^-98: limbs are carried to -1/2 .. 1/2 of the one before, and added from the
/// last, so nothing cancels.
[[nodiscard]] constexpr DoubleDouble approximate(const LimbSum& sum) {
  const double step = 1 / static_cast<double>(std::int64_t{1} << sum.bits);
  DoubleDouble total{0, 0};
  std::int64_t carry = 0;
  for (int l = sum.limbs; l-- > 0;) {
    std::int64_t whole = sum[l] + carry;
    carry = l > 0 ? (whole + (std::int64_t{1} << (sum.bits - 1))) >> sum.bits : 0;
    whole -= carry * (std::int64_t{1} << sum.bits);
    const auto high = static_cast<double>(whole);
    const auto low = static_cast<double>(whole - static_cast<std::int64_t>(high));
    const DoubleDouble a = two_sum(high, total.high * step), b = two_sum(low, total.low * step);
    const DoubleDouble c = two_sum(a.high, a.low + b.high);
    total = two_sum(c.high, c.low + b.low);
  }
  return total;
}

/// sum / weight rounded to T: in two doubles where their error cannot change the rounding (Ziv's test), else by
/// exact_quotient. `weight` is positive.
template <Real T>
[[nodiscard]] constexpr T quotient(const LimbSum& sum, const LimbSum& weight) {
  const DoubleDouble n = approximate(sum), m = approximate(weight);
  if (n.high == 0) return 0;
  const double q = n.high / m.high;
  const double rest = std::fma(-q, m.high, n.high) + (n.low - q * m.low);
  const DoubleDouble result = two_sum(q, rest / m.high);
  const double scale = power_of_two(sum.exponent - weight.exponent);
  const double error = std::fabs(result.high) * 0x1p-88;  // far above the 2^-96 that the operations lose
  const double least = (result.high + (result.low - error)) * scale,
               most = (result.high + (result.low + error)) * scale;
  const bool normal = std::fabs(least) > 0x1p-960 && std::fabs(most) > 0x1p-960;
  if constexpr (std::same_as<T, double>) {
    if (normal && least == most) return least;
  } else {
    const double slack = std::fabs(least) * 0x1p-50;
    const auto low = static_cast<float>(least - slack), high = static_cast<float>(most + slack);
    if (normal && low == high) return low;
  }
  return exact_quotient<T>(sum, weight);
}

}  // namespace lloyd::inline LLOYD_ABI::detail
