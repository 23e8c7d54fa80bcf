// SPDX-License-Identifier: MIT
/// @file
/// Exact numbers for judging sums and means: a fixed-point integer that holds sums of products of any doubles. It
/// shares nothing with the library's sums.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "lloyd/matrix.hpp"

namespace lloyd::test {

__extension__ using Wide = unsigned __int128;

/// sum of words[k] 2^(32 k - 2176): the product of two doubles is a multiple of 2^-2148 and below 2^2048. Up to 2^29
/// terms may be added.
class Exact {
 public:
  /// this += a * b
  void add(double a, double b = 1) { add_at(0, a, b); }

  /// this += factor * other
  void add_scaled(Exact other, double factor) {
    other.normalise();
    for (std::size_t k = 0; k < other.words_.size(); ++k)
      if (other.words_[k] != 0) add_at(32 * static_cast<int>(k) - lowest, static_cast<double>(other.words_[k]), factor);
  }

  /// -1, 0 or 1.
  [[nodiscard]] int sign() const {
    Exact copy = *this;
    copy.normalise();
    for (std::size_t k = copy.words_.size(); k-- > 0;)
      if (copy.words_[k] != 0) return copy.words_[k] < 0 ? -1 : 1;
    return 0;
  }

 private:
  static constexpr int lowest = 2176;

  /// this += a * b * 2^shift
  void add_at(int shift, double a, double b) {
    if (a == 0 || b == 0) return;
    int ea = 0, eb = 0;
    const auto ma = static_cast<std::int64_t>(std::ldexp(std::frexp(a, &ea), 53));
    const auto mb = static_cast<std::int64_t>(std::ldexp(std::frexp(b, &eb), 53));
    const bool negative = (ma < 0) != (mb < 0);
    const auto size = [](std::int64_t m) { return static_cast<Wide>(m < 0 ? -m : m); };
    Wide product = size(ma) * size(mb);
    int position = ea + eb - 106 + shift + lowest;
    // Subnormals have zeros at the end of the mantissa instead of bits below the lowest word.
    for (; position < 0; ++position) product >>= 1;
    const auto first = static_cast<std::size_t>(position / 32);
    const int inside = position % 32;
    // 32 bits at a time, each shifted into two words: no word gains more than 2^33.
    for (std::size_t k = first; product != 0; ++k, product >>= 32) {
      const std::uint64_t part = static_cast<std::uint64_t>(product & 0xffffffffU) << inside;
      words_.at(k) += (negative ? -1 : 1) * static_cast<std::int64_t>(part & 0xffffffffU);
      words_.at(k + 1) += (negative ? -1 : 1) * static_cast<std::int64_t>(part >> 32);
    }
  }

  /// Words but the last become 0 .. 2^32 - 1; the last has the sign.
  void normalise() {
    for (std::size_t k = 0; k + 1 < words_.size(); ++k) {
      const std::int64_t carry = words_[k] >> 32;  // rounds down
      words_[k] -= carry * (std::int64_t{1} << 32);
      words_[k + 1] += carry;
    }
    // A negative number has its sign in the last word and may have positive words below it; flip to the magnitude.
    if (words_.back() < 0) {
      for (auto& word : words_) word = -word;
      for (std::size_t k = 0; k + 1 < words_.size(); ++k) {
        const std::int64_t carry = words_[k] >> 32;
        words_[k] -= carry * (std::int64_t{1} << 32);
        words_[k + 1] += carry;
      }
      for (auto& word : words_) word = -word;
    }
  }

  std::array<std::int64_t, 136> words_{};
};

/// Whether `value` is sum / weight rounded once to T: to nearest, ties to even. `weight` is positive.
template <Real T>
[[nodiscard]] bool is_rounded_quotient(T value, const Exact& sum, const Exact& weight) {
  if (!std::isfinite(value)) return false;
  // sum lies between the midpoints of value and its two neighbours: the sign of 2 sum - weight (value + neighbour).
  const auto beyond = [&](T neighbour) {
    Exact rest;
    rest.add_scaled(sum, 2);
    rest.add_scaled(weight, -static_cast<double>(value));
    rest.add_scaled(weight, -static_cast<double>(neighbour));
    return rest.sign();
  };
  const T up = std::nextafter(value, std::numeric_limits<T>::infinity());
  const T down = std::nextafter(value, -std::numeric_limits<T>::infinity());
  const int above = std::isfinite(up) ? beyond(up) : -1;
  const int below = std::isfinite(down) ? beyond(down) : 1;
  if (above > 0 || below < 0) return false;
  if (above < 0 && below > 0) return true;
  int exponent = 0;  // a tie: the last bit of the mantissa must be 0
  const double mantissa = std::frexp(static_cast<double>(value), &exponent);
  const int digits = std::min(std::numeric_limits<T>::digits,
                              exponent - std::numeric_limits<T>::min_exponent + std::numeric_limits<T>::digits);
  return std::fmod(std::ldexp(mantissa, digits), 2) == 0;
}

/// Whether `value` is the sum rounded once.
[[nodiscard]] inline bool is_rounded(double value, const Exact& sum) {
  Exact one;
  one.add(1);
  return is_rounded_quotient(value, sum, one);
}

/// The double that is_rounded accepts: halving the candidates, which stand in order by their bits.
[[nodiscard]] inline double nearest_double(const Exact& sum) {
  const int sign = sum.sign();
  if (sign == 0) return 0;
  std::uint64_t low = 0, high = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::max());
  while (low < high) {  // the greatest double not beyond |sum|
    const std::uint64_t middle = low + (high - low + 1) / 2;
    Exact rest = sum;
    rest.add(-sign * std::bit_cast<double>(middle));
    if (rest.sign() * sign >= 0)
      low = middle;
    else
      high = middle - 1;
  }
  const double below = sign * std::bit_cast<double>(low), above = sign * std::bit_cast<double>(low + 1);
  return is_rounded(below, sum) ? below : above;
}

}  // namespace lloyd::test
