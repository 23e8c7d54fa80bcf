// SPDX-License-Identifier: MIT
/// @file
/// Plain and greedy k-means++.
/// @see Arthur, Vassilvitskii (2007), k-means++: the advantages of careful seeding, SODA.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "lloyd/kmeans/improvements.hpp"
#include "lloyd/kmeans/sampler.hpp"
#include "lloyd/kmeans/seed_random.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Candidates a step: as asked, or 2 + floor(ln k).
[[nodiscard]] inline Index local_trials(const Options& options) {
  if (options.n_local_trials > 0) return options.n_local_trials;
  constexpr double e = 2.718281828459045;
  Index trials = 2;
  for (double power = e; power <= static_cast<double>(options.n_clusters); power *= e) ++trials;
  return trials;
}

/// A backend that notes whom candidates improve, which spares the chosen one's read of x.
template <class B>
concept Notes = requires(const B& b, std::span<const Improvements::Run* const> noted, std::span<double> d2,
                         std::span<Label> labels) {
  b.lower(noted, Label{}, d2, labels);
  { b.largest(Weights<>(), std::span<const double>(d2), nullptr) } -> std::same_as<double>;
};

/// D to the nearest of the centroids chosen so far, row by row, and what the next draw needs of it.
template <class P, class W>
class Coverage {
 public:
  using View = MatrixView<const typename P::Scalar, typename P::Space>;

  /// @param sums  whether potential() is wanted
  Coverage(const P& problem, W& work, bool sums) : problem_(problem), work_(work), sums_(sums) { reset(); }

  /// Nothing is chosen.
  void reset() {
    fill(problem_.backend, span_of(work_.d2), std::numeric_limits<double>::infinity());
    largest_ = potential_ = 0;
  }

  /// d2_i = min(d2_i, min_t D(x_i, y_t)), l_i = first + t where that is lower. At most one read of x. False: cancelled.
  /// @param seeds  s with d2_i = D(x_i, s_{l_i}) so far, which may save reading rows; or none
  [[nodiscard]] bool lower(View y, Label first, View seeds = {}) {
    Measure measure;
    problem_.pass(
        [&] { return Ready(problem_, y); },
        [&](const auto& tile, const Ready& ready) {
          measure.raise(problem_.backend.lower(tile, ready.prepared, seeds, first, W::of(work_.d2, tile),
                                               W::of(work_.labels, tile), sums_ ? &measure.potential : nullptr));
        });
    return accept(measure);
  }

  /// The same for trial t of best_of(), a row of the matrix that it was given: from what it noted where that is all.
  [[nodiscard]] bool lower_to_trial(Index t, View y, Label label, View seeds) {
    if constexpr (Notes<typename P::Backend>) {
      const auto noted = notes_.of_candidate(t);
      if (!noted.empty()) {
        problem_.backend.lower(noted, label, span_of(work_.d2), span_of(work_.labels));
        return accept(measured());
      }
    }
    return lower(y, label, seeds);
  }

  /// Rows by w_i d2_i.
  [[nodiscard]] Sampler<P> sampler() const {
    return Sampler<P>(problem_, span_of(std::as_const(work_.d2)), MassScale::for_largest(largest_, problem_.rows.n));
  }

  /// max_i w_i d2_i
  [[nodiscard]] double largest() const { return largest_; }
  /// sum_i w_i d2_i, where it is summed; else 0.
  [[nodiscard]] double potential() const { return potential_; }

  /// The trial that lowers the potential most, ties to the lowest. At most one read of x.
  /// @param seeds  as above
  [[nodiscard]] Index best_of(View trials, View seeds = {}) {
    std::vector<ExactSum> gains;
    const auto begin = [&] {
      gains.resize(static_cast<std::size_t>(trials.rows()));
      if constexpr (Notes<typename P::Backend>)
        notes_.restart(gains.size(), problem_.batching.workers, problem_.rows.local, bytes_for_notes());
      return Ready(problem_, trials);
    };
    // g_t = sum_i w_i max(0, d2_i - D(x_i, y_t))
    problem_.pass(begin, [&](const auto& tile, const Ready& ready) {
      const auto labels = W::of(std::as_const(work_.labels), tile);
      const auto d2 = W::of(std::as_const(work_.d2), tile);
      if constexpr (Notes<typename P::Backend>) {
        problem_.backend.gain(tile, ready.prepared, seeds, labels, d2, std::span(gains), notes_);
      } else {
        problem_.backend.gain(tile, ready.prepared, seeds, labels, d2, std::span(gains));
      }
    });
    Index best = 0;
    double best_gain = -1;
    for (Index t = 0; t < trials.rows(); ++t) {
      const double gain = problem_.total(gains[static_cast<std::size_t>(t)]);
      if (gain > best_gain) best = t, best_gain = gain;
    }
    return best;
  }

 private:
  /// Rows y, ready for a pass, and the point near them that it measures from.
  struct Ready {
    Ready(const P& problem, View y)
        : origin(mean_of(problem.backend, y)),
          prepared(problem.backend.prepare(y, span_of(origin), problem.batching, problem.options, {})) {}

    const decltype(mean_of(std::declval<const typename P::Backend&>(), std::declval<View>())) origin;
    const typename P::Backend::template Prepared<typename P::Scalar> prepared;
  };

  /// Of the rows here.
  struct Measure {
    ExactSum potential{};
    double largest = 0;

