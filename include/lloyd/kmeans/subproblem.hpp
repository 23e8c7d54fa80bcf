// SPDX-License-Identifier: MIT
/// @file
/// A small clustering problem inside a larger one: candidates, or a sample of rows. Every rank solves the same one.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "lloyd/kmeans/numbering.hpp"
#include "lloyd/kmeans/workspace.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Fills in what a problem's rows tell: numbers, survey, quanta. False: cancelled. Throws InvalidArgument for rows,
/// weights or sizes that cannot be clustered. Reads x once.
/// @param part  of a problem that was surveyed: its weights are sums of up to n weights that were looked at, and may
///              span log2(n) bits more; its inertia is at most what that one's may be
template <Real T, class B, class C, class S>
[[nodiscard]] bool survey(Problem<T, B, C, S>& p, bool part = false) {
  p.progress.enter(Iteration::Phase::survey, 1);
  number_rows(p);
  const Index k = p.options.n_clusters;
  demand(p.rows.n >= 1, p.who, ": x has no rows");
  demand(p.rows.d >= 1, p.who, ": x has no columns");
  demand(k <= p.rows.n, p.who, ": n_clusters ", k, " > rows of x ", p.rows.n);
  const bool seeded = p.largest_given < 0;
  demand(!seeded || p.options.n_local_trials <= p.rows.n, p.who, ": n_local_trials ", p.options.n_local_trials,
         " > rows of x ", p.rows.n);

  Survey found = together(p.ranks, [&] { return Survey(p.rows.d); });
  p.pass([&](const auto& tile) { p.backend.survey(tile, found.maxima()); });
  (p.ranks.max)(found.maxima());
  if (!found.finite() || found.largest() > largest_value || !(found.largest_weight() >= 0) ||
      !(found.largest_weight() <= (std::numeric_limits<double>::max)())) {
    p.pass([&](const auto& all) {
      for_each_part(p.backend, all, [&](const Tile<T>& tile) {
        require_usable(tile, p.who, "x");
        require_usable_weights(tile, p.who);
      });
    });
  }
  std::uint64_t weighted = p.rows.weighted ? 1 : 0;  // an empty rank has no weights
  (p.ranks.max)(std::span(&weighted, 1));
  demand(weighted == 0 || found.weighted(), p.who, ": all weights are zero");
  demand(
      part || inertia_fits((std::max)(found.largest(), p.largest_given), found.weight_exponent(), p.rows.n, p.rows.d),
      p.who, ": values up to ", (std::max)(found.largest(), p.largest_given), " with weights up to ",
      found.weighted() ? found.largest_weight() : 1.0, " have an inertia beyond the largest double");
  p.survey = std::move(found);
  together(p.ranks, [&] {
    p.quanta = choose_quanta(p.rows.n, p.survey.columns(std::numeric_limits<T>::digits, lowest_bit<T>));
    require_kept_weights(p.survey, p.quanta, p.rows.n, part ? 0 : 60, p.who);
    p.batching = choose_batching(p.options, p.rows.local, p.rows.d, k, p.backend.workers(), sizeof(T), on_host<B>);
    if constexpr (!on_host<B>)
      p.backend.template reserve<T>(p.rows.local, SumsShape(k, p.rows.d, p.quanta), p.batching, p.options, seeded);
  });
  return p.progress.report(p.ranks);
}

/// Rows and weights in memory, the same on every rank, clustered by one process with the options of the outer problem.
template <Real T, class B>
struct Subproblem {
  using Rows = InMemory<T, typename B::Space>;

  template <class P>
  Subproblem(const P& outer, MatrixView<const T, typename B::Space> x, std::span<const double> w)
      : options(outer.options),
        weights(placed(outer.backend, w)),
        source(x, weights_in<typename B::Space>(span_of(weights))),
        problem{options, outer.backend, alone, source, silent, outer.who} {
    options.callback = {};
    options.init_size = 0;
    options.n_local_trials = (std::min)(options.n_local_trials, x.rows());
    (void)lloyd::detail::survey(problem, true);
  }
  Subproblem(const Subproblem&) = delete;
  Subproblem& operator=(const Subproblem&) = delete;

  [[nodiscard]] Workspace<T, B> workspace() const { return Workspace<T, B>(problem); }

  Options options;
  decltype(placed(std::declval<const B&>(), std::span<const double>())) weights;
  const SingleProcess alone{};
  Progress silent{{}};
  Rows source;
  Problem<T, B, const SingleProcess, Rows> problem;  // the type of a fit in memory by one process, so one instance
};

}  // namespace lloyd::inline LLOYD_ABI::detail
