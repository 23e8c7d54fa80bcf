// SPDX-License-Identifier: MIT
/// @file
/// The filter: scores of a tile of rows against all distinct centroids, in F, and what the certificate needs of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "lloyd/cpu/prepare.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::cpu {

/// Scratch of one thread, and the state of each row of its tile.
template <Real F>
class Filter {
 public:
  /// Row r's least s_j - e_j, its centroid, the second least, and the least s_j + e_j, all without the row's own term.
  struct State {
    F least, second, bound;
    Label best;
    F norm;           ///< |x'|, rounded up
    double own_term;  ///< of the bound, the same for all centroids
    double square;    ///< |x'|^2, about
    bool usable;      ///< finite, and small enough for scores to be
  };

  /// Packs rows `rows[r]` of x: x' = scale (x - o), with its norm.
  template <Real T>
  void pack(const FilterCentroids<F>& centroids, MatrixView<const T> x, std::span<const T> o,
            std::span<const Index> rows) {
    const Index d = x.cols();
    x_.resize(rows.size() * static_cast<std::size_t>(d));
    states_.resize(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      double lane[8] = {};
      pack_row(x.row(rows[r]), o.data(), centroids.scale, d, x_.data() + static_cast<Index>(r) * d, lane);
      start(centroids, lane, states_[r]);
    }
  }

  [[nodiscard]] std::span<const State> states() const { return states_; }

  /// Reduces the scores of all packed rows to their states.
  void reduce(const FilterCentroids<F>& centroids, Index tile, bool fused) {
    for_each_score_run(centroids, tile, fused, [&](std::size_t r, Index first, std::span<const F> scores) {
      State& state = states_[r];
      if (state.usable) reduce_run(centroids, first, scores, state);
    });
  }

  /// Calls visit(r, first, scores) with the scores of packed row r for centroids first, first + 1, ...; `tile`
  /// centroids at a time, ascending.
  template <class Visit>
  void for_each_score_run(const FilterCentroids<F>& centroids, Index tile, bool fused, const Visit& visit) {
    if (fused) return fused_runs(centroids, visit);
    const auto rows = static_cast<Index>(states_.size());
    for (Index first = 0; first < centroids.k; first += tile) {
      const Index count = (std::min)(tile, centroids.k - first);
      scores_.resize(static_cast<std::size_t>(rows * count));
      gram(x_.data(), centroids.c.data() + first * centroids.d, rows, count, centroids.d, scores_.data());
      for (Index r = 0; r < rows; ++r) {
        F* scores = scores_.data() + r * count;
        const F* h = centroids.h.data() + first;
        for (Index j = 0; j < count; ++j) scores[j] = h[j] - scores[j];
        visit(static_cast<std::size_t>(r), first, std::span<const F>(scores, static_cast<std::size_t>(count)));
      }
    }
  }

  /// Whether the row's `best` is proven to be the argmin of D: every other centroid's score is above by more than both
  /// bounds. Written so that a NaN is never proven.
  [[nodiscard]] static bool certified(const State& state) {
    return state.usable && static_cast<double>(state.second) > static_cast<double>(state.bound) + 2 * state.own_term;
  }

  /// Whether centroid j, of this score, can be the argmin of D.
  [[nodiscard]] static bool candidate(const FilterCentroids<F>& centroids, const State& state, Index j, F score) {
    const auto at = static_cast<std::size_t>(j);
    const F low = score - (state.norm * centroids.slope[at] + centroids.offset[at]);
    return !state.usable || !(static_cast<double>(low) > static_cast<double>(state.bound) + 2 * state.own_term);
  }

  /// A number that D(x, c_j) is not below, from s_j - e_j.
  [[nodiscard]] static double lower_bound(const FilterCentroids<F>& centroids, const State& state, F low) {
    if (!state.usable) return 0;
    constexpr double unit = std::numeric_limits<F>::epsilon() / 2;
    const double half = state.square / 2;
    const double lost = half * (4 * unit + static_cast<double>(centroids.d + 8) * 0x1p-53) + state.own_term +
                        (half + std::fabs(static_cast<double>(low))) * 0x1p-50;
    const double least = half + static_cast<double>(low) - lost;
    const double bound = 2 * least / centroids.scale / centroids.scale * (1 - 0x1p-50);
    return bound > 0x1p-1000 ? bound : 0;  // below, the rounding of subnormals is not covered
  }

