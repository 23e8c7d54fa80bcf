// SPDX-License-Identifier: MIT
/// @file
/// The silhouette with distances to centroids in place of mean distances to rows: n k of them, not n^2.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "lloyd/cpu/lanes.hpp"
#include "lloyd/cpu/parallel.hpp"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/metrics/input.hpp"
#include "lloyd/metrics/silhouette.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Rows by cluster; labels must be numbers of centroids, at least two of which have rows, and fewer than there are
/// rows.
[[nodiscard]] inline std::vector<Index> sizes_of_clusters(std::span<const Label> labels, Index k, const char* who) {
  std::vector<Index> sizes(static_cast<std::size_t>(k), 0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    demand(labels[i] >= 0 && labels[i] < k, who, ": label ", i, " is ", labels[i], ", expected 0 .. ", k - 1,
           " (one of the centroids)");
    ++sizes[static_cast<std::size_t>(labels[i])];
  }
  const auto used = k - std::count(sizes.begin(), sizes.end(), Index{0});
  require_clusters(used, static_cast<Index>(labels.size()), who);
  return sizes;
}

template <Real T>
[[nodiscard]] double simplified_silhouette(MatrixView<const T> x, MatrixView<const T> c, std::span<const Label> labels,
                                           const Computing& computing) {
  const std::vector<Index> sizes = sizes_of_clusters(labels, c.rows(), computing.who);
  const cpu::DistanceFunction<T> distance = cpu::distance_function<T>(computing.isa);
  const auto of_row = [&](Index i) {
    const Label own = labels[static_cast<std::size_t>(i)];
    if (sizes[static_cast<std::size_t>(own)] == 1) return 0.0;
    double a = 0, b = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < c.rows(); ++j) {
      if (sizes[static_cast<std::size_t>(j)] == 0) continue;
      const double d2 = distance(x.row(i), c.row(j), x.cols());
      if (j == own) a = d2;
      if (j != own) b = (std::min)(b, d2);
    }
    return silhouette_of(std::sqrt(a), std::sqrt(b));
  };
  const double work = static_cast<double>(x.rows()) * static_cast<double>(c.rows() * (x.cols() + 16));
  ExactSum sum;
  cpu::for_each_batch(
      computing.parts(work, x.rows()), x.rows(), 512, [] { return ExactSum(); },
      [&](ExactSum& own, Index begin, Index count) {
        for (Index i = begin; i < begin + count; ++i) own.add(of_row(i));
      },
      [&](const ExactSum& own) { sum.merge(own); });
  return sum.value() / static_cast<double>(x.rows());
}

}  // namespace lloyd::inline LLOYD_ABI::detail
