// SPDX-License-Identifier: MIT
/// @file
/// Several seedings, the best run of which is returned whole.
#pragma once

#include <limits>
#include <utility>

#include "lloyd/kmeans/finish.hpp"
#include "lloyd/kmeans/seed.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Runs the loop from each of n_init starts and returns the run of least inertia, ties to the earlier. `start(init)`
/// leaves starting centroids in work.c, or returns false when cancelled. A cancelled run still in seeding is dropped;
/// one in the loop is finished and compared; no further one begins.
template <class P, class W, class Start>
[[nodiscard]] Clustering<typename P::Scalar, typename P::Backend> best_of(const P& problem, W& work,
                                                                          const Start& start) {
  Clustering<typename P::Scalar, typename P::Backend> best;
  best.inertia = std::numeric_limits<double>::infinity();
  bool cancelled = false;
  for (Index init = 0; init < problem.options.n_init && !cancelled; ++init) {
    if (!start(init)) {
      cancelled = true;
      break;
    }
    auto run = finish(problem, work, lloyd(problem, work));
    cancelled = run.stop_reason == StopReason::cancelled;
    if (init == 0 || run.inertia < best.inertia) {
      run.labels = std::move(best.labels);  // memory to reuse
      best = std::move(run);
      std::swap(best.labels, work.labels);
      together(problem.ranks, [&] {
        if (init + 1 < problem.options.n_init && work.labels.size() != best.labels.size())
          work.labels = make_buffer<Label>(problem.backend, problem.rows.local);
      });
    }
  }
  if (!problem.options.labels) best.labels = {};
  if (cancelled) best.stop_reason = StopReason::cancelled;
  return best;
}

}  // namespace lloyd::inline LLOYD_ABI::detail
