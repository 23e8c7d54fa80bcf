// SPDX-License-Identifier: MIT
/// @file
/// How good a clustering is, and how far two of them agree. Needs neither KMeans nor Eigen.
///
/// Labels are any span of Label: a clustering's, or those of another program; values that no row has are no clusters.
/// Rows are whatever KMeans takes in memory. Distances are roots of the library's D (docs/numerics.md) in double, means
/// are of exact sums: a score is the same, bit for bit, for any number of threads, any tiling, every instruction set,
/// and any order of the rows. What is asked of labels alone takes no options, and one thread.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "lloyd/kmeans/environment.hpp"
#include "lloyd/kmeans/interop.hpp"
#include "lloyd/metrics/agreement.hpp"
#include "lloyd/metrics/dispersion.hpp"
#include "lloyd/metrics/input.hpp"
#include "lloyd/metrics/match.hpp"
#include "lloyd/metrics/options.hpp"
#include "lloyd/metrics/partition.hpp"
#include "lloyd/metrics/sample.hpp"
#include "lloyd/metrics/silhouette.hpp"
#include "lloyd/metrics/simplified.hpp"

namespace lloyd::inline LLOYD_ABI {

/// The silhouette of every row: how much nearer its own cluster is than the next one, from -1 to 1.
///
/// s_i = (b_i - a_i) / max(a_i, b_i): a_i the mean distance to the other rows of its cluster, b_i the least mean
/// distance to the rows of another; 0 for a row that is alone, and where a_i = b_i = 0.
/// @param x        n x d; only read
/// @param labels   n
/// @param options  threads, memory and, for the score, the sample
/// @return n silhouettes
/// @throws InvalidArgument for no rows, labels that are not n, fewer than 2 or more than n - 1 clusters, values that
///         are not finite or (float64) beyond 2^500, bad options, a memory_budget that is too small
/// Complexity: n^2 / 2 distances of d features in double, each pair once; memory: 40 bytes a row, O(k d), and
///             memory_budget.
/// @see Rousseeuw (1987), Silhouettes: a graphical aid to the interpretation and validation of cluster analysis.
template <class X>
[[nodiscard]] std::vector<double> silhouette_samples(const X& x, std::span<const Label> labels,
                                                     const MetricOptions& options = {}) {
  const detail::DefaultEnvironment environment;
  const detail::Computing computing(options, "silhouette_samples");
  const auto rows = detail::rows_of_matrix(x);
  (void)detail::require_rows(rows, labels, computing);
  const detail::ClusterOrder order{detail::Partition(labels)};
  detail::require_clusters(order.clusters(), order.rows(), computing.who);
  const std::vector<double> sorted = detail::Silhouettes(rows, order, computing).run();
  std::vector<double> out(sorted.size());
  for (std::size_t p = 0; p < sorted.size(); ++p) out[static_cast<std::size_t>(order.order[p])] = sorted[p];
  return out;
}

/// The mean of silhouette_samples, over all rows or over a sample of them: the more, the better.
///
/// With sample_size the score is that of the sample alone, as if there were no other rows: its rows are compared with
/// each other only. The sample depends on the seed and on n, on nothing else.
/// @param x, labels, options  as for silhouette_samples
/// @throws as silhouette_samples, also for a sample with fewer than 2 clusters or nothing else but rows that are alone
/// Complexity: as silhouette_samples, n being the size of the sample, and one look at all rows.
template <class X>
[[nodiscard]] double silhouette_score(const X& x, std::span<const Label> labels, const MetricOptions& options = {}) {
  const detail::DefaultEnvironment environment;
  const detail::Computing computing(options, "silhouette_score", true);
  const auto rows = detail::rows_of_matrix(x);
  (void)detail::require_rows(rows, labels, computing);
  const bool sampled = options.sample_size > 0 && options.sample_size < rows.rows();
  std::vector<Index> sample;
  std::vector<Label> labels_of_sample;
  if (sampled) {
    sample = detail::sample_rows(rows.rows(), options.sample_size, options.seed);
    for (const Index i : sample) labels_of_sample.push_back(labels[static_cast<std::size_t>(i)]);
  }
  detail::ClusterOrder order{detail::Partition(sampled ? labels_of_sample : labels)};
  detail::require_clusters(order.clusters(), order.rows(), computing.who);
  if (sampled)
    for (Index& i : order.order) i = sample[static_cast<std::size_t>(i)];
  detail::ExactSum sum;
  for (const double s : detail::Silhouettes(rows, order, computing).run()) sum.add(s);
  return sum.value() / static_cast<double>(order.rows());
}

/// The mean silhouette with distances to centroids in place of mean distances to rows: for data too large for
/// silhouette_score, whose order of clusterings it mostly keeps. Not the same number: it is larger, as a rule.
///
/// (b_i - a_i) / max(a_i, b_i): a_i the distance to the row's centroid, b_i that to the nearest other; 0 for a row that
/// is alone in its cluster.
/// @param x          n x d; only read
/// @param centroids  k x d, of x's scalar type
/// @param labels     n, each 0 .. k - 1. A centroid that no row has is left out.
/// @param options    as for silhouette_samples
/// @throws as silhouette_samples, also for centroids of another width and labels that are not one of them
/// Complexity: n k distances of d features in double; memory: O(k).
/// @see Hruschka, de Castro, Campello (2004), Evolutionary algorithms for clustering gene-expression data.
template <class X, class M>
[[nodiscard]] double simplified_silhouette(const X& x, const M& centroids, std::span<const Label> labels,
                                           const MetricOptions& options = {}) {
  const detail::DefaultEnvironment environment;
  const detail::Computing computing(options, "simplified_silhouette");
  const auto rows = detail::rows_of_matrix(x);
  using T = typename decltype(rows)::Scalar;
  const auto c = detail::rows_of_matrix(centroids);
  static_assert(std::same_as<typename decltype(c)::Scalar, T>,
                "lloyd: centroids and rows must have the same scalar type");
  (void)detail::require_rows(rows, labels, computing);
  detail::validate_centroids(c, rows.cols(), computing.who);
  return detail::simplified_silhouette<T>(rows, c, labels, computing);
}

/// The spread of the clusters' means over that of the rows about them, each by its degrees of freedom: the more, the
/// better. (B / (k - 1)) / (W / (n - k)); 1 where every row is at its mean.
///
/// @param x, labels, options  as for silhouette_samples
/// @throws as silhouette_samples
/// Complexity: 2 reads of x; memory: 20 bytes a row, O(k d), and memory_budget.
/// @see Calinski, Harabasz (1974), A dendrite method for cluster analysis.
template <class X>
[[nodiscard]] double calinski_harabasz_score(const X& x, std::span<const Label> labels,
                                             const MetricOptions& options = {}) {
  const detail::DefaultEnvironment environment;
  const detail::Computing computing(options, "calinski_harabasz_score");
  const auto rows = detail::rows_of_matrix(x);
  const detail::Survey survey = detail::require_rows(rows, labels, computing);
  const detail::Partition partition(labels);
  detail::require_clusters(partition.clusters(), rows.rows(), computing.who);
  return detail::calinski_harabasz(rows, partition, survey, computing);
}

/// How close clusters are for their widths, in the worst case for each of them: the less, the better.
///
/// The mean over i of max_j (s_i + s_j) / |m_i - m_j|: m_i the mean of cluster i, s_i the mean distance to it of its
/// rows.
/// @param x, labels, options  as for silhouette_samples
/// @throws as silhouette_samples
/// Complexity: 2 reads of x and k^2 distances; memory: as calinski_harabasz_score.
/// @see Davies, Bouldin (1979), A cluster separation measure.
template <class X>
[[nodiscard]] double davies_bouldin_score(const X& x, std::span<const Label> labels,
                                          const MetricOptions& options = {}) {
  const detail::DefaultEnvironment environment;
  const detail::Computing computing(options, "davies_bouldin_score");
  const auto rows = detail::rows_of_matrix(x);
  const detail::Survey survey = detail::require_rows(rows, labels, computing);
  const detail::Partition partition(labels);
  detail::require_clusters(partition.clusters(), rows.rows(), computing.who);
  return detail::davies_bouldin(rows, partition, survey, computing);
}

/// How often two labellings agree on whether two rows are together, above chance: 1 for the same clusters by whatever
/// names, about 0 for labels that have nothing to do with each other; the same if they change places.
///
/// @param labels, reference  n each, at most 2^32
/// @throws InvalidArgument for sizes that differ, or no labels
/// Complexity: n and the number of pairs of clusters that meet; integers throughout, one quotient.
/// @see Hubert, Arabie (1985), Comparing partitions.
[[nodiscard]] inline double adjusted_rand_score(std::span<const Label> reference, std::span<const Label> labels) {
  const detail::DefaultEnvironment environment;
  detail::require_labels(reference.size(), labels.size(), "adjusted_rand_score");
  return detail::adjusted_rand(detail::Partition(reference), detail::Partition(labels));
}

/// The information that two labellings share, over the mean of their entropies: 0 .. 1, and not corrected for chance.
///
/// 2 I(U, V) / (H(U) + H(V)); 1 for the same clusters by whatever names.
/// @param labels, reference  n each, at most 2^32
/// @throws InvalidArgument for sizes that differ, or no labels
/// Complexity: n and the number of pairs of clusters that meet.
/// @see Strehl, Ghosh (2002), Cluster ensembles: a knowledge reuse framework for combining multiple partitions.
[[nodiscard]] inline double normalized_mutual_info_score(std::span<const Label> reference,
                                                         std::span<const Label> labels) {
  const detail::DefaultEnvironment environment;
  detail::require_labels(reference.size(), labels.size(), "normalized_mutual_info_score");
  return detail::normalized_mutual_info(detail::Partition(reference), detail::Partition(labels));
}

/// Renames clusters so that as many rows as can be have the label that they have in the reference: for clusters that
/// keep their numbers from one fit to the next, or to compare with known classes.
///
/// Names are matched one to one, by the best of all permutations. What finds no partner gets the lowest numbers from 0
/// on that the reference has not. Of several best matchings one is taken, the same every time.
/// @param reference, labels  n each, at most 2^32
/// @throws InvalidArgument for sizes that differ, or no labels
/// Complexity: n, and k^3 integer operations at worst; memory: n, O(k), and the pairs of clusters that meet.
/// @see Crouse (2016), On implementing 2D rectangular assignment algorithms; Jonker, Volgenant (1987).
[[nodiscard]] inline LabelMatch match_labels(std::span<const Label> reference, std::span<const Label> labels) {
  detail::require_labels(reference.size(), labels.size(), "match_labels");
  return detail::match(detail::Partition(reference), detail::Partition(labels));
}

}  // namespace lloyd::inline LLOYD_ABI
