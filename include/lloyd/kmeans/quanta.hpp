// SPDX-License-Identifier: MIT
/// @file
/// Exact sums over many rows at one integer a limb: how terms are cut into limbs.
///
/// Column q has quanta q_0 = 2^exponent[q] and q_l = q_0 2^(-bits l). A term's whole multiples of q_0 go to limb 0,
/// what is left to limb 1, and so on. Limbs are independent integers that never carry into each other while rows are
/// added or subtracted, so any order, any thread and any rank gives the same integers; they may wrap on the way, the
/// total of at most n rows always fits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lloyd/kmeans/rounding.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// The scale of every column of a fit. Columns are the d features, and then the weight when rows are weighted.
struct Quanta {
  static constexpr int most_limbs = 6;
  static constexpr int lowest_exponent = -960;  // keeps 1/q_0 = 2^(bits - e) a normal double

  int bits = 0;                 ///< of a limb: n terms of at most 2^bits, twice, stay below 2^62
  int limbs = 1;                ///< so that no term is rounded, at most `most_limbs`
  std::vector<int> exponent;    ///< of q_0, by column
  std::vector<double> inverse;  ///< 1 / q_0, by column

  [[nodiscard]] Index columns() const { return static_cast<Index>(exponent.size()); }
};

/// What a column of terms spans: all are below 2^high and multiples of 2^low. `low >= high` for a column of zeros.
struct Span {
  int high, low;
};

/// The quanta for n rows whose columns span what is given.
[[nodiscard]] inline Quanta choose_quanta(Index n, const std::vector<Span>& columns) {
  Quanta quanta;
  quanta.bits = 61 - ceil_log2((std::max)(n, Index{1}));
  for (const Span& column : columns) {
    const int high = (std::max)(column.low < column.high ? column.high : 0, Quanta::lowest_exponent);
    const int needed = (high - column.low + quanta.bits - 1) / quanta.bits;
    quanta.limbs = std::clamp(needed, quanta.limbs, Quanta::most_limbs);
    quanta.exponent.push_back(high - quanta.bits);
    quanta.inverse.push_back(power_of_two(quanta.bits - high));
  }
  return quanta;
}

/// sum += sign * value, modulo 2^64.
constexpr void add_wrapping(std::int64_t& sum, std::int64_t value, std::int64_t sign) {
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                  static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(sign));
}

/// Cuts `term` into limbs and hands each that is not zero to `add(limb, integer)`. Only the last limb may round, to
/// nearest even, and only where a column spans more than most_limbs.
template <class Add>
constexpr void for_each_limb(double term, double inverse_quantum, int bits, int limbs, const Add& add) {
  double v = term * inverse_quantum;  // exact: a power of two
  for (int l = 0; v != 0; ++l) {
    auto whole = static_cast<std::int64_t>(v);
    double rest = v - static_cast<double>(whole);  // exact
    if (l == limbs - 1) {
      const double size = rest < 0 ? -rest : rest;
      if (size > 0.5 || (size == 0.5 && whole % 2 != 0)) whole += rest < 0 ? -1 : 1;
      rest = 0;
    }
    if (whole != 0) add(l, whole);
    v = rest * static_cast<double>(std::int64_t{1} << bits);
  }
}

}  // namespace lloyd::inline LLOYD_ABI::detail