 private:
  /// Score runs of the fused path have this length: one cache line of float.
  static constexpr Index run_length = 16;
  /// Beyond it products may overflow; such a row goes to D.
  static constexpr double largest_norm = std::same_as<F, float> ? 0x1p60 : 0x1p400;

  /// to = scale (from - o), with the sums of its squares in eight lanes.
  template <Real T>
  static void pack_row(const T* __restrict from, const T* __restrict o, double scale, Index d, F* __restrict to,
                       double* __restrict lane) {
    const auto pack = [&](Index q, Index l) {
      const F value = static_cast<F>((static_cast<double>(from[q + l]) - static_cast<double>(o[q + l])) * scale);
      to[q + l] = value;
      lane[l] += static_cast<double>(value) * static_cast<double>(value);
    };
    Index q = 0;
    for (; q + 8 <= d; q += 8)
      for (Index l = 0; l < 8; ++l) pack(q, l);
    for (Index l = 0; q + l < d; ++l) pack(q, l);
  }

  static void start(const FilterCentroids<F>& centroids, const double* lane, State& state) {
    constexpr double unit = std::numeric_limits<F>::epsilon() / 2;
    constexpr F infinity = std::numeric_limits<F>::infinity();
    const double square = detail::sum_lanes(lane);
    // |x'| and scale |x - o| differ by a factor of 1 + unit, and by an underflow that row_linear covers
    const double norm = std::sqrt(square) * (1 + 8 * unit + static_cast<double>(centroids.d + 8) * 0x1p-53) +
                        static_cast<double>(centroids.d) * static_cast<double>(std::numeric_limits<F>::denorm_min());
    state = {
        infinity, infinity, infinity, 0, static_cast<F>(norm), 0, square, norm <= largest_norm && centroids.usable};
    state.norm *= 1 + 2 * std::numeric_limits<F>::epsilon();
    state.own_term = centroids.row_square * norm * norm + centroids.row_linear * norm + centroids.row_constant;
  }

  static void reduce_run(const FilterCentroids<F>& centroids, Index first, std::span<const F> scores, State& state) {
    const F* slope = centroids.slope.data() + first;
    const F* offset = centroids.offset.data() + first;
    State s = state;
    for (std::size_t j = 0; j < scores.size(); ++j) {
      const F error = s.norm * slope[j] + offset[j];
      const F low = scores[j] - error, high = scores[j] + error;
      if (high < s.bound) s.bound = high;
      if (low < s.least) {
        s.second = s.least;
        s.least = low;
        s.best = static_cast<Label>(first) + static_cast<Label>(j);
      } else if (low < s.second) {
        s.second = low;
      }
    }
    state = s;
  }

  /// Scores a row at a time against 16 centroids, stored feature by feature, without a tile of scores in memory.
  template <class Visit>
  void fused_runs(const FilterCentroids<F>& centroids, const Visit& visit) {
    const Index d = centroids.d;
    panel_.resize(static_cast<std::size_t>(d * run_length));
    for (Index first = 0; first < centroids.k; first += run_length) {
      const Index count = (std::min)(run_length, centroids.k - first);
      for (Index q = 0; q < d; ++q)
        for (Index j = 0; j < run_length; ++j)
          panel_[static_cast<std::size_t>(q * run_length + j)] = j < count ? centroids.c[at(first + j, q, d)] : F{0};
      for (std::size_t r = 0; r < states_.size(); ++r) {
        const F* x = x_.data() + static_cast<Index>(r) * d;
        F sum[run_length] = {};
        for (Index q = 0; q < d; ++q)
          for (Index j = 0; j < run_length; ++j) sum[j] += x[q] * panel_[static_cast<std::size_t>(q * run_length + j)];
        for (Index j = 0; j < count; ++j) sum[j] = centroids.h[static_cast<std::size_t>(first + j)] - sum[j];
        visit(r, first, std::span<const F>(sum, static_cast<std::size_t>(count)));
      }
    }
  }

  [[nodiscard]] static std::size_t at(Index j, Index q, Index d) { return static_cast<std::size_t>(j * d + q); }

  std::vector<F> x_, scores_, panel_;
  std::vector<State> states_;
};

}  // namespace lloyd::cpu
