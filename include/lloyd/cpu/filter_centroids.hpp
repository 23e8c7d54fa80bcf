// SPDX-License-Identifier: MIT
/// @file
/// Distinct centroids, shifted to the origin, scaled and laid out for the kernels, with the terms of the bound.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lloyd/cpu/aligned.hpp"
#include "lloyd/cpu/kernel_set.hpp"
#include "lloyd/cpu/lanes.hpp"
#include "lloyd/cpu/matrix_unit.hpp"
#include "lloyd/kmeans/rounding.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/options.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// How the certificate's bound is made; anything but `Sound` is a planted fault for the tests to catch.
struct Sound {
  static constexpr double factor = 1;            ///< of every term
  static constexpr bool covers_distance = true;  ///< whether the rounding of D itself is in the bound
};

/// The relative error of D(x, c), and of a sum of d squares in eight lanes.
[[nodiscard]] inline double rounding_of_distance(Index d) { return (static_cast<double>(d) / 8 + 8) * 0x1p-53; }

/// Centroids side by side, as many as a kernel takes or half of them.
struct Panel {
  Index first;
  bool half;
};

/// How rows are scored.
enum class Scoring : std::uint8_t {
  matrix_product,     ///< rows in lanes; scores are written to memory
  rows_in_lanes,      ///< in registers
  features_in_lanes,  ///< up to three centroids: rows are not packed
  matrix_unit,        ///< in its registers
};

/// Up to so many features rows are scored in registers, beyond by a matrix product: none was found where that pays.
inline constexpr Index fused_up_to = (std::numeric_limits<Index>::max)();
/// From here on products are so much of the work that the matrix unit pays.
inline constexpr struct { Index k, d; } least_for_matrix_unit = {32, 64};
/// From so many features on transposing rows costs more than adding lanes, with up to most_products centroids.
inline constexpr Index features_in_lanes_from = 64;

/// The rule, for a filter in F.
template <Real F>
[[nodiscard]] constexpr Scoring scoring_of(Index k, Index d, Isa isa, Assignment assignment) {
  if (assignment == Assignment::gram || (assignment == Assignment::automatic && d > fused_up_to))
    return Scoring::matrix_product;
  if (k <= most_products && d >= features_in_lanes_from) return Scoring::features_in_lanes;
  const bool unit = std::same_as<F, float> && isa == Isa::amx;
  return unit && k >= least_for_matrix_unit.k && d >= least_for_matrix_unit.d ? Scoring::matrix_unit
                                                                              : Scoring::rows_in_lanes;
}

/// How far |x'|^2 may be from scale^2 ||x - o||^2, relatively: its values' rounding and that of d additions in four
/// sums.
template <Real F>
[[nodiscard]] double square_error(Index d) {
  return (static_cast<double>(d) / 2 + 24) * std::numeric_limits<F>::epsilon() / 2;
}
/// By how much |x'|, the root of that, is raised to be an upper bound: and by its own roundings.
template <Real F>
[[nodiscard]] double norm_error(Index d) {
  return square_error<F>(d) + 8 * std::numeric_limits<F>::epsilon();
}
/// What underflow takes from a sum over d features, and no less than a normal number: arithmetic with others is slow.
template <Real F>
[[nodiscard]] F lost_to_underflow(Index d) {
  using Limits = std::numeric_limits<F>;
  return (std::max)(static_cast<F>(static_cast<double>(d) * static_cast<double>(Limits::denorm_min())),
                    (Limits::min)());
}
/// Rows beyond it go to D: their products may overflow.
template <Real F>
inline constexpr F largest_norm = std::same_as<F, float> ? F{0x1p60F} : static_cast<F>(0x1p400);

