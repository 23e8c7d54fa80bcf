// SPDX-License-Identifier: MIT
/// @file
/// The last pass: labels, sizes, weights and inertia become those of the centroids returned.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "lloyd/clustering.hpp"
#include "lloyd/kmeans/lloyd.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// The result of a run. Reads x once: where no label changed in the last iteration only the distance to the own
/// centroid is evaluated, otherwise rows are assigned in the same read.
template <class P, class W>
[[nodiscard]] Clustering<typename P::Scalar, typename P::Backend> finish(const P& problem, W& work,
                                                                         const Outcome& outcome) {
  problem.progress.enter(Iteration::Phase::finish, 1);
  const auto c = to_host(problem.backend, work.centroids());
  const auto origin = origin_of(problem.survey, view_of(c));
  ExactSum inertia;
  fill(problem.backend, work.delta().values(), 0);
  if (outcome.labels_settled) {
    // inertia = sum_i w_i D(x_i, c_{l_i})
    problem.pass([&](const auto& tile) {
      problem.backend.distance(tile, work.centroids(), std::span<const Label>(W::of(work.labels, tile)), {}, &inertia);
    });
  } else {
    const auto o = placed(problem.backend, std::span<const typename P::Scalar>(origin));
    const auto prepare = [&] {
      return problem.backend.prepare(work.centroids(), span_of(o), problem.batching, problem.options, work.before());
    };
    // l_i = argmin_j D(x_i, c_j);  inertia = sum_i w_i D(x_i, c_{l_i})
    problem.pass(prepare, [&](const auto& tile, const auto& prepared) {
      problem.backend.assign_accumulate(tile, prepared, work.rows_of(tile), problem.quanta, work.delta(), nullptr,
                                        &inertia);
    });
    problem.sum(work.delta().values());
    add(problem.backend, work.sums(), work.delta());
  }

  Clustering<typename P::Scalar, typename P::Backend> result;
  result.inertia = problem.total(inertia, problem.survey.weight_exponent());
  result.centroid_shift = outcome.centroid_shift;
  result.n_iter = outcome.n_iter;
  HostSums sums(problem.backend, work.sums()), delta(problem.backend, work.delta());
  result.n_rechecked = outcome.n_rechecked + delta.view().rechecked();
  result.n_skipped = outcome.n_skipped + delta.view().skipped();
  result.stop_reason = outcome.stop_reason;
  const std::int64_t one = 1;  // of scaled weights
  const LimbSum unit{&one, 1, 1, 0, -problem.survey.weight_exponent()};
  for (Index j = 0; j < work.c.rows(); ++j) {
    result.cluster_sizes.push_back(sums.view().cluster_size(j));
    result.cluster_weights.push_back(quotient<double>(sums.view().weight(problem.quanta, j), unit));
    result.n_empty += sums.view().occupancy(j) == 0 ? 1 : 0;
  }
  problem.progress.state().inertia = result.inertia;
  if (!problem.progress.report(problem.ranks)) result.stop_reason = StopReason::cancelled;
  result.centroids = together(problem.ranks, [&] { return copy_of(problem.backend, work.centroids()); });
  return result;
}

}  // namespace lloyd::inline LLOYD_ABI::detail
