// SPDX-License-Identifier: MIT
/// @file
/// Starting centroids, by the way that the options name.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "lloyd/kmeans/seed_plus_plus.hpp"
#include "lloyd/kmeans/seed_random.hpp"
#include "lloyd/kmeans/seed_scalable.hpp"
#include "lloyd/kmeans/subproblem.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Starting centroids from all rows. False: cancelled.
template <class P, class W>
[[nodiscard]] bool seed_from_all(const P& problem, W& work, Index init) {
  switch (problem.options.init) {
    case Init::scalable_kmeans_plus_plus:
      return seed_scalable(problem, work, init);
    case Init::random:
      return seed_random(problem, work, init);
    case Init::kmeans_plus_plus:
      break;
  }
  return seed_plus_plus(problem, work, init);
}

/// Starting centroids from a uniform sample of `init_size` rows of positive weight. False: cancelled.
template <class P, class W>
[[nodiscard]] bool seed_from_sample(const P& problem, W& work, Index init) {
  const DrawAddress address{problem.options.seed, Purpose::sample, init, 0, 0};
  auto rows = draw_distinct_rows(problem, span_of(work.d2), address, problem.options.init_size, false);
  std::sort(rows.begin(), rows.end());
  rows.resize((std::max)(rows.size(), static_cast<std::size_t>(work.c.rows())), rows.front());
  auto x = together(problem.ranks, [&] {
    return make_dense<typename P::Scalar>(problem.backend, static_cast<Index>(rows.size()), problem.rows.d);
  });
  problem.fetch(rows, x.view());
  const auto w = problem.survey.weighted() ? problem.fetch_weights(rows) : std::vector<double>{};
  together(problem.ranks, [&] {
    Subproblem<typename P::Scalar, typename P::Backend> inner(problem, std::as_const(x).view(), w);
    auto inner_work = inner.workspace();
    (void)seed_from_all(inner.problem, inner_work, init);  // nobody looks on who could cancel
    std::swap(work.c, inner_work.c);
  });
  return problem.progress.report(problem.ranks);
}

/// An upper bound of the passes that seeding takes.
[[nodiscard]] inline Index seeding_passes(const Options& options, Index n) {
  if (options.init == Init::random || (options.init_size > 0 && options.init_size < n)) return 1;
  if (options.init == Init::scalable_kmeans_plus_plus) return (options.init_rounds > 0 ? options.init_rounds : 5) + 1;
  return options.n_clusters;
}

/// Starting centroids in work.c. False: cancelled.
template <class P, class W>
[[nodiscard]] bool seed(const P& problem, W& work, Index init) {
  problem.progress.enter(Iteration::Phase::seeding, seeding_passes(problem.options, problem.rows.n));
  const bool sample = problem.options.init_size > 0 && problem.options.init_size < problem.rows.n;
  return sample ? seed_from_sample(problem, work, init) : seed_from_all(problem, work, init);
}

}  // namespace lloyd::inline LLOYD_ABI::detail
