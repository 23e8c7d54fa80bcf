// SPDX-License-Identifier: MIT
/// @file
/// Rows that some new centroid may be nearer to than what they have: the others are not even read where the distance
/// between the centroids shows it.
/// @see Elkan (2003), Using the triangle inequality to accelerate k-means, ICML.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "lloyd/cpu/filter.hpp"
#include "lloyd/cpu/prepare.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// limit_j: where d2_i = D(x_i, s_j) <= limit_j, no centroid y of `prepared` has D(x_i, y) < d2_i. Empty without seeds.
///
/// ||x - y|| >= ||y - s_j|| - ||x - s_j|| >= ||x - s_j|| where ||y - s_j|| >= 2 ||x - s_j||; four D's are rounded on
/// the way.
template <Real T, class Bound>
[[nodiscard]] std::vector<double> reach_of(const Prepared<T, Bound>& prepared, MatrixView<const T> seeds) {
  std::vector<double> limits(static_cast<std::size_t>(seeds.rows()));
  const double slack = 1 - 8 * rounding_of_distance(seeds.cols()) - 0x1p-50;
  const auto limit_of = [&](Index j) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const Label c : prepared.distinct)
      nearest = (std::min)(nearest, prepared.distance(prepared.c.row(c), seeds.row(j), seeds.cols()));
    return nearest > 0x1p-900 ? nearest / 4 * slack : -1;  // below, the rounding of subnormals would count
  };
  constexpr Index batch = 64;
  for_each_batch(
      prepared.n_threads, seeds.rows(), batch, [] { return 0; },
      [&](int, Index begin, Index count) {
        for (Index j = begin; j < begin + count; ++j) limits[static_cast<std::size_t>(j)] = limit_of(j);
      },
      [](int) {});
  return limits;
}

/// One thread's search.
template <Real T, class Bound>
class Nearer {
 public:
  /// @param limits  of reach_of; empty: no row is skipped
  Nearer(const Prepared<T, Bound>& prepared, MatrixView<const T> x, std::span<const double> limits)
      : prepared_(&prepared), x_(x), limits_(limits) {}

  /// Calls nearer(i, c, D(x_i, c)) for rows i of begin .. begin + count - 1 and distinct centroids c with D < d2_i, or
  /// with the D of a higher one that it was called with. It returns the d2_i that counts from then on.
  template <class Visit>
  void find(Index begin, Index count, std::span<const double> d2, std::span<const Label> labels, const Visit& nearer) {
    const FilterCentroids<T>& centroids = prepared_->own;
    if (limits_.empty()) {
      filter_.pack(centroids, x_, prepared_->o, RowRun{begin, count});
    } else {
      choose(begin, count, d2, labels);
      if (rows_.empty()) return;
      filter_.pack(centroids, x_, prepared_->o, rows_);
    }
    const auto row = [&](std::size_t r) { return limits_.empty() ? begin + static_cast<Index>(r) : rows_[r]; };
    const auto evaluate = [&](std::size_t r, Index u) {
      const Index i = row(r);
      const Label c = prepared_->distinct[static_cast<std::size_t>(u)];
      const double candidate = prepared_->distance(x_.row(i), prepared_->c.row(c), x_.cols());
      const double least = d2[static_cast<std::size_t>(i)];
      if (!(candidate < least || (candidate == least && c < lowest_[r]))) return;
      lowest_[r] = c;
      const double now = nearer(i, c, candidate);
      if (now < least) filter_.exclude_not_below(centroids, r, now * beyond_ties);
    };
    const std::size_t packed = limits_.empty() ? static_cast<std::size_t>(count) : rows_.size();
    lowest_.assign(packed, -1);
    filter_.exclude_not_below(centroids, limits_.empty() ? d2.subspan(static_cast<std::size_t>(begin), packed)
                                                         : std::span<const double>(own_));
    for (std::size_t r = 0; r < packed && !filter_.rows().all_usable(); ++r)
      for (Index u = 0; u < centroids.k && !filter_.rows().usable(centroids, r); ++u) evaluate(r, u);
    filter_.for_each_hit(centroids, prepared_->batching.centroids, [&](std::size_t r, Index u, T) { evaluate(r, u); });
  }

 private:
  static constexpr double beyond_ties = 1 + 0x1p-50;

  void choose(Index begin, Index count, std::span<const double> d2, std::span<const Label> labels) {
    rows_.resize(static_cast<std::size_t>(count));
    own_.resize(rows_.size());
    std::size_t chosen = 0;
    for (Index i = begin; i < begin + count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      rows_[chosen] = i;
      own_[chosen] = d2[at];
      chosen += static_cast<std::size_t>(!(d2[at] <= limits_[static_cast<std::size_t>(labels[at])]));
    }
    rows_.resize(chosen);
    own_.resize(chosen);
  }

  const Prepared<T, Bound>* prepared_;
  MatrixView<const T> x_;
  std::span<const double> limits_;
  Filter<T> filter_;
  std::vector<Index> rows_;
  std::vector<double> own_;    // their d2
  std::vector<Label> lowest_;  // centroid found at the present least distance, or -1
};

}  // namespace lloyd::inline LLOYD_ABI::cpu