    void raise(double other) { largest = (std::max)(largest, other); }
  };

  /// The measure of d2 as it is. x is read only where weights come with it. Agrees with other ranks as often as a pass,
  /// since these may need one.
  [[nodiscard]] Measure measured() const {
    Measure measure;
    ExactSum* potential = sums_ ? &measure.potential : nullptr;
    const std::span<const double> d2 = span_of(std::as_const(work_.d2));
    if (!problem_.survey.weighted()) {
      together(problem_.ranks, [&] { measure.raise(problem_.backend.largest(Weights<>(), d2, potential)); });
    } else {
      problem_.pass([&](const auto& tile) {
        measure.raise(problem_.backend.largest(tile.w, W::of(std::as_const(work_.d2), tile), potential));
      });
    }
    return measure;
  }

  /// Takes the measure over all ranks. False: cancelled.
  [[nodiscard]] bool accept(Measure measure) {
    auto pattern = std::bit_cast<std::uint64_t>(measure.largest);
    (problem_.ranks.max)(std::span(&pattern, 1));
    largest_ = std::bit_cast<double>(pattern);
    if (sums_) potential_ = problem_.total(measure.potential);
    problem_.progress.state().inertia = problem_.in_weight_units(potential_);
    return problem_.progress.report(problem_.ranks);
  }

  /// What the sums of a pass will take, and the four bytes a row that promise 5 leaves where no better run is kept.
  [[nodiscard]] std::size_t bytes_for_notes() const {
    const Index of_a_row = problem_.options.n_init == 1 ? sizeof(Label) : 0;
    return static_cast<std::size_t>(problem_.rows.local * of_a_row) + problem_.batching.sums_budget;
  }

  const P& problem_;
  W& work_;
  Improvements notes_;
  bool sums_;
  double largest_ = 0, potential_ = 0;
};

/// Chooses centroids from .. k - 1, given the coverage of those before. False: cancelled.
///
/// Each is the best of some rows drawn by w_i D_i, D_i the squared distance to the nearest centroid so far. When every
/// row of positive weight is covered, the rest repeat the first centroid, and end up empty.
/// @param labelled  whether the labels are those of the centroids so far
template <class P, class W>
[[nodiscard]] bool extend_plus_plus(const P& problem, W& work, Index init, Index from, Coverage<P, W>& coverage,
                                    bool labelled) {
  const Index k = work.c.rows(), trials = local_trials(problem.options);
  if constexpr (!on_host<typename P::Backend>) {
    // A device that has all rows in one tile chooses without the host, where nobody wants to see the steps.
    if (problem.in_one_tile() && !problem.progress.watched(problem.ranks)) {
      problem.pass([&](const auto& tile) {
        problem.backend.extend_plus_plus(tile, work.c.view(), span_of(work.d2), span_of(work.labels),
                                         {problem.options.seed, init, trials, from, coverage.largest()});
      });
      return true;
    }
  }
  using View = typename Coverage<P, W>::View;
  auto candidates =
      together(problem.ranks, [&] { return make_dense<typename P::Scalar>(problem.backend, trials, problem.rows.d); });
  const auto copy = [&](const View& row, Index to) { copy_rows(problem.backend, row, work.c.view().slice(to, 1)); };
  for (Index step = from; step < k; ++step) {
    const auto sampler = coverage.sampler();
    if (sampler.total() == 0) {
      for (; step < k; ++step) copy(work.centroids().slice(0, 1), step);
      return true;
    }
    std::vector<Index> rows;
    for (Index t = 0; t < trials; ++t)
      rows.push_back(sampler.draw(draw({problem.options.seed, Purpose::plus_plus, init, step, t})));
    problem.fetch(rows, candidates.view());
    const View seeds = labelled ? work.centroids().slice(0, step) : View();
    const Index best = trials == 1 ? 0 : coverage.best_of(std::as_const(candidates).view(), seeds);
    copy(std::as_const(candidates).view().slice(best, 1), step);
    const auto label = static_cast<Label>(step);
    const View chosen = work.centroids().slice(step, 1);
    if (step + 1 == k) break;
    if (!(trials == 1 ? coverage.lower(chosen, label, seeds) : coverage.lower_to_trial(best, chosen, label, seeds)))
      return false;
  }
  return true;
}

/// The row that seeding starts from, drawn by weight.
template <class P, class W>
[[nodiscard]] Index first_row(const P& problem, W& work, Index init) {
  return draw_distinct_rows(problem, span_of(work.d2), {problem.options.seed, Purpose::first_row, init, 0, 0}, 1, true)
      .front();
}

/// k rows by greedy k-means++ (plain where n_local_trials is 1). Reads x once a centroid, and again where
/// notes of the rows that its candidates improve do not fit the budget: those of the first few. False: cancelled.
template <class P, class W>
[[nodiscard]] bool seed_plus_plus(const P& problem, W& work, Index init) {
  const std::vector<Index> row{first_row(problem, work, init)};
  problem.fetch(row, work.c.view().slice(0, 1));
  const bool watched = problem.progress.watched(problem.ranks);
  if (work.c.rows() == 1 && !watched) return true;  // no further draw, and no one to see the potential
  Coverage<P, W> coverage(problem, work, watched);
  if (!coverage.lower(work.centroids().slice(0, 1), 0)) return false;
  return extend_plus_plus(problem, work, init, 1, coverage, true);
}

}  // namespace lloyd::inline LLOYD_ABI::detail
