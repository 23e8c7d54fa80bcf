// SPDX-License-Identifier: MIT
/// @file
/// How far two partitions of the same rows agree, whatever their clusters are called.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lloyd/error.hpp"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/kmeans/random.hpp"
#include "lloyd/metrics/contingency.hpp"
#include "lloyd/metrics/partition.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

__extension__ using Int128 = __int128;

/// Above, products of numbers of pairs exceed 128 bits.
inline constexpr Index most_labels = Index{1} << 32;

/// Labels that are there and as many on both sides.
inline void require_labels(std::size_t a, std::size_t b, const char* who) {
  demand(a == b, who, ": ", b, " labels against ", a, ", expected as many");
  demand(a > 0, who, ": there are no labels");
  demand(static_cast<Index>(a) <= most_labels, who, ": ", a, " labels, expected at most 2^32");
}

/// Pairs of rows, of which `both` are together in either partition, a in one and b in the other, of c:
/// (both - a b / c) / ((a + b) / 2 - a b / c), in integers.
[[nodiscard]] inline double adjusted_rand(const Partition& one, const Partition& other) {
  const auto pairs = [](Index rows) { return static_cast<Int128>(rows) * (rows - 1) / 2; };
  const Contingency table(one, other);
  if (table.one_to_one(one, other)) return 1;
  Int128 a = 0, b = 0, both = 0;
  for (const Index rows : one.sizes) a += pairs(rows);
  for (const Index rows : other.sizes) b += pairs(rows);
  for (const auto& cell : table.cells) both += pairs(cell.rows);
  const Int128 c = pairs(static_cast<Index>(one.number.size()));
  // a + b = 0 and a = b = c only for one and the same partition, so this is no 0 / 0.
  return static_cast<double>(2 * (both * c - a * b)) / static_cast<double>((a + b) * c - 2 * a * b);
}

/// log2(p / q) by additions, products and quotients only, so that it is the same everywhere; to about an ulp, also
/// where p and q are nearly equal.
[[nodiscard]] inline double log2_of_ratio(UInt128 p, UInt128 q) {
  const auto length = [](UInt128 v) {
    const auto upper = static_cast<std::uint64_t>(v >> 64);
    return static_cast<int>(upper != 0 ? 64 + std::bit_width(upper) : std::bit_width(static_cast<std::uint64_t>(v)));
  };
  int e = length(p) - length(q);
  // Products of two numbers of rows stay below 2^64: there is room to shift.
  if (e > 0) q <<= e;
  if (e < 0) p <<= -e;
  if (2 * p > 3 * q) ++e, q *= 2;  // 2/3 < p / q <= 3/2
  if (3 * p <= 2 * q) --e, p *= 2;
  const bool below = p < q;
  const double s = static_cast<double>(below ? q - p : p - q) / static_cast<double>(p + q), z = s * s;
  double series = 0;  // artanh(s) / s for s <= 1/5
  for (int term = 12; term >= 0; --term) series = std::fma(series, z, 1.0 / (2 * term + 1));
  constexpr double twice_log2_of_e = 2.8853900817779268;
  const double size = s * series * twice_log2_of_e;
  return e + (below ? -size : size);
}

/// 2 I / (H_1 + H_2): the information that the partitions share, over the mean of their entropies.
[[nodiscard]] inline double normalized_mutual_info(const Partition& one, const Partition& other) {
  const Contingency table(one, other);
  if (table.one_to_one(one, other)) return 1;
  const auto n = static_cast<UInt128>(one.number.size());
  const auto wide = [](Index rows) { return static_cast<UInt128>(rows); };
  ExactSum entropies, shared;
  for (const Partition* partition : {&one, &other})
    for (const Index rows : partition->sizes) entropies.add(static_cast<double>(rows) * log2_of_ratio(n, wide(rows)));
  for (const auto& cell : table.cells) {
    const UInt128 expected =
        wide(one.sizes[static_cast<std::size_t>(cell.a)]) * wide(other.sizes[static_cast<std::size_t>(cell.b)]);
    shared.add(static_cast<double>(cell.rows) * log2_of_ratio(n * wide(cell.rows), expected));
  }
  return std::clamp(2 * shared.value() / entropies.value(), 0.0, 1.0);
}

}  // namespace lloyd::inline LLOYD_ABI::detail