/// Distinct centroids for a filter in F. With x' = scale (x - o), c'_j = scale (c_j - o) and h_j = ||c'_j||^2 / 2,
/// docs/numerics.md derives e_j = |x'| slope_j + offset_j and own = row_square |x'|^2 + row_linear |x'| + row_constant
/// so that low_j = h_j - x'.c'_j - e_j, as it is computed, is within [-own - 2 e_j, own] of
/// scale^2 (D(x, c_j) - ||x - o||^2) / 2.
template <Real F>
struct FilterCentroids {
  Index k = 0, d = 0;
  double scale = 1;  ///< a power of two that brings the largest |c_jq - o_q| into [1/2, 1), where F has it
  double row_square = 0, row_linear = 0, row_constant = 0;
  bool usable = true;  ///< false: chains too long for F to certify anything
  KernelSet<F> kernels{};
  std::vector<Panel> panels;
  std::vector<Index> panel_numbers;  ///< 0, 1, ...
  Scoring scoring = Scoring::rows_in_lanes;
  /// For kernels, of each panel d + 1 features by its centroids, the last feature being slope; for products k x stride,
  /// and zeros.
  std::vector<F> values;
  Index stride = 0;
  std::vector<F> slope, offset, starts;  ///< by centroid, up to the end of the last panel; starts: offset - h
  std::vector<Place<F>> places;          ///< their numbers
  Aligned<std::uint32_t> tiles;          ///< for the matrix unit, blocks() x steps x 2 tiles

  /// What is kept of a row, beside its norm: its values, or its products.
  [[nodiscard]] Index values_of_row() const {
    return scoring == Scoring::features_in_lanes ? static_cast<Index>(starts.size()) : d;
  }
  [[nodiscard]] Index blocks() const { return (k + MatrixUnit::centroids - 1) / MatrixUnit::centroids; }

  template <Real T, class Bound>
  void fill(MatrixView<const T> centroids, std::span<const Label> distinct, std::span<const T> o, Isa isa, Scoring by,
            Bound /*bound*/) {
    k = static_cast<Index>(distinct.size());
    d = centroids.cols();
    kernels = kernel_set<F>(isa);
    scoring = by;
    const auto shifted = [&](Index j, Index q) {
      return static_cast<double>(centroids(distinct[static_cast<std::size_t>(j)], q)) -
             static_cast<double>(o[static_cast<std::size_t>(q)]);
    };
    double largest = 0;
    for (Index j = 0; j < k; ++j)
      for (Index q = 0; q < d; ++q) largest = (std::max)(largest, std::fabs(shifted(j, q)));
    // As a number of F, and so that the scale's square times the smallest D is a normal double.
    constexpr int most = std::same_as<F, float> ? 126 : 490, least = std::same_as<F, float> ? 126 : 1000;
    scale = largest > 0 ? detail::power_of_two(std::clamp(-detail::exponent_of(largest) - 1, -least, most)) : 1;
    lay_out();
    for (const Panel& panel : panels) {
      const Index width = panel.half ? kernels.centroids / 2 : kernels.centroids, apart = by_panel() ? width : 1;
      for (Index j = panel.first; j < (std::min)(k, panel.first + width); ++j) {
        F* to = values.data() + (by_panel() ? panel.first * (d + 1) + j - panel.first : j * stride);
        double lane[8] = {};
        for (Index q = 0; q < d; ++q) {
          const double value = shifted(j, q) * scale;
          to[q * apart] = static_cast<F>(value);
          lane[q % 8] += value * value;
        }
        bound_terms<Bound>(j, detail::sum_lanes(lane), scoring == Scoring::matrix_unit ? cut(j, to, width) : LeftOut{});
        if (by_panel()) to[d * width] = slope[static_cast<std::size_t>(j)];
      }
    }
  }

 private:
  /// Whether the centroids of a panel stand side by side.
  [[nodiscard]] bool by_panel() const { return scoring == Scoring::rows_in_lanes || scoring == Scoring::matrix_unit; }

