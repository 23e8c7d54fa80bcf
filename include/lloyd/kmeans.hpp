// SPDX-License-Identifier: MIT
/// @file
/// KMeans<Backend>. START HERE: this file is the front door, kmeans/lloyd.hpp is the loop, backend.hpp the contract.
///
/// Include lloyd/lloyd.hpp for the CPU; this file and lloyd/reference.hpp alone need neither Eigen nor OpenMP.
#pragma once

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <concepts>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lloyd/backend.hpp"
#include "lloyd/clustering.hpp"
#include "lloyd/communicator.hpp"
#include "lloyd/kmeans/best_of.hpp"
#include "lloyd/kmeans/environment.hpp"
#include "lloyd/kmeans/interop.hpp"
#include "lloyd/kmeans/transform.hpp"
#include "lloyd/kmeans/validate.hpp"
#include "lloyd/options.hpp"
#include "lloyd/source.hpp"

namespace lloyd {

struct Cpu;

/// k-means clustering of the rows of X: minimises sum_i w_i min_j D(x_i, c_j) over k centroids, to a local minimum.
///
/// Labels are the exact argmin of D (docs/numerics.md), sums are exact integers, and every result is the same, bit for
/// bit, on any number of threads, any tiling, any split over ranks, every backend and instruction set.
/// The object holds options only: members are const, and one object may be used from several threads.
template <class B = Cpu, class C = SingleProcess>
class KMeans {
 public:
  /// @throws InvalidArgument for an option that no data could make right
  explicit KMeans(Options options, B backend = {}, C ranks = {})
      : options_(std::move(options)), backend_(std::move(backend)), ranks_(std::move(ranks)) {
    detail::validate(options_);
    detail::require(backend_.workers() >= 1, "KMeans: the backend has no workers");
  }

  [[nodiscard]] const Options& options() const noexcept { return options_; }

  /// Seeds, then iterates.
  ///
  /// @param x  n x d, row-major, in the backend's memory space: a MatrixView, a Matrix, an Eigen matrix (with
  ///           lloyd/eigen.hpp), or a source. Only read.
  /// @param w  n weights >= 0 of float or double (view, vector, span); none: all ones. A weight is a repetition; a row
  ///           of weight 0 is labelled and moves nothing.
  /// @return   see Clustering
  /// @throws   InvalidArgument for bad shapes, weights or values, before any work is done; what the callback throws
  /// Complexity: 2 n k d operations an iteration; reads of x: 1 + n_init * (seeding + n_iter + 1), and one for each
  ///             iteration that relocates; memory: 12 bytes a row, O(k d), and memory_budget.
  /// Determinism: the same options and rows give the same bits, whatever the backend, threads, tiles and ranks.
  /// @see Lloyd (1982), Least squares quantization in PCM.
  template <class X>
  [[nodiscard]] auto fit(const X& x) const {
    return fit(x, detail::NoWeights{});
  }
  template <class X, class W>
  [[nodiscard]] auto fit(const X& x, const W& w) const {
    const char* who = "KMeans::fit";
    decltype(auto) source = detail::source_of<typename B::Space>(x, w, who);
    return run(source, who, [](const auto& problem, auto& work) {
      return detail::best_of(problem, work, [&](Index init) { return detail::seed(problem, work, init); });
    });
  }

  /// Iterates from given centroids; Options::init is ignored and n_init must be 1.
  ///
  /// @param centroids  n_clusters x d, of the rows' scalar type, on the host. Only read.
  template <class M, class X>
  [[nodiscard]] auto fit_from(const M& centroids, const X& x) const {
    return fit_from(centroids, x, detail::NoWeights{});
  }
  template <class M, class X, class W>
  [[nodiscard]] auto fit_from(const M& centroids, const X& x, const W& w) const {
    const char* who = "KMeans::fit_from";
    decltype(auto) source = detail::source_of<typename B::Space>(x, w, who);
    using T = detail::ScalarOf<decltype(source)>;
    const MatrixView<const T> c = detail::centroids_of<T>(centroids);
    detail::require(options_.n_init == 1, who, ": n_init ", options_.n_init, ", expected 1 with given centroids");
    detail::require(c.rows() == options_.n_clusters, who, ": ", c.rows(), " centroids, n_clusters is ",
                    options_.n_clusters);
    detail::validate_centroids(c, source.cols(), who);
    return run(source, who, [&](const auto& problem, auto& work) {
      return detail::best_of(problem, work, [&](Index) {
        for (Index j = 0; j < c.rows(); ++j) std::copy_n(c.row(j), c.cols(), work.c.row(j));
        return true;
      });
    });
  }

  /// The nearest centroid of each row, ties to the lowest, and the squared distance D to it.
  ///
  /// @param centroids  k x d, finite; k may differ from n_clusters
  /// @param y          m x d, of the same scalar type; m may be 0
  /// @throws InvalidArgument for shapes that do not match, or values that are not finite (unless check_finite is off)
  /// Complexity: 2 m k d operations; one read of y, one more where check_finite is on.
  template <class M, class Y>
  [[nodiscard]] NearestCentroids<B> assign(const M& centroids, const Y& y) const {
    return nearest(centroids, y, "KMeans::assign", true);
  }

