// SPDX-License-Identifier: MIT
/// @file
/// The one look at all rows before anything else: maxima of bit patterns, so it depends on no order. It finds values
/// that are not finite, and scales the exact sums.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lloyd/kmeans/quanta.hpp"
#include "lloyd/kmeans/rounding.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// What is known of the rows. Everything is a maximum of unsigned integers, and so are its parts over tiles and ranks.
class Survey {
 public:
  static constexpr std::size_t weight_maxima = 3;  ///< the last of the maxima

  explicit Survey(Index d) : d_(d), maxima_(static_cast<std::size_t>(2 * d) + weight_maxima, 0) {}

  /// The maxima for a backend to raise and for an exchange: d patterns of the largest |x_q|, d complements of patterns
  /// of the smallest |x_q| > 0, the largest pattern of a weight (sign included), 4096 minus the exponent of the
  /// lowest bit set in any weight, and the complement of the pattern of the smallest weight > 0.
  [[nodiscard]] std::span<std::uint64_t> maxima() { return maxima_; }

  /// Raises the maxima by one value of column q; a zero is nothing.
  static void see(std::span<std::uint64_t> maxima, Index d, Index q, double value) {
    const auto pattern = std::bit_cast<std::uint64_t>(value) & ~sign_bit;
    if (pattern == 0) return;
    auto& largest = maxima[static_cast<std::size_t>(q)];
    auto& smallest = maxima[static_cast<std::size_t>(d + q)];
    if (pattern > largest) largest = pattern;
    if (~pattern > smallest) smallest = ~pattern;
  }
  /// Raises the maxima by one weight.
  static void see_weight(std::span<std::uint64_t> maxima, double w) {
    if (w == 0) return;
    const auto weights = maxima.last(weight_maxima);
    const auto pattern = std::bit_cast<std::uint64_t>(w);
    weights[0] = (std::max)(weights[0], pattern);
    weights[1] = (std::max)(weights[1], static_cast<std::uint64_t>(4096 - lowest_set_bit(w)));
    weights[2] = (std::max)(weights[2], ~pattern);
  }

  [[nodiscard]] double largest(Index q) const { return std::bit_cast<double>(maxima_[static_cast<std::size_t>(q)]); }
  /// The smallest |x_q| > 0; only where largest(q) > 0.
  [[nodiscard]] double smallest(Index q) const {
    return std::bit_cast<double>(~maxima_[static_cast<std::size_t>(d_ + q)]);
  }
  /// The largest weight; negative or NaN if any weight is.
  [[nodiscard]] double largest_weight() const { return std::bit_cast<double>(of_weights(0)); }
  /// The smallest weight > 0; only where weighted().
  [[nodiscard]] double smallest_weight() const { return std::bit_cast<double>(~of_weights(2)); }

  [[nodiscard]] bool finite() const {
    bool all = true;
    for (Index q = 0; q < d_; ++q) all = all && largest(q) <= (std::numeric_limits<double>::max)();
    return all;
  }
  [[nodiscard]] double largest() const {
    std::uint64_t pattern = 0;
    for (Index q = 0; q < d_; ++q) pattern = (std::max)(pattern, maxima_[static_cast<std::size_t>(q)]);
    return std::bit_cast<double>(pattern);
  }

  /// Whether any rank has a weight other than 0.
  [[nodiscard]] bool weighted() const { return of_weights(0) != 0; }

  /// The power of two that brings the largest weight to 1 .. 2, so that weights of any scale give the same clustering.
  [[nodiscard]] int weight_exponent() const {
    return weighted() ? (std::max)(exponent_of(largest_weight()), -1022) : 0;
  }

  /// What w * x spans in every column, and at last w, with weights scaled by 2^-weight_exponent(). `digits` are T's.
  [[nodiscard]] std::vector<Span> columns(int digits, int lowest_of_type) const {
    const int w_high = weighted() ? 1 : 0, w_low = weighted() ? weight_low() - weight_exponent() : 0;
    std::vector<Span> spans;
    for (Index q = 0; q < d_; ++q) {
      if (largest(q) == 0) {
        spans.push_back({0, 0});
        continue;
      }
      const int low = (std::max)(exponent_of(smallest(q)) - (digits - 1), lowest_of_type);
      spans.push_back({exponent_of(largest(q)) + 1 + w_high, low + w_low});
    }
    if (weighted()) spans.push_back({w_high, w_low});
    return spans;
  }

 private:
  static constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

  [[nodiscard]] std::uint64_t of_weights(std::size_t i) const { return maxima_[maxima_.size() - weight_maxima + i]; }
  [[nodiscard]] int weight_low() const { return 4096 - static_cast<int>(of_weights(1)); }

  Index d_;
  std::vector<std::uint64_t> maxima_;
};

}  // namespace lloyd::inline LLOYD_ABI::detail
