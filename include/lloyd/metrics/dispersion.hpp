// SPDX-License-Identifier: MIT
/// @file
/// Scores from the means of clusters and the distances to them, in double for float rows too.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "lloyd/cpu/lanes.hpp"
#include "lloyd/cpu/move_row.hpp"
#include "lloyd/cpu/parallel.hpp"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/kmeans/survey.hpp"
#include "lloyd/metrics/input.hpp"
#include "lloyd/metrics/partition.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// The mean of every cluster (k x d) and of all rows: sums are exact, quotients rounded once.
struct ClusterMeans {
  Matrix<double> of_clusters, of_all;

  /// Threads have sums of their own, so there are as many of them as the budget holds.
  template <Real T>
  ClusterMeans(MatrixView<const T> x, const Partition& partition, const Survey& survey, const Computing& computing)
      : of_clusters(partition.clusters(), x.cols()), of_all(1, x.cols()) {
    const Index d = x.cols(), k = partition.clusters();
    const Quanta quanta = choose_quanta(x.rows(), survey.columns(std::numeric_limits<T>::digits, lowest_bit<T>));
    const SumsShape shape(k, d, quanta);
    const std::size_t bytes = static_cast<std::size_t>(shape.size()) * sizeof(std::int64_t);
    const auto affordable = static_cast<Index>(computing.budget / bytes);
    demand(affordable >= 1, computing.who, ": memory_budget ", computing.budget, " bytes is too small: sums of ", k,
           " clusters (d = ", d, ") need ", bytes);
    const auto move_row = cpu::move_row_function<T>(computing.isa);
    using Integers = std::vector<std::int64_t>;
    Integers all;
    cpu::for_each_batch(
        computing.parts(static_cast<double>(x.rows()) * static_cast<double>(d), affordable), x.rows(), 2048,
        [&] { return Integers(static_cast<std::size_t>(shape.size()), 0); },
        [&](Integers& own, Index begin, Index count) {
          const SumsView sums(own, shape);
          for (Index i = begin; i < begin + count; ++i) {
            const Label j = partition.number[static_cast<std::size_t>(i)];
            move_row(x.row(i), 1, shape, quanta, nullptr, sums.cluster(j));
            ++sums.cluster_size(j);
          }
        },
        [&](Integers& own) {
          if (all.empty()) all.swap(own);
          for (std::size_t i = 0; i < own.size(); ++i) add_wrapping(all[i], own[i], 1);
        });
    divide(SumsView(all, shape), quanta);
  }

 private:
  void divide(const SumsView& sums, const Quanta& quanta) {
    const SumsShape& shape = sums.shape();
    for (Index j = 0; j < shape.k; ++j)
      for (Index q = 0; q < shape.d; ++q)
        of_clusters(j, q) = quotient<double>(sums.sum(quanta, j, q), sums.weight(quanta, j));
    for (Index j = 1; j < shape.k; ++j) {
      for (Index place = 0; place < shape.limbs * shape.columns; ++place)
        add_wrapping(sums.cluster(0)[place], sums.cluster(j)[place], 1);
      sums.cluster_size(0) += sums.cluster_size(j);
    }
    for (Index q = 0; q < shape.d; ++q) of_all(0, q) = quotient<double>(sums.sum(quanta, 0, q), sums.weight(quanta, 0));
  }
};

/// Sums over rows of D to the mean of the row's cluster, or of its root.
struct Spread {
  std::vector<double> of_clusters;  ///< each rounded once
  ExactSum total;
};

/// Clusters are shared between threads.
template <Real T>
[[nodiscard]] Spread spread_of(MatrixView<const T> x, const ClusterOrder& order, const Matrix<double>& means,
                               const Computing& computing, bool roots) {
  const Index d = x.cols();
  const auto distance = cpu::distance_function<double>(computing.isa);
  struct Worker {
    ExactSum total;
    std::vector<double> row;
  };
  Spread spread{std::vector<double>(static_cast<std::size_t>(order.clusters())), {}};
  cpu::for_each_batch(
      computing.parts(static_cast<double>(order.rows()) * static_cast<double>(d + 16), order.clusters()),
      order.clusters(), 1,
      [&] {
        return Worker{{}, std::vector<double>(static_cast<std::size_t>(d))};
      },
      [&](Worker& worker, Index j, Index) {
        ExactSum sum;
        for (Index p = order.begin(j); p < order.end(j); ++p) {
          std::copy_n(x.row(order.row(p)), d, worker.row.begin());
          const double d2 = distance(worker.row.data(), means.row(j), d);
          sum.add(roots ? std::sqrt(d2) : d2);
        }
        spread.of_clusters[static_cast<std::size_t>(j)] = sum.value();
        worker.total.merge(sum);
      },
      [&](const Worker& worker) { spread.total.merge(worker.total); });
  return spread;
}

/// (B / (k - 1)) / (W / (n - k)): B the spread of the clusters' means about that of all rows, W that of rows about
/// theirs.
template <Real T>
[[nodiscard]] double calinski_harabasz(MatrixView<const T> x, const Partition& partition, const Survey& survey,
                                       const Computing& computing) {
  const ClusterMeans means(x, partition, survey, computing);
  const double within = spread_of(x, ClusterOrder(partition), means.of_clusters, computing, false).total.value();
  const Index k = partition.clusters(), n = x.rows();
  ExactSum between;
  for (Index j = 0; j < k; ++j)
    between.add_product(static_cast<double>(partition.sizes[static_cast<std::size_t>(j)]),
                        distance(means.of_clusters.row(j), means.of_all.row(0), x.cols()));
  if (within == 0) return 1;
  return between.value() / within * (static_cast<double>(n - k) / static_cast<double>(k - 1));
}

/// The mean over clusters of the largest (s_i + s_j) / |m_i - m_j|, s_j the mean distance to the mean m_j. Clusters
/// with one mean between them are not compared.
template <Real T>
[[nodiscard]] double davies_bouldin(MatrixView<const T> x, const Partition& partition, const Survey& survey,
                                    const Computing& computing) {
  const ClusterMeans means(x, partition, survey, computing);
  std::vector<double> s = spread_of(x, ClusterOrder(partition), means.of_clusters, computing, true).of_clusters;
  for (std::size_t j = 0; j < s.size(); ++j) s[j] /= static_cast<double>(partition.sizes[j]);
  const Index k = partition.clusters();
  const auto apart = cpu::distance_function<double>(computing.isa);
  ExactSum sum;
  cpu::for_each_batch(
      computing.parts(static_cast<double>(k) * static_cast<double>(k * (x.cols() + 16)), k), k, 1,
      [] { return ExactSum(); },
      [&](ExactSum& own, Index i, Index) {
        double worst = 0;
        for (Index j = 0; j < k; ++j) {
          const double d2 = apart(means.of_clusters.row(i), means.of_clusters.row(j), x.cols());
          if (d2 > 0)
            worst =
                (std::max)(worst, (s[static_cast<std::size_t>(i)] + s[static_cast<std::size_t>(j)]) / std::sqrt(d2));
        }
        own.add(worst);
      },
      [&](const ExactSum& own) { sum.merge(own); });
  return sum.value() / static_cast<double>(k);
}

}  // namespace lloyd::inline LLOYD_ABI::detail
