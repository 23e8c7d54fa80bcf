// SPDX-License-Identifier: MIT
/// @file
/// k distinct rows at random.
#pragma once

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "lloyd/kmeans/sampler.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Draws `count` distinct rows one after another, each with probability proportional to its weight among those not yet
/// drawn (or, without `use_weights`, uniformly among the rows of positive weight). `values` is n doubles of scratch.
///
/// Drawing with replacement and dropping repeats gives this distribution; when few new rows turn up, those drawn are
/// taken out and the masses are summed again. Fewer rows are returned when fewer have a positive weight.
template <class P>
[[nodiscard]] std::vector<Index> draw_distinct_rows(const P& problem, std::span<double> values, DrawAddress address,
                                                    Index count, bool use_weights) {
  fill(problem.backend, values, 1);
  const auto scale =
      MassScale::for_largest(problem.survey.weighted() && use_weights ? 2 : 1, problem.rows.n, use_weights);
  std::vector<Index> chosen;
  std::unordered_set<Index> seen;
  while (static_cast<Index>(chosen.size()) < count) {
    const Sampler sampler(problem, std::span<const double>(values), scale);
    if (sampler.total() == 0) break;
    const Index draws = 2 * (count - static_cast<Index>(chosen.size())) + 8;
    const auto ahead = sampler.draw_ahead(address, draws);
    for (Index t = 0; t < draws && static_cast<Index>(chosen.size()) < count; ++t) {
      const Index row = ahead.empty() ? sampler.draw(draw(address)) : ahead[static_cast<std::size_t>(t)];
      ++address.index;
      if (seen.insert(row).second) chosen.push_back(row);
    }
    std::vector<Index> here;
    for (const Index row : chosen)
      if (const Index local = problem.rows.find(row); local >= 0) here.push_back(local);
    put(problem.backend, values, std::span<const Index>(here), 0);
  }
  return chosen;
}

/// c_j = x_i for k distinct rows i. False: cancelled.
template <class P, class W>
[[nodiscard]] bool seed_random(const P& problem, W& work, Index init) {
  const DrawAddress address{problem.options.seed, Purpose::random_rows, init, 0, 0};
  auto rows = draw_distinct_rows(problem, span_of(work.d2), address, work.c.rows(), true);
  // Fewer rows of positive weight than clusters: the rest repeat the first, and end up empty.
  rows.resize(static_cast<std::size_t>(work.c.rows()), rows.front());
  problem.fetch(rows, work.c.view());
  return problem.progress.report(problem.ranks);
}

}  // namespace lloyd::inline LLOYD_ABI::detail
