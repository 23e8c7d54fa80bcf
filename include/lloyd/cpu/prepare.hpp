// SPDX-License-Identifier: MIT
/// @file
/// Centroids made ready for the filter: equal ones merged, shifted to the origin, scaled, with the terms of the bound.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lloyd/cpu/kernel.hpp"
#include "lloyd/cpu/lanes.hpp"
#include "lloyd/kmeans/batching.hpp"
#include "lloyd/kmeans/rounding.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/options.hpp"

namespace lloyd::cpu {

/// How the certificate's bound is made; anything but `Sound` is a planted fault for the tests to catch.
struct Sound {
  static constexpr double factor = 1;            ///< of every term
  static constexpr bool covers_distance = true;  ///< whether the rounding of D itself is in the bound
};

/// The relative error of D(x, c), and of a sum of d squares in eight lanes.
[[nodiscard]] inline double rounding_of_distance(Index d) { return (static_cast<double>(d) / 8 + 8) * 0x1p-53; }

/// A panel of a kernel: some centroids side by side, feature by feature.
struct Panel {
  Index first, count;  ///< centroids
  int vectors;
  std::size_t values, starts;  ///< where its values and its starts are
};

/// Distinct centroids for a filter in F. With x' = scale (x - o), c'_j = scale (c_j - o) and h_j = ||c'_j||^2 / 2,
/// docs/numerics.md derives e_j = |x'| slope_j + offset_j and own = row_square |x'|^2 + row_linear |x'| + row_constant
/// so that low_j = h_j - x'.c'_j - e_j, as it is computed, is within [-own - 2 e_j, own] of
/// scale^2 (D(x, c_j) - ||x - o||^2) / 2.
template <Real F>
struct FilterCentroids {
  Index k = 0, d = 0;
  double scale = 1;  ///< a power of two that brings the largest |c_jq - o_q| to 1/2 .. 1
  double row_square = 0, row_linear = 0, row_constant = 0;
  bool usable = true;            ///< false: chains too long for F to certify anything
  std::vector<F> c, h;           ///< k x d and k; c for the matrix product only
  std::vector<F> slope, offset;  ///< k
  KernelSet<F> kernels{};
  std::vector<Panel> panels;  ///< for kernels only
  std::vector<F> panel_values, panel_starts;

  template <Real T, class Bound>
  void fill(MatrixView<const T> centroids, std::span<const Label> distinct, std::span<const T> o, Isa isa,
            Bound /*bound*/) {
    k = static_cast<Index>(distinct.size());
    d = centroids.cols();
    c.resize(static_cast<std::size_t>(k * d));
    for (auto* values : {&h, &slope, &offset}) values->resize(static_cast<std::size_t>(k));
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
    kernels = kernel_set<F>(isa);
    for (Index j = 0; j < k; ++j) {
      double lane[8] = {};
      for (Index q = 0; q < d; ++q) {
        const double value = shifted(j, q) * scale;
        c[static_cast<std::size_t>(j * d + q)] = static_cast<F>(value);
        lane[q % 8] += value * value;
      }
      bound_terms<Bound>(j, detail::sum_lanes(lane));
    }
  }

  /// Lays the centroids out for the kernels, three vectors a panel, the last as few as do; then `c` is not needed.
  void lay_out_panels() {
    const Index most = static_cast<Index>(kernels.most_vectors) * kernels.lanes;
    for (Index first = 0; first < k; first += most) {
      const Index count = (std::min)(most, k - first);
      const auto vectors = static_cast<int>((count + kernels.lanes - 1) / kernels.lanes);
      panels.push_back({first, count, vectors, panel_values.size(), panel_starts.size()});
      const Index width = static_cast<Index>(vectors) * kernels.lanes;
      for (Index q = 0; q <= d; ++q)  // feature d is |x'|
        for (Index j = first; j < first + width; ++j) panel_values.push_back(panel_value(j, q));
      for (Index j = first; j < first + width; ++j)
        panel_starts.push_back(j < k ? offset[static_cast<std::size_t>(j)] - h[static_cast<std::size_t>(j)]
                                     : -std::numeric_limits<F>::infinity());
    }
    c = {};
  }

 private:
  [[nodiscard]] F panel_value(Index j, Index q) const {
    if (j >= k) return 0;
    return q == d ? slope[static_cast<std::size_t>(j)] : c[static_cast<std::size_t>(j * d + q)];
  }

