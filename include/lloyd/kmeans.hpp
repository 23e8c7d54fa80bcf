// SPDX-License-Identifier: MIT
/// @file
/// KMeans<Backend>. START HERE: this file is the front door, kmeans/lloyd.hpp is the loop, backend.hpp the contract.
///
/// Include lloyd/lloyd.hpp for the CPU; this file and lloyd/reference.hpp alone need neither Eigen nor OpenMP.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "lloyd/backend.hpp"
#include "lloyd/clustering.hpp"
#include "lloyd/communicator.hpp"
#include "lloyd/kmeans/best_of.hpp"
#include "lloyd/kmeans/environment.hpp"
#include "lloyd/kmeans/evaluate.hpp"
#include "lloyd/kmeans/interop.hpp"
#include "lloyd/kmeans/validate.hpp"
#include "lloyd/options.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI {

struct Cpu;

/// k-means clustering of the rows of X: minimises sum_i w_i min_j D(x_i, c_j) over k centroids, to a local minimum.
///
/// Labels are the exact argmin of D (docs/numerics.md), sums are exact integers, and every result is the same, bit for
/// bit, on any number of threads, any tiling, any split over ranks, every backend and instruction set.
/// The object holds options only: members are const, and one object may be used from several threads.
template <class B = Cpu, class C = SingleProcess>
class KMeans {
 public:
  /// Holds the options and the backend; no work is done.
  /// @throws InvalidArgument for an option that no data could make right
  explicit KMeans(Options options, B backend = {}, C ranks = {})
      : options_(std::move(options)), backend_(std::move(backend)), ranks_(std::move(ranks)) {
    detail::validate(options_);
    detail::demand(backend_.workers() >= 1, "KMeans: the backend has no workers");
  }

