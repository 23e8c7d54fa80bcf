// SPDX-License-Identifier: MIT
/// @file
/// What the best two sums of a row prove: whether the best centroid is the nearest, and how far off the others are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "lloyd/cpu/vector.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// Rows whose best centroid is proven, one vector of them.
template <Real F>
struct CertifyTile {
  const F *best, *second, *norm;
  const Place<F>* at;
  const F *slope, *offset;                 ///< of all centroids
  F row_square, row_linear, row_constant;  ///< of the row's own term
  F* margin;                               ///< out: how far below the best a sum is out of question
};

template <class V>
struct Certifier {
  using F = typename V::Scalar;

  /// A bit for each row whose second best is out of question. A NaN never is.
  [[gnu::always_inline]] static inline std::uint32_t run(const CertifyTile<F>& t) {
    const V best = V::load(t.best), norm = V::load(t.norm);
    F slope[static_cast<std::size_t>(V::lanes)], offset[static_cast<std::size_t>(V::lanes)];
    for (int l = 0; l < V::lanes; ++l) slope[l] = t.slope[t.at[l]], offset[l] = t.offset[t.at[l]];
    const V own = V::fma(V::fma(V::all(t.row_square), norm, V::all(t.row_linear)), norm, V::all(t.row_constant));
    const V error = V::add(own, V::fma(norm, V::load(slope), V::load(offset)));
    const V margin = V::multiply(error, V::all(2 + 32 * std::numeric_limits<F>::epsilon()));
    V::store(t.margin, margin);
    return V::not_below(V::subtract(best, V::load(t.second)), margin);
  }
};

/// Bounds of distances, for one vector of rows, in the units of x.
template <Real F>
struct BoundTile {
  const F *best, *second, *margin;  ///< after a CertifyTile
  const F* square;                  ///< about |x'|^2
  F square_error;                   ///< how far it may be from scale^2 ||x - o||^2, relatively
  F unscale;                        ///< 1 / scale
  F most;                           ///< where a lower bound is cut off
  F *upper, *floor, *lower;         ///< out: of the distance to the best; to any; to any but the best
};

template <class V>
struct Bounder {
  using F = typename V::Scalar;

  /// scale^2 D = scale^2 ||x - o||^2 - 2 sum, up to [-2 own, 2 own + 4 e] (FilterCentroids); the margin is at least
  /// 2 (own + e). What is NaN on the way is NaN in `upper` and 0 in the others.
  [[gnu::always_inline]] static inline void run(const BoundTile<F>& t) {
    constexpr F epsilon = std::numeric_limits<F>::epsilon();
    const V zero = V::all(F{0}), two = V::all(F{2}), minus_two = V::all(F{-2});
    const V best = V::load(t.best), second = V::load(t.second), margin = V::load(t.margin), square = V::load(t.square);
    const V size = V::add(V::larger(best, V::subtract(zero, best)), V::larger(second, V::subtract(zero, second)));
    const V error = V::fma(square, V::all(t.square_error + 8 * epsilon), V::multiply(size, V::all(16 * epsilon)));
    const V most = V::fma(two, V::subtract(margin, best), V::add(square, error));
    const V least = V::subtract(V::subtract(square, error), margin);
    const V floor = V::larger(V::fma(minus_two, best, least), zero);
    const V lower = V::larger(V::fma(minus_two, second, least), zero);
    const V up = V::all(t.unscale * (1 + 4 * epsilon)), down = V::all(t.unscale * (1 - 4 * epsilon));
    const V cut = V::all(-t.most);
    V::store(t.upper, V::multiply(V::root(most), up));
    // the lesser of two, by the greater of their negatives
    V::store(t.floor, V::subtract(zero, V::larger(V::subtract(zero, V::multiply(V::root(floor), down)), cut)));
    V::store(t.lower, V::subtract(zero, V::larger(V::subtract(zero, V::multiply(V::root(lower), down)), cut)));
  }
};

/// Sums that are out of question, for one vector of rows.
template <Real F>
struct LimitTile {
  const F* half;                           ///< scale^2 d2 / 2, rounded up; infinite: nothing is, minus infinite: all
  const F *square, *norm;                  ///< |x'|^2, about, and |x'|, rounded up
  F square_error;                          ///< as in BoundTile
  F row_square, row_linear, row_constant;  ///< of the row's own term
  F* threshold;                            ///< out: sums below it have D >= d2
};

template <class V>
struct Limiter {
  using F = typename V::Scalar;

  /// scale^2 D / 2 >= |x'|^2 (1 - square_error) / 2 - own - sum (FilterCentroids). Each rounding here is at most half
  /// an epsilon of one of the three terms, of which there are six.
  [[gnu::always_inline]] static inline void run(const LimitTile<F>& t) {
    constexpr F epsilon = std::numeric_limits<F>::epsilon(), more = 1 + 8 * epsilon;
    const V norm = V::load(t.norm);
    const V own = V::fma(V::fma(V::all(t.row_square), norm, V::all(t.row_linear)), norm, V::all(t.row_constant));
    const V most = V::fma(V::add(own, V::load(t.half)), V::all(more), V::all((std::numeric_limits<F>::min)()));
    const V of_row = V::multiply(V::load(t.square), V::all(F{0.5} - t.square_error / 2 - 8 * epsilon));
    V::store(t.threshold, V::subtract(of_row, most));
  }
};

}  // namespace lloyd::inline LLOYD_ABI::cpu
