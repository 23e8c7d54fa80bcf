// SPDX-License-Identifier: MIT
/// @file
/// Rows brought into lanes: shifted to the origin, scaled and transposed, so that a vector holds one feature of as many
/// rows.
#pragma once

#include "lloyd/cpu/transpose.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

inline constexpr int most_lanes = 16;

/// What packing reads and writes.
template <Real F>
struct PackTile {
  const F* row[2 * most_lanes];  ///< one a lane, then as many that are packed next: they are fetched meanwhile
  const F* o;                    ///< d
  F scale;
  Index d;
  F* to;                   ///< (values + 1) x lanes: to[q width + lane] = x'_q = scale (row[lane][q] - o[q]), |x'| last
  Index values;            ///< d, or products in place of values
  Index width;             ///< from one value to the next
  F* square;               ///< lanes: the sums of squares of x'
  F raise, tiny, largest;  ///< |x'| = root(square) raise + tiny; a row is usable up to `largest`

  // of products alone
  const F* centroids = nullptr;  ///< k x stride, zeros behind feature d
  Index k = 0, stride = 0;
};

/// Fetches the rows packed next, a line at a time in the order of memory, which the hardware's prefetchers follow:
/// packing itself reads as many short streams as there are lanes.
template <Real F>
class NextRows {
 public:
  NextRows(const F* const* rows, Index count, Index d) : row_(rows), left_(count * ((d + line - 1) / line)), d_(d) {}

  [[gnu::always_inline]] void fetch(Index lines) {
    for (lines = lines < left_ ? lines : left_, left_ -= lines; lines > 0; --lines) {
      __builtin_prefetch(*row_ + q_, 0, 3);
      q_ += line;
      if (q_ >= d_) q_ = 0, ++row_;
    }
  }
  [[gnu::always_inline]] void fetch_rest() { fetch(left_); }

 private:
  static constexpr Index line = 64 / sizeof(F);

  const F* const* row_;
  Index left_, d_, q_ = 0;
};

/// Writes |x'|, and returns a bit for each lane that is usable. A NaN is not.
template <class V>
[[gnu::always_inline]] inline std::uint32_t finish_pack(const PackTile<typename V::Scalar>& t, const V& square) {
  const V norm = V::fma(V::root(square), V::all(t.raise), V::all(t.tiny));
  V::store(t.square, square);
  V::store(t.to + t.values * t.width, norm);
  return V::not_below(V::all(t.largest), norm);
}

template <class V>
struct Packer {
  using F = typename V::Scalar;

  /// Returns a bit for each lane that is usable.
  [[gnu::always_inline]] static inline std::uint32_t run(const PackTile<F>& t) {
    constexpr Index lanes = V::lanes, lines = (lanes * lanes * Index{sizeof(F)} + 63) / 64;  // of a step's values
    const Step step{t.o, t.to, t.width, V::all(t.scale)};
    NextRows<F> next(t.row + lanes, lanes, t.d);
    V sum[4] = {V::all(F{0}), V::all(F{0}), V::all(F{0}), V::all(F{0})};
    V a[static_cast<std::size_t>(lanes)];
    Index q = 0;
    for (; q + lanes <= t.d; q += lanes) {
      Transpose<V>::load(t.row, q, a);
      next.fetch(lines);
      step.write(a, q, 0, lanes, sum);
    }
    if (q > 0 && q < t.d) {  // the last values once more, of which some are new
      Transpose<V>::load(t.row, t.d - lanes, a);
      step.write(a, t.d - lanes, q + lanes - t.d, lanes, sum);
    } else if (q < t.d) {
      F values[static_cast<std::size_t>(lanes * lanes)];
      const F* row[static_cast<std::size_t>(lanes)];
      for (Index l = 0; l < lanes; ++l) {
        row[l] = values + l * lanes;
        V::store(values + l * lanes, V::load_first(t.row[l], static_cast<int>(t.d)));
      }
      Transpose<V>::load(row, 0, a);
      step.write(a, 0, 0, t.d, sum);
    }
    next.fetch_rest();
    return finish_pack(t, V::add(V::add(sum[0], sum[1]), V::add(sum[2], sum[3])));
  }

 private:
  /// Apart from the tile: compilers read that again after each vector that is stored.
  struct Step {
    const F* o;
    F* to;
    Index width;
    V scale;

    /// Writes features q + first .. q + last - 1 of those from q on.
    [[gnu::always_inline]] inline void write(const V* a, Index q, Index first, Index last, V* sum) const {
#pragma GCC unroll 16
      for (int l = 0; l < V::lanes; ++l) {
        if (l < first || l >= last) continue;
        const V x = V::multiply(V::subtract(a[l], V::all(o[q + l])), scale);
        V::store(to + (q + l) * width, x);
        sum[l % 4] = V::fma(x, x, sum[l % 4]);
      }
    }
  };
};

}  // namespace lloyd::inline LLOYD_ABI::cpu
