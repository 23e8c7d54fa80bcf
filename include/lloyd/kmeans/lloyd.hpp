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
#include "lloyd/kmeans/relocate.hpp"
#include "lloyd/kmeans/workspace.hpp"

namespace lloyd::detail {

/// How a run of the loop ended.
struct Outcome {
  StopReason stop_reason = StopReason::max_iter;
  Index n_iter = 0, n_rechecked = 0, n_skipped = 0;
  double centroid_shift = 0;
  bool labels_settled = false;  ///< no label changed in the last iteration: the labels are those of the centroids
};

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

/// Moves o to the mean of the rows, where the scatter about o has lost the digits of the variance, and sums the scatter
/// anew. Reads x once where it does so: only given centroids lie so far from the rows.
template <class P, Real T>
void move_to_mean(const P& problem, const RowsMean& mean, std::vector<T>& o, double& scatter) {
  const std::span<const T> origin(o);
  if (!loses_variance(mean, origin, scatter)) return;
  std::transform(mean.value.begin(), mean.value.end(), o.begin(), [](double value) { return static_cast<T>(value); });
  const auto prepared = problem.backend.prepare(MatrixView<const T>(o.data(), 1, problem.rows.d), origin,
                                                problem.batching, problem.options, {});
  ExactSum sum;
  // scatter = sum_i w_i D(x_i, o)
  problem.pass([&](const auto& tile) { (void)problem.backend.assign(tile, prepared, {}, {}, &sum); });
  scatter = problem.total(sum);
}

/// Tells the callback what an iteration did. False: stop.
template <class P, class W>
[[nodiscard]] bool report_iteration(const P& problem, W& work, const Outcome& outcome, Index changed, double inertia) {
  Iteration& state = problem.progress.state();
  state.number = outcome.n_iter;
  state.inertia = problem.in_weight_units(inertia);
  state.centroid_shift = outcome.centroid_shift;
  state.n_changed = changed;
  state.n_rechecked = work.delta().rechecked();
  state.n_skipped = work.delta().skipped();
  state.n_empty = 0;
  for (Index j = 0; j < work.c.rows(); ++j) state.n_empty += work.sums().occupancy(j) == 0 ? 1 : 0;
  return problem.progress.report(problem.ranks);
}

/// Iterates from the centroids in `work.c`; leaves there the last ones, and in `work` the labels and sums of the last
/// assignment.
///
/// An iteration reads x once (n d values), and once more where clusters are relocated; the first may read it once more
/// for the variance. It moves k d centroids and 2 limbs k d integers, and touches in the sums only the rows whose label
/// changed.
template <class P, class W>
[[nodiscard]] Outcome lloyd(const P& problem, W& work) {
  auto origin = origin_of(problem.survey, work.centroids());
  const std::span<const typename P::Scalar> o(origin);
  const bool watched = problem.progress.watched(problem.ranks);
  const bool wants_scatter = problem.options.tol > 0 || watched;
  ExactSum scatter_sum;
  double scatter = 0, threshold = 0;
  std::fill(work.labels.begin(), work.labels.end(), Label{-1});
  std::fill(work.sum_values.begin(), work.sum_values.end(), 0);
  work.kept = false;
  problem.progress.enter(Iteration::Phase::lloyd, problem.options.max_iter);

  Outcome outcome;
  while (outcome.n_iter < problem.options.max_iter && outcome.stop_reason == StopReason::max_iter) {
    const bool first = ++outcome.n_iter == 1;
    std::fill(work.delta_values.begin(), work.delta_values.end(), 0);
    const auto prepared =
        problem.backend.prepare(work.centroids(), o, problem.batching, problem.options, work.before());

    // l_i = argmin_j D(x_i, c_j);  dS_j = sum of w_i x_i over the rows that came, less those that left
    problem.pass([&](const auto& tile) {
      problem.backend.assign_accumulate(tile, prepared, work.rows_of(tile), problem.quanta, work.delta(),
                                        first && wants_scatter ? &scatter_sum : nullptr, nullptr);
    });
    work.kept = true;
    problem.ranks.sum(work.delta_values);
    // S_j = S_j + dS_j
    add(work.sums(), work.delta());
    if (first && wants_scatter) {
      scatter = problem.total(scatter_sum);
      const RowsMean mean = mean_of_rows(work.sums(), problem.quanta, problem.rows);
      move_to_mean(problem, mean, origin, scatter);
      threshold = problem.options.tol * mean_column_variance(mean, o, scatter);
    }
    const Index changed = work.delta().changed() + relocate(problem, work);

    if constexpr (checks_sums) check_sums(problem, work);

    // c'_j = S_j / m_j, or c_j where m_j = 0
    problem.backend.divide(work.sums(), problem.quanta, work.centroids(), work.next.view());
    // shift = sum_j D(c'_j, c_j)
    outcome.centroid_shift = problem.backend.converge(std::as_const(work.next).view(), work.centroids());
    std::swap(work.c, work.next);

    outcome.n_rechecked += work.delta().rechecked();
    outcome.n_skipped += work.delta().skipped();
    outcome.labels_settled = changed == 0;
    if (changed == 0 || (problem.options.tol > 0 && outcome.centroid_shift <= threshold))
      outcome.stop_reason = StopReason::converged;
    const double inertia = watched ? estimate_inertia(work.sums(), problem.quanta, work.centroids(), o, scatter) : 0;
    if (!report_iteration(problem, work, outcome, changed, inertia)) outcome.stop_reason = StopReason::cancelled;
  }
  return outcome;
}

}  // namespace lloyd::detail
