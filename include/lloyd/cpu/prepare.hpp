// SPDX-License-Identifier: MIT
/// @file
/// Centroids made ready for assigning rows: equal ones merged, laid out for the filters.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lloyd/cpu/bounds.hpp"
#include "lloyd/cpu/filter_centroids.hpp"
#include "lloyd/cpu/lanes.hpp"
#include "lloyd/cpu/move_row.hpp"
#include "lloyd/cpu/space.hpp"
#include "lloyd/kmeans/batching.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/options.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// Rows that are put in the order of space at once: by then most chunks lie together.
inline constexpr Index rows_in_space = 16384;

/// Centroids ready for assigning rows of T.
template <Real T, class Bound = Sound>
struct Prepared {
  MatrixView<const T> c;         ///< k x d, as given
  std::span<const T> o;          ///< d, near them
  std::vector<Label> distinct;   ///< the lowest of each group of equal centroids, in the order of space, drift or label
  std::vector<Label> group;      ///< k: where each centroid's group stands in `distinct`
  std::vector<Label> members;    ///< by group: how many are equal
  Drift drift;                   ///< since the pass before, if there was one
  Space space;                   ///< where features are few and centroids many
  FilterCentroids<T> own;        ///< the filter in T
  FilterCentroids<double> wide;  ///< and in double, for rows that float cannot settle
  detail::Batching batching;
  CentroidUpdate update = CentroidUpdate::automatic;
  int n_threads = 1;
  DistanceFunction<T> distance = nullptr;
  MoveRowFunction<T> move_row = nullptr;

  /// Rows, of n, that a thread takes at once: more than a batch where they are put in order, so that it pays, within
  /// the bytes of a tile.
  [[nodiscard]] Index rows_at_once(Index n, bool bounded) const {
    const Index share = (n + n_threads - 1) / n_threads, a_row = 256 + c.rows() / 12;  // bytes in the order of space
    const Index fitting = static_cast<Index>(batching.tile_budget) / a_row;
    const Index most = space.known() ? (std::min)(rows_in_space, fitting) : bounded ? 8 * batching.rows : 1;
    return (std::max)(batching.rows, (std::min)(most, share));
  }
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

template <Real T, class Bound = Sound>
[[nodiscard]] Prepared<T, Bound> prepare(MatrixView<const T> c, std::span<const T> o, const detail::Batching& batching,
                                         const Options& options, MatrixView<const T> before, int n_threads, Isa isa) {
  Prepared<T, Bound> prepared;
  prepared.c = c;
  prepared.o = o;
  prepared.batching = batching;
  prepared.update = options.update;
  prepared.n_threads = (std::min)(n_threads, batching.workers);
  prepared.distance = distance_function<T>(isa);
  prepared.move_row = move_row_function<T>(isa);
  merge_equal(prepared);
  const Index panel = kernel_set<T>(isa).centroids;
  // by k, not by how many are distinct, so that all passes of a fit do the same
  if (pays_in_space(c.rows(), c.cols())) {
    prepared.space.arrange(c, panel, prepared.distinct, prepared.group);
  } else if (before.rows() > 0 && keeps_bounds(c.rows(), c.cols())) {
    prepared.drift.measure(before, c, prepared.distance, panel, prepared.distinct, prepared.group);
  }
  prepared.members.assign(prepared.distinct.size(), 0);
  for (const Label u : prepared.group) ++prepared.members[static_cast<std::size_t>(u)];
  const auto fill = [&]<Real F>(FilterCentroids<F>& filter) {
    const Scoring scoring = scoring_of<F>(c.rows(), c.cols(), isa, options.assignment);
    filter.fill(c, std::span<const Label>(prepared.distinct), o, isa, scoring, Bound{});
  };
  fill(prepared.own);
  if constexpr (std::same_as<T, float>) fill(prepared.wide);
  return prepared;
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