  /// h_j and the terms of its bound, from ||c'_j||^2.
  template <class Bound>
  void bound_terms(Index j, double square) {
    constexpr double unit = std::numeric_limits<F>::epsilon() / 2;
    const auto at = static_cast<std::size_t>(j);
    const auto chain = static_cast<double>(chain_length(d + 1));
    const double n_u = (chain + 8) * unit;
    usable = n_u < 0.25;
    const double gamma = n_u / (1 - n_u), of_d = Bound::covers_distance ? rounding_of_distance(d) : 0;
    const double tiny = static_cast<double>(d) * static_cast<double>(std::numeric_limits<F>::denorm_min());
    h[at] = static_cast<F>(square / 2);
    square *= 1 + rounding_of_distance(d);
    const double norm = std::sqrt(square) * (1 + 4 * 0x1p-53);
    // The terms go through the chain of additions themselves.
    const double raise = Bound::factor * (1 + (chain + 16) * unit);
    slope[at] = static_cast<F>(((gamma + 2 * of_d) * norm + tiny) * raise);
    offset[at] = static_cast<F>((gamma * square / 2 + of_d * square + tiny) * raise);
    row_square = of_d * raise;
    row_linear = 4 * tiny * Bound::factor;
    row_constant = (4 * tiny + static_cast<double>(d) * 0x1p-90) * Bound::factor;
  }
};

/// Centroids ready for assigning rows of T.
template <Real T, class Bound = Sound>
struct Prepared {
  MatrixView<const T> c;         ///< k x d, as given
  std::span<const T> o;          ///< d, near them
  std::vector<Label> distinct;   ///< the lowest of each group of equal centroids, ascending
  std::vector<Label> group;      ///< k: where each centroid's group stands in `distinct`
  FilterCentroids<T> own;        ///< the filter in T
  FilterCentroids<double> wide;  ///< and in double, for rows that float cannot settle
  detail::Batching batching;
  bool fused = false;  ///< scores are not written to memory
  CentroidUpdate update = CentroidUpdate::automatic;
  int n_threads = 1;
  DistanceFunction<T> distance = nullptr;
};

/// A hash of a row's values under which -0 and 0 are one.
template <Real T>
[[nodiscard]] std::uint64_t hash_row(const T* row, Index d) {
  std::uint64_t hash = 0x9E3779B97F4A7C15U;
  for (Index q = 0; q < d; ++q) {
    hash ^= std::bit_cast<std::uint64_t>(static_cast<double>(row[q]) + 0.0);
    hash *= 0xD6E8FEB86659FD93U;
    hash ^= hash >> 32;
  }
  return hash;
}

/// Finds groups of equal centroids: rows tie between them for ever, and the lowest stands for all. k log k + k d.
template <Real T, class Bound>
void merge_equal(Prepared<T, Bound>& prepared) {
  const MatrixView<const T> c = prepared.c;
  struct Hashed {
    std::uint64_t hash;
    Label j;
  };
  std::vector<Hashed> order;
  for (Index j = 0; j < c.rows(); ++j) order.push_back({hash_row(c.row(j), c.cols()), static_cast<Label>(j)});
  std::sort(order.begin(), order.end(),
            [](const Hashed& a, const Hashed& b) { return a.hash < b.hash || (a.hash == b.hash && a.j < b.j); });
  std::vector<Label> lowest(order.size()), met;  // met: the distinct rows of the present hash
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Label j = order[i].j;
    if (i == 0 || order[i].hash != order[i - 1].hash) met.clear();
    const auto same = std::find_if(
        met.begin(), met.end(), [&](Label other) { return std::equal(c.row(j), c.row(j) + c.cols(), c.row(other)); });
    lowest[static_cast<std::size_t>(j)] = same == met.end() ? j : *same;
    if (same == met.end()) met.push_back(j);
  }
  prepared.group.resize(lowest.size());
  for (std::size_t j = 0; j < lowest.size(); ++j) {
    const auto first = static_cast<std::size_t>(lowest[j]);
    if (first == j) prepared.distinct.push_back(static_cast<Label>(j));
    prepared.group[j] = first == j ? static_cast<Label>(prepared.distinct.size() - 1) : prepared.group[first];
  }
}

/// Up to so many features rows are scored in registers, beyond by a matrix product: none was found where that pays.
inline constexpr Index fused_up_to = (std::numeric_limits<Index>::max)();

template <Real T, class Bound = Sound>
[[nodiscard]] Prepared<T, Bound> prepare(MatrixView<const T> c, std::span<const T> o, const detail::Batching& batching,
                                         const Options& options, int n_threads, Isa isa) {
  Prepared<T, Bound> prepared;
  prepared.c = c;
  prepared.o = o;
  prepared.batching = batching;
  prepared.fused = options.assignment == Assignment::fused ||
                   (options.assignment == Assignment::automatic && c.cols() <= fused_up_to);
  prepared.update = options.update;
  prepared.n_threads = n_threads;
  prepared.distance = distance_function<T>(isa);
  merge_equal(prepared);
  const auto fill = [&](auto& filter) {
    filter.fill(c, std::span<const Label>(prepared.distinct), o, isa, Bound{});
    if (prepared.fused) filter.lay_out_panels();
  };
  fill(prepared.own);
  if constexpr (std::same_as<T, float>) fill(prepared.wide);
  return prepared;
}

}  // namespace lloyd::cpu
