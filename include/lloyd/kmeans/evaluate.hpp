// SPDX-License-Identifier: MIT
/// @file
/// What is asked of given centroids: nearest ones, distances, score.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "lloyd/clustering.hpp"
#include "lloyd/communicator.hpp"
#include "lloyd/kmeans/tiles.hpp"
#include "lloyd/kmeans/transform.hpp"
#include "lloyd/kmeans/workspace.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Centroids c and rows y of a source, both checked. An error on one rank ends all.
template <Real T, BackendFor<T> B, Communicator C, Source S>
class Evaluation {
 public:
  Evaluation(const Options& options, const B& backend, const C& ranks, const S& source, MatrixView<const T> c,
             const char* who)
      : options_(options),
        backend_(backend),
        ranks_(ranks),
        source_(together(ranks, [&] { return CheckedSource<S>(source, who); })),
        c_(c),
        who_(who) {
    together(ranks, [&] { validate(); });
  }

  /// l_i = argmin_j D(y_i, c_j), and D where asked.
  [[nodiscard]] NearestCentroids<B> nearest(bool distances) const {
    NearestCentroids<B> result;
    together(ranks_, [&] {
      result.labels = make_buffer<Label>(backend_, source_.rows());
      result.distances = make_buffer<double>(backend_, distances ? source_.rows() : 0);
      const Placed centroids(*this);
      const auto prepared = centroids.prepare();
      using Work = Workspace<T, B>;
      source_.for_each_tile([&](const auto& tile) {
        demand_here(backend_, tile);
        (void)backend_.assign(tile, prepared, Work::of(result.labels, tile),
                              distances ? Work::of(result.distances, tile) : std::span<double>(), nullptr);
      });
    });
    return result;
  }

  /// sqrt(D(y_i, c_j)).
  [[nodiscard]] Matrix<double> distances() const {
    Matrix<double> out;
    together(ranks_, [&] {
      const Placed centroids(*this);
      out = transform(backend_, centroids.view(), source_);
    });
    return out;
  }

  /// -sum_i w_i min_j D(y_i, c_j) over all ranks.
  [[nodiscard]] double score() const {
    // As in a fit: weights of any scale, brought to 1 .. 2 by a power of two.
    Survey survey = together(ranks_, [&] { return Survey(source_.cols()); });
    together(ranks_, [&] {
      source_.for_each_tile([&](const auto& tile) {
        backend_.survey(tile, survey.maxima());
        const double largest = survey.largest_weight();
        if (largest >= 0 && largest <= (std::numeric_limits<double>::max)()) return;
        for_each_part(backend_, tile, [&](const Tile<T>& part) { require_usable_weights(part, who_); });
      });
    });
    (ranks_.max)(survey.maxima());
    std::int64_t n = source_.rows();
    ranks_.sum(std::span(&n, 1));
    const double largest = (std::max)(survey.finite() ? survey.largest() : 0, largest_of(c_));
    demand(inertia_fits(largest, survey.weight_exponent(), (std::max)(n, Index{1}), c_.cols()), who_, ": values up to ",
           largest, " with weights up to ", survey.weighted() ? survey.largest_weight() : 1.0,
           " have an inertia beyond the largest double");
    ExactSum inertia;
    together(ranks_, [&] {
      const Placed centroids(*this);
      const auto prepared = centroids.prepare();
      source_.for_each_tile([&](auto tile) {
        tile.w = tile.w.scaled(std::ldexp(1.0, -survey.weight_exponent()));
        (void)backend_.assign(tile, prepared, {}, {}, &inertia);
      });
    });
    ranks_.sum(inertia.exchange());
    return 0.0 - inertia.value(survey.weight_exponent());  // an inertia of 0 is a score of +0
  }

 private:
  void validate() const {
    demand(source_.cols() >= 1, who_, ": the rows have no columns");
    validate_centroids(c_, source_.cols(), who_);
    if (!options_.check_finite) return;
    Survey survey(source_.cols());
    source_.for_each_tile([&](const auto& tile) {
      backend_.survey(tile, survey.maxima());
      if (survey.finite() && survey.largest() <= largest_value) return;
      for_each_part(backend_, tile, [&](const Tile<T>& part) { require_usable(part, who_, "y"); });
    });
  }

  /// The centroids and their mean, where the backend computes.
  class Placed {
   public:
    explicit Placed(const Evaluation& of) : of_(of), c_(placed(of.backend_, of.c_)), o_(mean_of(of.backend_, view())) {}

    [[nodiscard]] MatrixView<const T, typename B::Space> view() const { return view_of(c_); }
    [[nodiscard]] auto prepare() const {
      const auto batching = choose_batching(of_.options_, of_.source_.rows(), of_.source_.cols(), of_.c_.rows(),
                                            of_.backend_.workers(), sizeof(T), on_host<B>);
      return of_.backend_.prepare(view(), span_of(o_), batching, of_.options_, {});
    }

   private:
    const Evaluation& of_;
    decltype(placed(std::declval<const B&>(), MatrixView<const T>())) c_;
    decltype(mean_of(std::declval<const B&>(), MatrixView<const T, typename B::Space>())) o_;
  };

  const Options& options_;
  const B& backend_;
  const C& ranks_;
  CheckedSource<S> source_;
  MatrixView<const T> c_;
  const char* who_;
};

}  // namespace lloyd::inline LLOYD_ABI::detail