  /// What the matrix unit leaves out of a centroid: the norms of its low half and of the rest.
  struct LeftOut {
    double low = 0, rest = 0;
  };
  /// Writes centroid j, whose values stand `width` apart, to its tiles.
  LeftOut cut(Index j, const F* from, Index width) {
    constexpr Index words = MatrixUnit::words;
    const Index steps = MatrixUnit::steps(d);
    std::uint32_t* to = tiles.data() + j / MatrixUnit::centroids * steps * 2 * words + j % MatrixUnit::centroids * 16;
    LeftOut squares;
    const auto half = [&](Index q) {
      const Halves halves = cut_in_halves(q < d ? static_cast<float>(from[q * width]) : 0.0F);
      const double rest = static_cast<double>(halves.rest), low = static_cast<double>(halves.low) + rest;
      squares.low += low * low;
      squares.rest += rest * rest;
      return halves;
    };
    for (Index pair = 0; pair < steps * 16; ++pair) {
      const Halves first = half(2 * pair), second = half(2 * pair + 1);
      std::uint32_t* word = to + pair / 16 * 2 * words + pair % 16;
      word[0] = pair_of(first.high, second.high);
      word[words] = pair_of(first.low, second.low);
    }
    return {std::sqrt(squares.low), std::sqrt(squares.rest)};
  }

  /// Panels for k centroids, the last as small as does; nothing is in them yet, and nothing is ever found there.
  void lay_out() {
    const Index whole = kernels.centroids, half = whole / 2;
    Index end = 0;
    for (; end < k; end += panels.back().half ? half : whole) {
      panel_numbers.push_back(static_cast<Index>(panels.size()));
      panels.push_back({end, scoring == Scoring::rows_in_lanes && k - end <= half});
    }
    stride = by_panel() ? d + 1 : d;
    if (scoring == Scoring::features_in_lanes) stride = (d + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
    values.assign(static_cast<std::size_t>(end * stride), 0);
    slope.assign(static_cast<std::size_t>(end), 0);
    offset.assign(slope.size(), 0);
    starts.assign(slope.size(), -std::numeric_limits<F>::infinity());
    for (Index j = 0; j < end; ++j) places.push_back(static_cast<Place<F>>(j));
    if (scoring == Scoring::matrix_unit)
      tiles.assign(static_cast<std::size_t>(blocks() * MatrixUnit::steps(d) * 2 * MatrixUnit::words), 0);
  }

  /// h_j and the terms of its bound, from ||c'_j||^2.
  template <class Bound>
  void bound_terms(Index j, double square, const LeftOut& out) {
    constexpr double unit = std::numeric_limits<F>::epsilon() / 2;
    const auto at = static_cast<std::size_t>(j);
    const bool units = scoring == Scoring::matrix_unit;
    Index longest = chain_length(d + 1);
    if (units) longest = (std::max)(longest, MatrixUnit::chain_length(d));
    // lane by lane, then their sum
    if (scoring == Scoring::features_in_lanes) longest = (std::max)(longest, stride / kernels.lanes + most_lanes);
    const auto chain = static_cast<double>(longest);
    const double n_u = (chain + 8) * unit;
    usable = n_u < 0.25;
    const double gamma = n_u / (1 - n_u), of_d = Bound::covers_distance ? rounding_of_distance(d) : 0;
    // the matrix unit takes subnormals for zero
    const double tiny = units ? static_cast<double>(d) * 0x1p-123 : static_cast<double>(lost_to_underflow<F>(d));
    const auto h = static_cast<F>(square / 2);
    square *= 1 + rounding_of_distance(d);
    const double norm = std::sqrt(square) * (1 + 4 * 0x1p-53);
    // The terms go through the chain of additions themselves.
    const double raise = Bound::factor * (1 + (chain + 16) * unit);
    const double left_out = units ? MatrixUnit::low_share * out.low + out.rest + MatrixUnit::rest_share * norm : 0;
    slope[at] = static_cast<F>(((gamma + 2 * of_d) * norm + left_out * (1 + 0x1p-7) + tiny) * raise);
    offset[at] = static_cast<F>((gamma * square / 2 + of_d * square + tiny) * raise);
    starts[at] = offset[at] - h;
    row_square = of_d * raise;
    row_linear = 4 * tiny * Bound::factor;
    row_constant = (4 * tiny + static_cast<double>(d) * 0x1p-90) * Bound::factor;
  }
};

}  // namespace lloyd::inline LLOYD_ABI::cpu
