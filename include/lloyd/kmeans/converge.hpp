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

namespace lloyd::inline LLOYD_ABI::detail {

/// A sum over all clusters: the mean of column q over all rows comes from it.
inline std::vector<std::int64_t> sum_over_clusters(const SumsView& sums) {
  const SumsShape& shape = sums.shape();
  std::vector<std::int64_t> total(static_cast<std::size_t>(shape.limbs * shape.columns), 0);
  for (Index j = 0; j < shape.k; ++j)
    for (std::size_t i = 0; i < total.size(); ++i) add_wrapping(total[i], sums.cluster(j)[i], 1);
  return total;
}

/// The mean of all rows, correctly rounded, and their weight. Both come from the sums, at no read of x.
struct RowsMean {
  std::vector<double> value;
  double weight = 0;
};
[[nodiscard]] inline RowsMean mean_of_rows(const SumsView& sums, const Quanta& quanta, const Rows& rows) {
  const SumsShape& shape = sums.shape();
  const auto total = sum_over_clusters(sums);
  const auto column = [&](Index q) {
    return LimbSum{total.data() + q, shape.columns, shape.limbs, quanta.bits,
                   quanta.exponent[static_cast<std::size_t>(q)]};
  };
  const LimbSum count{&rows.n, 1, 1, 0, 0};
  const LimbSum weight = shape.weighted() ? column(shape.d) : count;
  const std::int64_t one = 1;
  RowsMean mean{{}, quotient<double>(weight, LimbSum{&one, 1, 1, 0, 0})};
  for (Index q = 0; q < shape.d; ++q) mean.value.push_back(quotient<double>(column(q), weight));
  return mean;
}

/// sum_i w_i ||x_i - mean||^2 = scatter - W ||mean - o||^2, where scatter = sum_i w_i ||x_i - o||^2.
template <Real T>
[[nodiscard]] double scatter_about_mean(const RowsMean& mean, std::span<const T> o, double scatter) {
  const std::vector<double> origin(o.begin(), o.end());
  const double shift = distance(mean.value.data(), origin.data(), static_cast<Index>(origin.size()));
  // The fma is written out so that no compiler's contraction changes when a fit stops.
  return (std::max)(std::fma(-mean.weight, shift, scatter), 0.0);
}

/// Whether o lies so far from the mean that the difference above is made of rounding errors, by its own digits or by
/// those of the mean. The same on every rank, backend and compiler: products and comparisons alone.
template <Real T>
[[nodiscard]] bool loses_variance(const RowsMean& mean, std::span<const T> o, double scatter) {
  const std::vector<double> origin(o.begin(), o.end()), zero(origin.size(), 0.0);
  const auto d = static_cast<Index>(origin.size());
  const double within = scatter_about_mean(mean, o, scatter);
  const double shift = std::sqrt(distance(mean.value.data(), origin.data(), d));
  const double error = mean.weight * shift * (0x1p-52 * std::sqrt(distance(mean.value.data(), zero.data(), d)));
  return within < 0x1p-20 * scatter || within < 0x1p10 * error;
}

/// The mean over columns of the weighted variance of x, from the sums and the scatter about o:
/// (sum_i w_i ||x_i - o||^2 - W ||mean - o||^2) / (W d).
template <Real T>
[[nodiscard]] double mean_column_variance(const RowsMean& mean, std::span<const T> o, double scatter) {
  return scatter_about_mean(mean, o, scatter) / (mean.weight * static_cast<double>(o.size()));
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

}  // namespace lloyd::inline LLOYD_ABI::detail
