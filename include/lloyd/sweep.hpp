// SPDX-License-Identifier: MIT
/// @file
/// The same rows clustered with several k, to choose one.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "lloyd/clustering.hpp"
#include "lloyd/kmeans.hpp"
#include "lloyd/metrics.hpp"

namespace lloyd::inline LLOYD_ABI {

/// Which silhouette a sweep computes.
enum class SweepSilhouette : std::uint8_t {
  automatic,   ///< exact for at most 10,000 rows, or where sample_size says of how many; simplified for more
  exact,       ///< silhouette_score
  simplified,  ///< simplified_silhouette
  none,        ///< NaN
};

/// What a sweep computes beside the fits.
struct SweepOptions {
  SweepSilhouette silhouette = SweepSilhouette::automatic;  ///< which
  MetricOptions metrics = {};                               ///< of the silhouette
};

/// What came of one k.
template <Real T, class B = Cpu>
struct SweepRun {
  Index n_clusters = 0;           ///< k
  double inertia = 0;             ///< the clustering's
  double silhouette = 0;          ///< NaN where there is none: not asked for, or not 2 .. n - 1 clusters with rows
  Index n_iter = 0;               ///< the clustering's
  double seconds = 0;             ///< of the fit alone
  Clustering<T, B> clustering{};  ///< as kmeans.fit gives it with this k
};

namespace detail {

/// Rows up to which the exact silhouette is quick: a tenth of a second for 10,000 rows of 32 features.
inline constexpr Index most_exact_rows = 10000;

/// Refuses a list of k that is empty, names one twice, or one that the rows cannot have.
inline void require_ks(const std::vector<Index>& ks, Index rows) {
  demand(!ks.empty(), "sweep: ks is empty");
  for (std::size_t i = 0; i < ks.size(); ++i) {
    demand(ks[i] >= 1 && ks[i] <= rows, "sweep: k ", ks[i], ", expected 1 .. ", rows, " (the rows of x)");
    demand(std::find(ks.begin(), ks.begin() + static_cast<Index>(i), ks[i]) == ks.begin() + static_cast<Index>(i),
           "sweep: k ", ks[i], " is there twice");
  }
}

template <Real T, class B>
[[nodiscard]] double silhouette_of_run(MatrixView<const T> x, const Clustering<T, B>& clustering,
                                       const SweepOptions& options) {
  const auto used = std::count_if(clustering.cluster_sizes.begin(), clustering.cluster_sizes.end(),
                                  [](Index size) { return size > 0; });
  if (options.silhouette == SweepSilhouette::none || used < 2 || used >= x.rows())
    return std::numeric_limits<double>::quiet_NaN();
  const bool exact = options.silhouette == SweepSilhouette::exact ||
                     (options.silhouette == SweepSilhouette::automatic &&
                      (x.rows() <= most_exact_rows || options.metrics.sample_size > 0));
  const std::span<const Label> labels(clustering.labels);
  if (exact) return silhouette_score(x, labels, options.metrics);
  MetricOptions metrics = options.metrics;
  metrics.sample_size = 0;
  return simplified_silhouette(x, clustering.centroids, labels, metrics);
}

template <class B, class X, class W>
[[nodiscard]] auto sweep(const KMeans<B>& kmeans, const X& x, const W& w, const std::vector<Index>& ks,
                         const SweepOptions& options) {
  static_assert(std::same_as<typename B::Space, Host>, "lloyd: a sweep runs on backends in the host's memory");
  const auto rows = rows_of_matrix(x);
  using T = typename decltype(rows)::Scalar;
  require_ks(ks, rows.rows());
  const auto with = [&](Index k) {
    Options changed = kmeans.options();
    changed.n_clusters = k;
    changed.labels = true;
    return KMeans<B>(std::move(changed), kmeans.backend());
  };
  for (const Index k : ks) (void)with(k);  // bad options are refused before any work

  std::vector<SweepRun<T, B>> runs;
  for (const Index k : ks) {
    const auto start = std::chrono::steady_clock::now();
    Clustering<T, B> found = with(k).fit(rows, w);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (found.stop_reason == StopReason::cancelled) break;
    const double silhouette = silhouette_of_run(rows, found, options);
    if (!kmeans.options().labels) found.labels = {};
    runs.push_back({k, found.inertia, silhouette, found.n_iter, taken.count(), std::move(found)});
  }
  return runs;
}

}  // namespace detail

/// Fits the rows once for every k.
///
/// @param kmeans   its options and backend serve all fits; n_clusters is replaced
/// @param x        n x d, in memory: a MatrixView, a Matrix, an Eigen matrix
/// @param ks       each 1 .. n and different, in any order
/// @param options  which silhouette, and how
/// @return a SweepRun for every k, in the order of ks; fewer if the callback cancels: the fit it cancels is dropped
/// @throws InvalidArgument for ks that are not as said, and whatever fit and the silhouette refuse
/// Complexity: the fits; n^2 / 2 or n k distances for each silhouette; every clustering is kept.
/// Determinism: as fit, but for the seconds.
template <class B, class X>
[[nodiscard]] auto sweep(const KMeans<B>& kmeans, const X& x, const std::vector<Index>& ks,
                         const SweepOptions& options = {}) {
  return detail::sweep(kmeans, x, detail::NoWeights{}, ks, options);
}
/// The same with n weights, of the fits only: a silhouette counts every row once.
template <class B, class X, class W>
[[nodiscard]] auto sweep(const KMeans<B>& kmeans, const X& x, const W& w, const std::vector<Index>& ks,
                         const SweepOptions& options = {}) {
  return detail::sweep(kmeans, x, w, ks, options);
}

/// The run at the elbow: where inertia, drawn over k, lies farthest below the chord from the smallest k to the largest.
///
/// argmax_k (chord(k) - inertia(k)), which no scaling of the axes changes; ties, and a curve that is nowhere below its
/// chord, go to the smallest k. A rule of thumb: with ks of another range the elbow moves.
/// @param runs  at least three, of different k, in any order. What is returned lives in them.
/// @throws InvalidArgument for fewer than three runs
template <Real T, class B>
[[nodiscard]] const SweepRun<T, B>& elbow(const std::vector<SweepRun<T, B>>& runs) {
  detail::demand(runs.size() >= 3, "elbow: ", runs.size(), " runs, expected at least 3");
  const auto by_k = [](const auto& a, const auto& b) { return a.n_clusters < b.n_clusters; };
  const auto [first, last] = std::minmax_element(runs.begin(), runs.end(), by_k);
  detail::demand(first->n_clusters < last->n_clusters, "elbow: every run has k ", first->n_clusters);
  const double slope = (last->inertia - first->inertia) / static_cast<double>(last->n_clusters - first->n_clusters);
  const SweepRun<T, B>* best = &*first;
  double most = 0;
  for (const SweepRun<T, B>& run : runs) {
    const double below = first->inertia + slope * static_cast<double>(run.n_clusters - first->n_clusters) - run.inertia;
    if (below > most || (below == most && run.n_clusters < best->n_clusters)) most = below, best = &run;
  }
  return *best;
}
/// Not of runs that would be gone.
template <Real T, class B>
const SweepRun<T, B>& elbow(std::vector<SweepRun<T, B>>&& runs) = delete;

}  // namespace lloyd::inline LLOYD_ABI
