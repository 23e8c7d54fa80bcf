// SPDX-License-Identifier: MIT
/// @file
/// The filter: rows against all distinct centroids, in F. It hands out those (row, centroid) pairs that a limit for the
/// row does not exclude; the certificate is made from them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "lloyd/cpu/gram.hpp"
#include "lloyd/cpu/kernel.hpp"
#include "lloyd/cpu/prepare.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::cpu {

/// Scratch of one thread, and the state of each row of its tile.
template <Real F>
class Filter {
 public:
  /// What is known of a row, in units of scale^2, halved, less ||x'||^2 / 2 and without the row's own term.
  struct State {
    double least = infinity, second = infinity;  ///< the two least lower bounds of D
    double bound = infinity;                     ///< the least upper bound of D
    Label best = -1;                             ///< where `least` is; -1: all were excluded
    double norm = 0;                             ///< |x'|, rounded up
    double own_term = 0;                         ///< of the bound, the same for all centroids
    double square = 0;                           ///< |x'|^2, about
    bool usable = false;                         ///< finite, and small enough for scores to be
  };

  /// Packs rows `rows[r]` of x: x' = scale (x - o), and |x'| as one more feature. Nothing is excluded yet; but a row
  /// that is not usable is zero and has no hits.
  template <Real T>
  void pack(const FilterCentroids<F>& centroids, MatrixView<const T> x, std::span<const T> o,
            std::span<const Index> rows) {
    const Index d = x.cols();
    const auto height = static_cast<std::size_t>(centroids.kernels.rows);
    const std::size_t padded = (rows.size() + height - 1) / height * height;
    x_.resize(padded * static_cast<std::size_t>(d + 1));
    states_.assign(rows.size(), State{});
    threshold_.assign(padded, std::numeric_limits<F>::infinity());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      F* to = x_.data() + static_cast<Index>(r) * (d + 1);
      start(centroids, pack_row(centroids, x.row(rows[r]), o.data(), to), states_[r]);
      to[d] = static_cast<F>(states_[r].norm);
      if (states_[r].usable) {
        threshold_[r] = -std::numeric_limits<F>::infinity();
      } else {
        std::fill_n(to, d + 1, F{0});  // so that no sum of it is infinite, as its threshold is
      }
    }
  }

  [[nodiscard]] std::span<const State> states() const { return states_; }

  /// From now on row r sees only centroids whose lower bound is not above `low`.
  void exclude_above(std::size_t r, double low) {
    if (!states_[r].usable) return;
    const F threshold = static_cast<F>(-low);
    // rounded down, so that the limit is not lowered by rounding
    threshold_[r] = threshold - std::fabs(threshold) * std::numeric_limits<F>::epsilon();
  }
  void exclude_all(std::size_t r) { threshold_[r] = std::numeric_limits<F>::infinity(); }

  /// Finds each row's states, excluding centroids as the bound falls. What was excluded before stays so.
  void reduce(const FilterCentroids<F>& centroids, Index tile, bool fused) {
    for_each_hit(centroids, tile, fused, [&](std::size_t r, Index j, F value) {
      State& s = states_[r];
      const auto at = static_cast<std::size_t>(j);
      const auto low = static_cast<double>(value);
      const double error =
          s.norm * static_cast<double>(centroids.slope[at]) + static_cast<double>(centroids.offset[at]);
      if (low + 2 * error < s.bound) {
        s.bound = low + 2 * error;
        if (s.bound + 2 * s.own_term < -static_cast<double>(threshold_[r])) exclude_above(r, s.bound + 2 * s.own_term);
      }
      if (low < s.least) {
        s.second = s.least;
        s.least = low;
        s.best = static_cast<Label>(j);
      } else if (low < s.second) {
        s.second = low;
      }
    });
  }

  /// Calls visit(r, j, low) for packed rows r and centroids j that are not excluded, j ascending for each row.
  template <class Visit>
  void for_each_hit(const FilterCentroids<F>& centroids, Index tile, bool fused, const Visit& visit) {
    if (fused) {
      by_kernels(centroids, visit);
    } else {
      by_products(centroids, tile, visit);
    }
  }

  /// Whether the row's `best` is proven to be the argmin of D: every other centroid's lower bound is above its upper
  /// bound. Written so that a NaN is never proven.
  [[nodiscard]] static bool certified(const State& s) { return s.usable && s.second > s.bound + 2 * s.own_term; }

  /// Row r sees only centroids that may have D(x, c_j) < d2.
  void exclude_not_below(const FilterCentroids<F>& centroids, std::size_t r, double d2) {
    const State& s = states_[r];
    const double half = d2 / 2 * centroids.scale * centroids.scale;
    if (!(half > 0x1p-900 && half < 0x1p900)) return;  // infinite, or where the rounding of subnormals would count
    exclude_above(r, half - s.square / 2 + lost(centroids, s) + (half + s.square) * 0x1p-48);
  }

 private:
  static constexpr double unit = std::numeric_limits<F>::epsilon() / 2;
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  /// Beyond it products may overflow; such a row goes to D.
  static constexpr double largest_norm = std::same_as<F, float> ? 0x1p60 : 0x1p400;

  /// What a lower bound of D loses besides its pair's bound: ||X||^2 is known by its rounded x' only.
  [[nodiscard]] static double lost(const FilterCentroids<F>& centroids, const State& s) {
    return s.square / 2 * square_error(centroids.d) + s.own_term;
  }

  /// The relative error of a row's square against scale^2 ||x - o||^2: its values' and that of d additions in lanes.
  [[nodiscard]] static double square_error(Index d) { return (static_cast<double>(d) / 2 + 24) * unit; }

  /// to = scale (from - o) in F; |to|^2, about.
  template <Real T>
  static double pack_row(const FilterCentroids<F>& centroids, const T* from, const T* o, F* to) {
    F lane[most_lanes] = {};
    if constexpr (std::same_as<T, F>) {
      centroids.kernels.pack({from, o, static_cast<F>(centroids.scale), centroids.d, to, lane});
    } else {
      for (Index q = 0; q < centroids.d; ++q) {
        to[q] = static_cast<F>((static_cast<double>(from[q]) - static_cast<double>(o[q])) * centroids.scale);
        lane[q % 8] += to[q] * to[q];
      }
    }
    double square = 0;
    for (const F value : lane) square += static_cast<double>(value);
    return square;
  }

  static void start(const FilterCentroids<F>& centroids, double square, State& s) {
    s.square = square;
    // |x'| and scale |x - o| differ by a factor of 1 + 2 unit, and by an underflow that row_linear covers; then it is
    // rounded to F, as a feature
    const double norm = std::sqrt(s.square) * (1 + square_error(centroids.d)) +
                        static_cast<double>(centroids.d) * static_cast<double>(std::numeric_limits<F>::denorm_min());
    s.usable = norm <= largest_norm && centroids.usable;
    s.norm = static_cast<double>(static_cast<F>(norm * (1 + 4 * unit)));
    s.own_term = centroids.row_square * norm * norm + centroids.row_linear * norm + centroids.row_constant;
  }

  template <class Visit>
  void by_kernels(const FilterCentroids<F>& centroids, const Visit& visit) {
    const Index stride = centroids.d + 1;
    const auto height = static_cast<std::size_t>(centroids.kernels.rows);
    F sums[most_rows * most_width];
    std::uint64_t hits[most_rows];
    for (const Panel& panel : centroids.panels) {
      const auto kernel = centroids.kernels.function[panel.vectors - 1];
      const Index width = static_cast<Index>(panel.vectors) * centroids.kernels.lanes;
      const std::uint64_t valid = ~std::uint64_t{0} >> (64 - panel.count);
      for (std::size_t r = 0; r < threshold_.size(); r += height) {
        const KernelTile<F> tile{x_.data() + static_cast<Index>(r) * stride,
                                 stride,
                                 stride,
                                 centroids.panel_values.data() + panel.values,
                                 centroids.panel_starts.data() + panel.starts,
                                 threshold_.data() + r,
                                 sums,
                                 hits};
        for (std::uint32_t any = kernel(tile); any != 0; any &= any - 1) {
          const int row = std::countr_zero(any);
          for (std::uint64_t hit = hits[row] & valid; hit != 0; hit &= hit - 1) {
            const int j = std::countr_zero(hit);
            visit(r + static_cast<std::size_t>(row), panel.first + j, -sums[row * width + j]);
          }
        }
      }
    }
  }

  template <class Visit>
  void by_products(const FilterCentroids<F>& centroids, Index tile, const Visit& visit) {
    const auto rows = static_cast<Index>(states_.size());
    for (Index first = 0; first < centroids.k; first += tile) {
      const Index count = (std::min)(tile, centroids.k - first);
      products_.resize(static_cast<std::size_t>(rows * count));
      gram(x_.data(), centroids.d + 1, centroids.c.data() + first * centroids.d, rows, count, centroids.d,
           products_.data());
      for (Index r = 0; r < rows; ++r) {
        const F norm = x_[static_cast<std::size_t>(r * (centroids.d + 1) + centroids.d)];
        for (Index j = 0; j < count; ++j) {
          const auto at = static_cast<std::size_t>(first + j);
          const F error = norm * centroids.slope[at] + centroids.offset[at];
          const F low = (centroids.h[at] - products_[static_cast<std::size_t>(r * count + j)]) - error;
          if (-low >= threshold_[static_cast<std::size_t>(r)]) visit(static_cast<std::size_t>(r), first + j, low);
        }
      }
    }
  }

  std::vector<F> x_, products_, threshold_;
  std::vector<State> states_;
};

}  // namespace lloyd::cpu
