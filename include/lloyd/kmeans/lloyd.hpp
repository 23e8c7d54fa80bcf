// SPDX-License-Identifier: MIT
/// @file
/// The loop. One text for every backend, in memory or by tiles, on one process or many.
/// @see Lloyd (1982), Least squares quantization in PCM, IEEE Trans. Inf. Theory 28, 129-137.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "lloyd/clustering.hpp"
#include "lloyd/kmeans/check_sums.hpp"
#include "lloyd/kmeans/converge.hpp"
#include "lloyd/kmeans/loop.hpp"
#include "lloyd/kmeans/relocate.hpp"
#include "lloyd/kmeans/workspace.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// A point near the rows and the centroids: the mean of these, within the magnitudes of those, since given centroids
/// may lie far away.
template <Real T>
[[nodiscard]] std::vector<T> origin_of(const Survey& survey, MatrixView<const T> c) {
  std::vector<T> origin = mean_of(c);
  for (std::size_t q = 0; q < origin.size(); ++q) {
    const auto most = static_cast<T>(survey.largest(static_cast<Index>(q)));
    origin[q] = std::clamp(origin[q], -most, most);
  }
  return origin;
}

/// The point o that the filter measures from, and sum_i w_i D(x_i, o): what stopping and showing need of the rows.
template <class P>
class Scatter {
 public:
  using T = typename P::Scalar;

  Scatter(const P& problem, MatrixView<const T> c)
      : problem_(problem), origin_(origin_of(problem.survey, c)), o_(placed(problem.backend, origin())) {}

  /// o for the host, and where the backend computes.
  [[nodiscard]] std::span<const T> origin() const { return origin_; }
  [[nodiscard]] std::span<const T> o() const { return span_of(o_); }
  [[nodiscard]] double value() const { return value_; }

  /// Takes the sum over all ranks, about o. Where it has lost the digits of the variance, o moves to the mean of the
  /// rows and the sum is taken anew, at a read of x: only given centroids lie so far from the rows. Returns the mean
  /// column variance.
  [[nodiscard]] double take(double scatter, const SumsView& sums) {
    value_ = scatter;
    const RowsMean mean = mean_of_rows(sums, problem_.quanta, problem_.rows);
    if (loses_variance(mean, origin(), value_)) move_to(mean);
    return mean_column_variance(mean, origin(), value_);
  }

 private:
  void move_to(const RowsMean& mean) {
    std::transform(mean.value.begin(), mean.value.end(), origin_.begin(),
                   [](double value) { return static_cast<T>(value); });
    if constexpr (!on_host<typename P::Backend>) problem_.backend.write(origin(), span_of(o_));
    const auto c = MatrixView<const T, typename P::Space>(o().data(), 1, problem_.rows.d);
    ExactSum sum;
    // scatter = sum_i w_i D(x_i, o)
    problem_.pass(
        [&] { return problem_.backend.prepare(c, o(), problem_.batching, problem_.options, {}); },
        [&](const auto& tile, const auto& prepared) { (void)problem_.backend.assign(tile, prepared, {}, {}, &sum); });
    value_ = problem_.total(sum);
  }

  const P& problem_;
  std::vector<T> origin_;
  decltype(placed(std::declval<const P&>().backend, std::span<const T>())) o_;
  double value_ = 0;
};

/// Tells the callback what an iteration did. False: stop.
template <class P, class W>
[[nodiscard]] bool report_iteration(const P& problem, W& work, const LoopState& loop, const Scatter<P>& scatter) {
  HostSums sums(problem.backend, work.sums());
  const auto c = to_host(problem.backend, work.centroids());
  Iteration& state = problem.progress.state();
  state.number = loop.outcome.n_iter;
  state.inertia = problem.in_weight_units(
      estimate_inertia(sums.view(), problem.quanta, view_of(c), scatter.origin(), scatter.value()));
  state.centroid_shift = loop.outcome.centroid_shift;
  state.n_changed = loop.n_changed;
  state.n_rechecked = loop.n_rechecked;
  state.n_skipped = loop.n_skipped;
  state.n_empty = 0;
  for (Index j = 0; j < work.c.rows(); ++j) state.n_empty += sums.view().occupancy(j) == 0 ? 1 : 0;
  return problem.progress.report(problem.ranks);
}

/// Iterates from the centroids in `work.c`; leaves there the last ones, and in `work` the labels and sums of the last
/// assignment.
///
/// An iteration reads x once (n d values), and once more where clusters are relocated; the first may read it once more
/// for the variance. It moves k d centroids and 2 limbs k d integers, and touches in the sums only the rows whose label
/// changed. A device works ahead of the host, which waits for it in the first iteration (where the variance is wanted)
/// and in each that a callback sees.
template <class P, class W>
[[nodiscard]] Outcome lloyd(const P& problem, W& work) {
  const auto start = to_host(problem.backend, work.centroids());
  Scatter<P> scatter(problem, view_of(start));
  const bool watched = problem.progress.watched(problem.ranks);
  const bool wants_scatter = problem.options.tol > 0 || watched;
  fill(problem.backend, span_of(work.labels), -1);
  fill(problem.backend, work.sums().values(), 0);
  work.kept = false;
  problem.progress.enter(Iteration::Phase::lloyd, problem.options.max_iter);

  LoopOf<typename P::Backend> loop(problem, {problem.options.max_iter, problem.options.tol});
  for (bool first = true; loop.goes_on(); first = false) {
    fill(problem.backend, work.delta().values(), 0);
    const auto prepare = [&] {
      return problem.backend.prepare(work.centroids(), scatter.o(), problem.batching, problem.options, work.before());
    };

    // l_i = argmin_j D(x_i, c_j);  dS_j = sum of w_i x_i over the rows that came, less those that left
    ExactSum scatter_sum;
    problem.pass(prepare, [&](const auto& tile, const auto& prepared) {
      problem.backend.assign_accumulate(tile, prepared, work.rows_of(tile), problem.quanta, work.delta(),
                                        first && wants_scatter ? &scatter_sum : nullptr, nullptr);
    });
    work.kept = true;
    problem.sum(work.delta().values());
    // S_j = S_j + dS_j
    add(problem.backend, work.sums(), work.delta());
    if (first && wants_scatter) {
      HostSums sums(problem.backend, work.sums());
      loop.set_threshold(problem.options.tol * scatter.take(problem.total(scatter_sum), sums.view()));
    }
    const Index relocated = relocate(problem, work);

    if constexpr (checks_sums) check_sums(problem, work);

    // c'_j = S_j / m_j, or c_j where m_j = 0
    problem.backend.divide(work.sums(), problem.quanta, work.centroids(), work.next.view());
    // shift = sum_j D(c'_j, c_j);  c_j = c'_j
    loop.advance(problem, work, relocated);
    if (watched && !report_iteration(problem, work, loop.state(), scatter)) loop.cancel();
  }
  return loop.state().outcome;
}

}  // namespace lloyd::inline LLOYD_ABI::detail
