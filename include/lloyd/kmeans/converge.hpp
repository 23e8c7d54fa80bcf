// SPDX-License-Identifier: MIT
/// @file
/// When the loop stops, and the inertia that it can show without a pass.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "lloyd/kmeans/distance.hpp"
#include "lloyd/kmeans/workspace.hpp"

namespace lloyd::detail {

/// A sum over all clusters: the mean of column q over all rows comes from it.
inline std::vector<std::int64_t> sum_over_clusters(const SumsView& sums) {
  const SumsShape& shape = sums.shape();
  std::vector<std::int64_t> total(static_cast<std::size_t>(shape.limbs * shape.columns), 0);
  for (Index j = 0; j < shape.k; ++j)
    for (std::size_t i = 0; i < total.size(); ++i) add_wrapping(total[i], sums.cluster(j)[i], 1);
  return total;
}

/// The mean over columns of the weighted variance of x, from the sums and the scatter about o:
/// (sum_i w_i ||x_i - o||^2 - W ||mean - o||^2) / (W d).
template <Real T>
[[nodiscard]] double mean_column_variance(const SumsView& sums, const Quanta& quanta, std::span<const T> o,
                                          const Rows& rows, double scatter) {
  const SumsShape& shape = sums.shape();
  const auto total = sum_over_clusters(sums);
  const auto column = [&](Index q) {
    return LimbSum{total.data() + q, shape.columns, shape.limbs, quanta.bits,
                   quanta.exponent[static_cast<std::size_t>(q)]};
  };
  const LimbSum count{&rows.n, 1, 1, 0, 0};
  const LimbSum weight = shape.weighted() ? column(shape.d) : count;
  const std::int64_t one = 1;
  const double w = quotient<double>(weight, LimbSum{&one, 1, 1, 0, 0});
  std::vector<double> mean(static_cast<std::size_t>(shape.d)), origin(o.begin(), o.end());
  for (Index q = 0; q < shape.d; ++q) mean[static_cast<std::size_t>(q)] = quotient<double>(column(q), weight);
  // The fma is written out so that no compiler's contraction changes when a fit stops.
  const double within = std::fma(-w, distance(mean.data(), origin.data(), shape.d), scatter);
  return (std::max)(within, 0.0) / (w * static_cast<double>(shape.d));
}

/// sum_i w_i ||x_i - c'_{l_i}||^2 = scatter - sum_j m_j ||mean_j - o||^2 + sum_j m_j ||c'_j - mean_j||^2, about: it
/// loses the digits by which the scatter about o exceeds the inertia.
template <Real T>
[[nodiscard]] double estimate_inertia(const SumsView& sums, const Quanta& quanta, MatrixView<const T> next,
                                      std::span<const T> o, double scatter) {
  const SumsShape& shape = sums.shape();
  const std::int64_t one = 1;
  std::vector<double> mean(static_cast<std::size_t>(shape.d)), origin(o.begin(), o.end()), centroid(mean.size());
  double inertia = scatter;
  for (Index j = 0; j < shape.k; ++j) {
    if (sums.occupancy(j) == 0) continue;
    for (Index q = 0; q < shape.d; ++q) {
      mean[static_cast<std::size_t>(q)] = quotient<double>(sums.sum(quanta, j, q), sums.weight(quanta, j));
      centroid[static_cast<std::size_t>(q)] = static_cast<double>(next(j, q));
    }
    const double m = quotient<double>(sums.weight(quanta, j), LimbSum{&one, 1, 1, 0, 0});
    inertia += m * (distance(centroid.data(), mean.data(), shape.d) - distance(mean.data(), origin.data(), shape.d));
  }
  return (std::max)(inertia, 0.0);
}

}  // namespace lloyd::detail