  /// The labels of assign. predict(result.centroids, x) == result.labels.
  template <class M, class Y>
  [[nodiscard]] auto predict(const M& centroids, const Y& y) const {
    return nearest(centroids, y, "KMeans::predict", false).labels;
  }

  /// The distance (not squared) of each row to every centroid: m x k, sqrt(D) in double, whose first minimum in a row
  /// is at its label. (Where two different D have one square root, the one that is not nearest is raised by an ulp.)
  template <class M, class Y>
  [[nodiscard]] Matrix<double> transform(const M& centroids, const Y& y) const {
    const detail::DefaultEnvironment environment;
    const char* who = "KMeans::transform";
    decltype(auto) source = detail::source_of<typename B::Space>(y, detail::NoWeights{}, who);
    using T = detail::ScalarOf<decltype(source)>;
    const MatrixView<const T> c = detail::centroids_of<T>(centroids);
    check(c, source, who);
    return detail::transform(backend_, c, source);
  }

  /// Minus the inertia of rows y: -sum_i w_i min_j D(y_i, c_j), exactly added and rounded once.
  template <class M, class Y>
  [[nodiscard]] double score(const M& centroids, const Y& y) const {
    return score(centroids, y, detail::NoWeights{});
  }
  template <class M, class Y, class W>
  [[nodiscard]] double score(const M& centroids, const Y& y, const W& w) const {
    const detail::DefaultEnvironment environment;
    const char* who = "KMeans::score";
    decltype(auto) source = detail::source_of<typename B::Space>(y, w, who);
    using T = detail::ScalarOf<decltype(source)>;
    const MatrixView<const T> c = detail::centroids_of<T>(centroids);
    check(c, source, who);
    const auto origin = detail::mean_of(c);
    const auto prepared = prepare(c, std::span<const T>(origin), source);
    detail::ExactSum inertia;
    source.for_each_tile([&](const auto& tile) {
      detail::require_usable_weights(tile, who);
      (void)backend_.assign(tile, prepared, {}, {}, &inertia);
    });
    ranks_.sum(inertia.exchange());
    return -inertia.value();
  }

 private:
  /// What every fit does before it has centroids: survey, workspace.
  template <class S, class Run>
  [[nodiscard]] auto run(const S& source, const char* who, const Run& body) const {
    using T = typename S::Scalar;
    static_assert(BackendFor<B, T>, "lloyd: the backend lacks a primitive; lloyd/backend.hpp lists what it needs");
    const detail::DefaultEnvironment environment;
    detail::Progress progress(options_.callback);
    detail::Problem<T, B, const C, S> problem{options_, backend_, ranks_, source, progress, who};
    if (!detail::survey(problem)) {
      Clustering<T, B> nothing;
      nothing.inertia = std::numeric_limits<double>::infinity();
      nothing.stop_reason = StopReason::cancelled;
      return nothing;
    }
    detail::Workspace<T, B> work(problem);
    return body(problem, work);
  }

  template <class T, class S>
  [[nodiscard]] auto prepare(MatrixView<const T> c, std::span<const T> origin, const S& source) const {
    const auto batching =
        detail::choose_batching(options_, source.rows(), source.cols(), c.rows(), backend_.workers(), sizeof(T));
    return backend_.prepare(c, origin, batching, options_);
  }

  template <class T, class S>
  void check(MatrixView<const T> c, const S& source, const char* who) const {
    static_assert(BackendFor<B, T>, "lloyd: the backend lacks a primitive; lloyd/backend.hpp lists what it needs");
    detail::require(source.cols() >= 1, who, ": the rows have no columns");
    detail::validate_centroids(c, source.cols(), who);
    if (!options_.check_finite) return;
    detail::Survey survey(source.cols());
    source.for_each_tile([&](const auto& tile) {
      backend_.survey(tile, survey.maxima());
      if (!survey.finite() || survey.largest() > detail::largest_value) detail::require_usable(tile, who, "y");
    });
  }

  template <class M, class Y>
  [[nodiscard]] NearestCentroids<B> nearest(const M& centroids, const Y& y, const char* who, bool distances) const {
    const detail::DefaultEnvironment environment;
    decltype(auto) source = detail::source_of<typename B::Space>(y, detail::NoWeights{}, who);
    using T = detail::ScalarOf<decltype(source)>;
    const MatrixView<const T> c = detail::centroids_of<T>(centroids);
    check(c, source, who);
    const auto origin = detail::mean_of(c);
    const auto prepared = prepare(c, std::span<const T>(origin), source);
    NearestCentroids<B> result;
    result.labels.resize(static_cast<std::size_t>(source.rows()));
    result.distances.resize(static_cast<std::size_t>(distances ? source.rows() : 0));
    using Work = detail::Workspace<T, B>;
    source.for_each_tile([&](const auto& tile) {
      (void)backend_.assign(tile, prepared, Work::of(result.labels, tile),
                            distances ? Work::of(result.distances, tile) : std::span<double>(), nullptr);
    });
    return result;
  }

  Options options_;
  B backend_;
  C ranks_;
};

}  // namespace lloyd
