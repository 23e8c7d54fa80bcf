// SPDX-License-Identifier: MIT
/// @file
/// Sampling weights as integers, so that prefix sums of them are exact and a draw cannot fall past the last row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "lloyd/kmeans/random.hpp"
#include "lloyd/kmeans/rounding.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Rows are counted in blocks of this many, by their global number, so that blocks do not depend on tiles or ranks.
inline constexpr Index rows_per_block = 1024;

/// How a row's value v_i (a squared distance, or one) becomes its sampling weight.
struct MassScale {
  double inverse = 1;       ///< 1 / q, a power of two
  bool use_weights = true;  ///< the mass is of w_i v_i; otherwise of v_i where w_i > 0
  int bits = 62;            ///< masses are below 2^bits

  /// The scale for n rows whose w_i v_i are at most `largest`: masses add up to less than 2^62.
  [[nodiscard]] static constexpr MassScale for_largest(double largest, Index n, bool use_weights = true) {
    if (!(largest > 0)) return {1, use_weights};
    const int of_rows = ceil_log2(n);
    return {power_of_two((std::min)(60 - of_rows - exponent_of(largest), 1000)), use_weights, 62 - of_rows};
  }

  /// The value whose mass a row has: 0 where it cannot be drawn.
  [[nodiscard]] constexpr double value(double w, double v) const {
    if (!(w > 0 && v > 0)) return 0;
    return use_weights ? (std::max)(w * v, std::numeric_limits<double>::denorm_min()) : v;
  }

  /// q_i = max(1, rint(w v / q)) where w v > 0, else 0: whoever can be drawn will not be rounded away. Below 2^62, so
  /// that a signed conversion serves, which is one instruction.
  [[nodiscard]] constexpr std::uint64_t operator()(double w, double v) const {
    const double of_row = value(w, v), scaled = of_row * inverse;
    const auto whole = static_cast<std::int64_t>(scaled);
    const double rest = scaled - static_cast<double>(whole);
    const bool up = rest > 0.5 || (rest == 0.5 && whole % 2 == 1);
    return of_row > 0 ? static_cast<std::uint64_t>((std::max)(whole + up, std::int64_t{1})) : 0;
  }
};

/// Rows drawn independently: row i with probability min(1, expected q_i / total).
struct BernoulliTrial {
  std::uint64_t expected = 0, total = 1;
  DrawAddress address{};  ///< its index is the row

  [[nodiscard]] constexpr bool operator()(Index row, std::uint64_t mass) const {
    DrawAddress at = address;
    at.index = row;
    return mass > 0 && happens(draw(at), static_cast<UInt128>(expected) * mass, total);
  }
};

/// The local rows of a tile that lie in a global block.
struct BlockRows {
  Index begin, end;
};
template <Real T, class Space>
[[nodiscard]] constexpr BlockRows rows_of_block(const Tile<T, Space>& tile, Index block) {
  const auto local = [&](Index global) {  // the first row of the tile at or after a global number
    return std::clamp((global - tile.first + tile.step - 1) / tile.step, Index{0}, tile.x.rows());
  };
  return {local((std::max)(block * rows_per_block, tile.first)),
          local((std::max)((block + 1) * rows_per_block, tile.first))};
}

/// A row far from its centroid.
struct FarRow {
  double d2;
  Index row;  ///< global
  double w;
  Label label;

  /// Farther first, then lower row.
  [[nodiscard]] constexpr bool operator<(const FarRow& other) const {
    return d2 > other.d2 || (d2 == other.d2 && row < other.row);
  }
};

/// Keeps the m farthest rows seen, in a heap whose front is the nearest of them.
inline void keep_farthest(std::vector<FarRow>& heap, const FarRow& candidate, Index m) {
  if (static_cast<Index>(heap.size()) < m) {
    heap.push_back(candidate);
    std::push_heap(heap.begin(), heap.end());
  } else if (m > 0 && candidate < heap.front()) {
    std::pop_heap(heap.begin(), heap.end());
    heap.back() = candidate;
    std::push_heap(heap.begin(), heap.end());
  }
}

}  // namespace lloyd::inline LLOYD_ABI::detail
