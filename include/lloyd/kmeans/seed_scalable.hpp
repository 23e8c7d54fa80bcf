// SPDX-License-Identifier: MIT
/// @file
/// Scalable k-means++, also called k-means||.
/// @see Bahmani, Moseley, Vattani, Kumar, Vassilvitskii (2012), Scalable k-means++, VLDB 5, 622-633.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "lloyd/kmeans/lloyd.hpp"
#include "lloyd/kmeans/seed_plus_plus.hpp"
#include "lloyd/kmeans/subproblem.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Rows that may become centroids, and the weight of the rows nearest to each.
template <Real T>
struct Candidates {
  std::vector<T> values;  // rows of d
  std::vector<double> weights;

  [[nodiscard]] MatrixView<const T> view(Index d) const {
    return {values.data(), static_cast<Index>(values.size()) / d, d};
  }
  /// Drops those that no row of positive weight is nearest to: they repeat an earlier one.
  void drop_weightless(Index d) {
    std::size_t kept = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (!(weights[j] > 0)) continue;
      std::copy_n(values.begin() + static_cast<Index>(j) * d, d, values.begin() + static_cast<Index>(kept) * d);
      weights[kept++] = weights[j];
    }
    weights.resize(kept);
    values.resize(kept * static_cast<std::size_t>(d));
  }
};

/// m_j = sum of w_i over the rows labelled j, exactly, rounded once.
template <class P, class W>
[[nodiscard]] std::vector<double> label_weights(const P& problem, W& work, Index count) {
  Quanta quanta;  // of the weights alone
  const auto spans = problem.survey.columns(std::numeric_limits<typename P::Scalar>::digits, 0);
  if (problem.survey.weighted()) quanta = choose_quanta(problem.rows.n, {spans.back()});
  const SumsShape shape(count, 0, quanta);
  auto values = together(problem.ranks, [&] { return make_buffer<std::int64_t>(problem.backend, shape.size()); });
  fill(problem.backend, span_of(values), 0);
  const SumsView added(span_of(values), shape);
  Options scatter = problem.options;
  scatter.update = CentroidUpdate::scatter_add;
  problem.pass([&](const auto& tile) {
    problem.backend.accumulate(tile, scatter, std::span<const Label>(W::of(work.labels, tile)), quanta, added);
  });
  problem.sum(added.values());
  HostSums sums(problem.backend, added);
  const std::int64_t one = 1;
  std::vector<double> weights;
  for (Index j = 0; j < count; ++j)
    weights.push_back(quotient<double>(sums.view().weight(quanta, j), LimbSum{&one, 1, 1, 0, 0}));
  return weights;
}

/// The rounds: every row becomes a candidate with probability min(1, l w_i D_i / sum w D), l = oversampling_factor * k.
/// False: cancelled.
template <class P, class W>
[[nodiscard]] bool draw_candidates(const P& problem, W& work, Index init, Coverage<P, W>& coverage,
                                   Candidates<typename P::Scalar>& candidates) {
  const Index d = problem.rows.d, most = problem.rows.n;
  const double wanted = problem.options.oversampling_factor * static_cast<double>(problem.options.n_clusters);
  const auto expected = static_cast<std::uint64_t>(std::clamp(std::floor(wanted), 1.0, static_cast<double>(most)));
  const Index rounds = problem.options.init_rounds > 0 ? problem.options.init_rounds : 5;
  std::vector<Index> rows{first_row(problem, work, init)};
  coverage.reset();
  for (Index round = 0; !rows.empty(); ++round) {
    const auto first = static_cast<Index>(candidates.values.size()) / d, count = static_cast<Index>(rows.size());
    auto y = together(problem.ranks, [&] {
      candidates.values.resize(candidates.values.size() + static_cast<std::size_t>(count * d));
      return make_dense<typename P::Scalar>(problem.backend, count, d);
    });
    problem.fetch(rows, y.view());
    copy_rows(problem.backend, std::as_const(y).view(), MatrixView(candidates.values.data() + first * d, count, d));
    const double before = coverage.potential();
    if (!coverage.lower(std::as_const(y).view(), static_cast<Label>(first))) return false;
    const bool stalled = round > 0 && problem.options.init_rounds == 0 && coverage.potential() > 0.9 * before;
    const auto sampler = coverage.sampler();
    if (round == rounds || stalled || sampler.total() == 0) break;
    rows = sampler.sample(expected, {problem.options.seed, Purpose::scalable, init, round, 0});
  }
  return true;
}

/// Candidates in a few rounds, then weighted greedy k-means++ and at most 10 Lloyd iterations on them. Where they are
/// too few, k-means++ on the rows tops them up. Reads x once a round (5 by default), once for each centroid topped up.
/// False: cancelled.
template <class P, class W>
[[nodiscard]] bool seed_scalable(const P& problem, W& work, Index init) {
  const Index d = problem.rows.d, k = work.c.rows();
  Candidates<typename P::Scalar> candidates;
  Coverage<P, W> coverage(problem, work, true);
  if (!draw_candidates(problem, work, init, coverage, candidates)) return false;
  candidates.weights = label_weights(problem, work, candidates.view(d).rows());
  candidates.drop_weightless(d);
  const Index count = candidates.view(d).rows();
  if (count <= k) {
    copy_rows(problem.backend, candidates.view(d), work.c.view().slice(0, count));
    return extend_plus_plus(problem, work, init, count, coverage, false);
  }
  together(problem.ranks, [&] {
    const auto y = placed(problem.backend, candidates.view(d));
    Subproblem<typename P::Scalar, typename P::Backend> inner(problem, view_of(y), candidates.weights);
    inner.options.init = Init::kmeans_plus_plus;
    inner.options.max_iter = 10;
    auto inner_work = inner.workspace();
    (void)seed_plus_plus(inner.problem, inner_work, init);  // nobody looks on who could cancel
    (void)lloyd(inner.problem, inner_work);
    std::swap(work.c, inner_work.c);
  });
  return true;
}

}  // namespace lloyd::inline LLOYD_ABI::detail