  /// As they were given.
  ///@{
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] const B& backend() const noexcept { return backend_; }
  ///@}

  /// Seeds, then iterates.
  ///
  /// @param x  n x d, row-major, in the backend's memory space: a MatrixView, a Matrix, an Eigen matrix (with
  ///           lloyd/eigen.hpp), or a source. Only read.
  /// @param w  n weights >= 0 of float or double (view, vector, span); none: all ones. A weight is a repetition, but
  ///           for draws, which count rows; a row of weight 0 is labelled and moves nothing.
  /// @return   see Clustering
  /// @throws   InvalidArgument for bad shapes and options before any work, for bad weights and values after the survey
  ///           and before anything else; std::bad_alloc; what the callback throws
  /// Complexity: 2 n k d operations an iteration; reads of x: 1 + n_init * (seeding + n_iter + 1), one for each
  ///             iteration that relocates, and one where the centroids that a run starts from lie so far from the rows
  ///             that the variance must be summed anew; seeding is k for k-means++ and some more while the rows that
  ///             candidates improve are too many to be noted, one a round for scalable, none for random; memory: at
  ///             most 16 bytes a row, O(k d), memory_budget, and a copy of init_size rows where that is set.
  /// Determinism: the same options and rows give the same bits, whatever the backend, threads, tiles and ranks.
  /// @see Lloyd (1982), Least squares quantization in PCM.
  template <class X, class W>
  [[nodiscard]] auto fit(const X& x, const W& w) const {
    const char* who = "KMeans::fit";
    decltype(auto) source = source_of(x, w, who);
    return run(opened(), source, who, -1, [](const auto& problem, auto& work) {
      return detail::best_of(problem, work, [&](Index init) { return detail::seed(problem, work, init); });
    });
  }
  /// The same; every weight is 1.
  template <class X>
  [[nodiscard]] auto fit(const X& x) const {
    return fit(x, detail::NoWeights{});
  }

  /// Iterates from given centroids; Options::init is ignored and n_init must be 1.
  ///
  /// @param centroids  n_clusters x d, of the rows' scalar type, on the host or in the backend's memory. Only read.
  /// @param x, w  as for fit
  /// @return   see Clustering
  /// @throws   as fit, and for centroids of another shape or not finite
  /// Complexity and determinism: as fit, without reads for seeding.
  template <class M, class X, class W>
  [[nodiscard]] auto fit_from(const M& centroids, const X& x, const W& w) const {
    const char* who = "KMeans::fit_from";
    decltype(auto) source = source_of(x, w, who);
    using T = detail::ScalarOf<decltype(source)>;
    const auto& backend = opened();
    const auto given = detail::together(ranks_, [&] { return detail::centroids_of<T>(backend, centroids); });
    const MatrixView<const T> c = detail::view_of(given);
    detail::together(ranks_, [&] {
      detail::demand(options_.n_init == 1, who, ": n_init ", options_.n_init, ", expected 1 with given centroids");
      detail::demand(c.rows() == options_.n_clusters, who, ": ", c.rows(), " centroids, n_clusters is ",
                     options_.n_clusters);
      detail::validate_centroids(c, source.cols(), who);
    });
    return run(backend, source, who, detail::largest_of(c), [&](const auto& problem, auto& work) {
      return detail::best_of(problem, work, [&](Index) {
        detail::copy_rows(problem.backend, c, work.c.view());
        return true;
      });
    });
  }
  /// The same; every weight is 1.
  template <class M, class X>
  [[nodiscard]] auto fit_from(const M& centroids, const X& x) const {
    return fit_from(centroids, x, detail::NoWeights{});
  }

  /// The nearest centroid of each row, ties to the lowest, and the squared distance D to it.
  ///
  /// @param centroids  k x d, finite, on the host or in the backend's memory; k may differ from n_clusters
  /// @param y          m x d, of the same scalar type; m may be 0
  /// @return m labels and m distances. With check_finite off, a row with a NaN gets label 0 and no meaning.
  /// @throws InvalidArgument for shapes that do not match, or values that are not finite (unless check_finite is off)
  /// Complexity: 2 m k d operations; one read of y, one more where check_finite is on.
  /// Determinism: as fit.
  template <class M, class Y>
  [[nodiscard]] NearestCentroids<B> assign(const M& centroids, const Y& y) const {
    return evaluate(centroids, y, detail::NoWeights{}, "KMeans::assign",
                    [](const auto& evaluation) { return evaluation.nearest(true); });
  }

  /// The labels of assign, with its parameters, errors and cost. predict(result.centroids, x) == result.labels.
  template <class M, class Y>
  [[nodiscard]] auto predict(const M& centroids, const Y& y) const {
    return evaluate(centroids, y, detail::NoWeights{}, "KMeans::predict",
                    [](const auto& evaluation) { return evaluation.nearest(false).labels; });
  }

  /// The distance (not squared) of each row to every centroid, whose first minimum in a row is at its label.
  ///
  /// @param centroids, y  as for assign
  /// @return m x k: sqrt(D) in double. Where an earlier centroid's D has the same root as the least, it is raised by an
  ///         ulp.
  /// @throws as assign
  /// Complexity: k m d operations in double, without a filter; 8 m k bytes.
  /// Determinism: as fit.
  template <class M, class Y>
  [[nodiscard]] Matrix<double> transform(const M& centroids, const Y& y) const {
    return evaluate(centroids, y, detail::NoWeights{}, "KMeans::transform",
                    [](const auto& evaluation) { return evaluation.distances(); });
  }

  /// Minus the inertia of rows y: -sum_i w_i min_j D(y_i, c_j), exactly added and rounded once.
  ///
  /// @param centroids, y  as for assign
  /// @param w  as for fit
  /// @throws as assign, and for weights that fit would refuse (all zero is a score of 0)
  /// Complexity: as assign, and one more read of y.
  /// Determinism: as fit.
  template <class M, class Y, class W>
  [[nodiscard]] double score(const M& centroids, const Y& y, const W& w) const {
    return evaluate(centroids, y, w, "KMeans::score", [](const auto& evaluation) { return evaluation.score(); });
  }
  /// The same; every weight is 1.
  template <class M, class Y>
  [[nodiscard]] double score(const M& centroids, const Y& y) const {
    return score(centroids, y, detail::NoWeights{});
  }

  /// @cond
  // Rows alone: a sentence instead of a list of candidates.
  template <class Y>
  auto assign(const Y& y) const {
    return detail::centroids_are_missing(y);
  }
  template <class Y>
  auto predict(const Y& y) const {
    return detail::centroids_are_missing(y);
  }
  template <class Y>
  auto transform(const Y& y) const {
    return detail::centroids_are_missing(y);
  }
  template <class Y>
  auto score(const Y& y) const {
    return detail::centroids_are_missing(y);
  }
  /// @endcond

 private:
  /// What a call works on, and with. An error on one rank ends all.
  ///@{
  template <class X, class W>
  [[nodiscard]] decltype(auto) source_of(const X& x, const W& w, const char* who) const {
    return detail::together(ranks_,
                            [&]() -> decltype(auto) { return detail::source_of<typename B::Space>(x, w, who); });
  }
  [[nodiscard]] decltype(auto) opened() const {
    return detail::together(ranks_, [&]() -> decltype(auto) { return detail::opened(backend_); });
  }
  ///@}

  /// What every fit does before it has centroids: survey, workspace.
  template <class S, class Run>
  [[nodiscard]] auto run(const B& backend, const S& source, const char* who, double largest_given,
                         const Run& body) const {
    using T = typename S::Scalar;
    static_assert(BackendFor<B, T>, "lloyd: the backend lacks a primitive; lloyd/backend.hpp lists what it needs");
    const detail::DefaultEnvironment environment;
    detail::Progress progress = detail::together(ranks_, [&] { return detail::Progress(options_.callback); });
    detail::Problem<T, B, const C, S> problem{options_, backend, ranks_, source, progress, who};
    problem.largest_given = largest_given;
    if (!detail::survey(problem)) {
      Clustering<T, B> nothing;
      nothing.inertia = std::numeric_limits<double>::infinity();
      nothing.stop_reason = StopReason::cancelled;
      return nothing;
    }
    auto work = detail::together(ranks_, [&] { return detail::Workspace<T, B>(problem); });
    return body(problem, work);
  }

  template <class M, class Y, class W, class Ask>
  [[nodiscard]] auto evaluate(const M& centroids, const Y& y, const W& w, const char* who, const Ask& ask) const {
    const detail::DefaultEnvironment environment;
    decltype(auto) source = source_of(y, w, who);
    using S = std::remove_cvref_t<decltype(source)>;
    using T = typename S::Scalar;
    static_assert(BackendFor<B, T>, "lloyd: the backend lacks a primitive; lloyd/backend.hpp lists what it needs");
    const auto& backend = opened();
    const auto given = detail::together(ranks_, [&] { return detail::centroids_of<T>(backend, centroids); });
    return ask(detail::Evaluation<T, B, C, S>(options_, backend, ranks_, source, detail::view_of(given), who));
  }

  Options options_;
  B backend_;
  C ranks_;
};

}  // namespace lloyd::inline LLOYD_ABI
