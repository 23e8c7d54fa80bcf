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

#include "lloyd/cpu/gram.hpp"
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

/// Distinct centroids for a filter in F. docs/numerics.md derives the bound: with s_j = h_j - x'.c'_j, x' = scale (x -
/// o), |s_j - scale^2 (D(x, c_j) - ||x - o||^2) / 2| <= |x'| slope_j + offset_j + row_square |x'|^2 + row_linear |x'| +
/// row_constant.
template <Real F>
struct FilterCentroids {
  Index k = 0, d = 0;
  std::vector<F> c;              ///< k x d: scale (c_j - o)
  std::vector<F> h;              ///< k: scale^2 ||c_j - o||^2 / 2
  std::vector<F> slope, offset;  ///< k: the bound's terms
  double scale = 1;              ///< a power of two that brings the largest |c_jq - o_q| to 1/2 .. 1
  double row_square = 0, row_linear = 0, row_constant = 0;
  bool usable = true;  ///< false: chains too long for F to certify anything

  template <Real T, class Bound>
  void fill(MatrixView<const T> centroids, std::span<const Label> distinct, std::span<const T> o, Index chain,
            Bound /*bound*/) {
    k = static_cast<Index>(distinct.size());
    d = centroids.cols();
    const auto size = static_cast<std::size_t>(k);
    c.resize(size * static_cast<std::size_t>(d));
    for (auto* values : {&h, &slope, &offset}) values->resize(size);
    const auto shifted = [&](std::size_t j, Index q) {
      return static_cast<double>(centroids(distinct[j], q)) - static_cast<double>(o[static_cast<std::size_t>(q)]);
    };
    double largest = 0;
    for (std::size_t j = 0; j < size; ++j)
      for (Index q = 0; q < d; ++q) largest = (std::max)(largest, std::fabs(shifted(j, q)));
    scale = largest > 0 ? detail::power_of_two(std::clamp(-detail::exponent_of(largest) - 1, -1000, 490)) : 1;

    constexpr double unit = std::numeric_limits<F>::epsilon() / 2, unit_d = 0x1p-53;
    const double tiny =
        Bound::factor * static_cast<double>(d) * static_cast<double>(std::numeric_limits<F>::denorm_min());
    const double n_u = static_cast<double>(chain + 8) * unit;
    usable = n_u < 0.25;
    const double gamma = Bound::factor * n_u / (1 - n_u);
    const double of_d = Bound::covers_distance ? Bound::factor * rounding_of_distance(d) : 0;
    for (std::size_t j = 0; j < size; ++j) {
      double lane[8] = {};
      for (Index q = 0; q < d; ++q) {
        const double value = shifted(j, q) * scale;
        c[j * static_cast<std::size_t>(d) + static_cast<std::size_t>(q)] = static_cast<F>(value);
        lane[q % 8] += value * value;
      }
      h[j] = static_cast<F>(detail::sum_lanes(lane) / 2);
      const double square = detail::sum_lanes(lane) * (1 + rounding_of_distance(d));
      const double norm = std::sqrt(square) * (1 + 4 * unit_d);
      slope[j] = static_cast<F>(((gamma + 2 * of_d) * norm + tiny) * (1 + 16 * unit));
      offset[j] = static_cast<F>((gamma * square / 2 + of_d * square + tiny) * (1 + 16 * unit));
    }
    row_square = of_d * (1 + 16 * unit);
    row_linear = 4 * tiny;
    row_constant = 4 * tiny + Bound::factor * static_cast<double>(d) * 0x1p-90;
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

/// Below so many features the scores of a row stay in registers; above, they are a matrix product. Measured once on
/// two cores (docs/performance.md).
inline constexpr Index fused_up_to = 12;

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
  const Index chain = prepared.fused ? c.cols() : chain_length(c.cols());
  prepared.own.fill(c, std::span<const Label>(prepared.distinct), o, chain, Bound{});
  if constexpr (std::same_as<T, float>)
    prepared.wide.fill(c, std::span<const Label>(prepared.distinct), o, chain, Bound{});
  return prepared;
}

}  // namespace lloyd::cpu
