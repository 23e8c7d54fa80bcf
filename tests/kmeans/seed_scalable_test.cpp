// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/seed_scalable.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "support/chi_square.hpp"
#include "support/problem.hpp"

namespace lloyd::test {
namespace {

Options scalable(Index k, std::uint64_t seed = 0) {
  Options options;
  options.n_clusters = k;
  options.init = Init::scalable_kmeans_plus_plus;
  options.seed = seed;
  return options;
}

/// Candidates of a problem, and how many passes over the rows it took to find them.
struct Found {
  detail::Candidates<float> candidates;
  Index passes = 0;
};
Found candidates_of(Options options, const Matrix<float>& x, const std::vector<double>& w = {}) {
  Found found;
  options.callback = [&](const Iteration& iteration) {
    if (iteration.phase == Iteration::Phase::seeding) found.passes = iteration.done;
    return true;
  };
  Problem<float> problem(options, x, w);
  auto work = problem.workspace();
  detail::Coverage coverage(problem.problem, work, true);
  problem.progress.enter(Iteration::Phase::seeding, 6);
  EXPECT_TRUE(detail::draw_candidates(problem.problem, work, 0, coverage, found.candidates));
  return found;
}

/// Corners of a simplex: all are as far from each other, so a candidate covers itself alone.
Matrix<float> simplex(Index n) {
  return generate<float>(n, n, [](Index i, Index q) { return i == q ? 1.0 : 0.0; });
}

TEST(SeedScalable, RoundsAsAsked) {
  const auto x = normal_rows<float>(2000, 3, 1);
  for (const Index rounds : {1, 2, 3, 8}) {
    Options options = scalable(4);
    options.init_rounds = rounds;
    EXPECT_EQ(candidates_of(options, x).passes, rounds + 1) << "one pass a round, and one for the first row";
  }
}

TEST(SeedScalable, FiveRoundsOrUntilARoundGainsLittle) {
  // Clouds far apart: every round halves the potential or better, until five are done.
  const Found found = candidates_of(scalable(4), blobs<float>(2000, 2, 4, 1));
  EXPECT_LE(found.passes, 6);
  EXPECT_GE(found.passes, 3);
  // On the simplex no round of two candidates lowers the potential of 200 rows by 10 %.
  EXPECT_EQ(candidates_of(scalable(1), simplex(200)).passes, 2);
  Options options = scalable(1);
  options.init_rounds = 5;
  EXPECT_EQ(candidates_of(options, simplex(200)).passes, 6) << "rounds that were asked for are not cut short";
}

TEST(SeedScalable, NothingIsLeftToDraw) {
  // All rows equal: one candidate covers them, and no round is needed.
  const Matrix<float> x(50, 2);
  const Found found = candidates_of(scalable(3), x);
  EXPECT_EQ(found.passes, 1);
  EXPECT_EQ(found.candidates.view(2).rows(), 1);
}

TEST(SeedScalable, CandidatesAreOfTheOrderOfK) {
  for (const Index n : {1000, 20000})
    for (const Index k : {1, 8, 40}) {
      const auto count = candidates_of(scalable(k, 3), normal_rows<float>(n, 2, 5)).candidates.view(2).rows();
      // 5 rounds of 2 k in the mean, each a sum of independent draws.
      EXPECT_LE(static_cast<double>(count),
                1 + 10 * static_cast<double>(k) + 6 * std::sqrt(10 * static_cast<double>(k)))
          << "n " << n << ", k " << k;
      EXPECT_GE(count, k);
    }
}

TEST(SeedScalable, EveryRowBecomesACandidateByItsChance) {
  // Whatever the first row is, all others of the simplex are as far: each is drawn with probability 2 k w_i / W'.
  const Index n = 30;
  const auto x = simplex(n);
  std::vector<double> w;
  for (Index i = 0; i < n; ++i) w.push_back(i == 4 ? 0 : i == 5 ? 40 : 1 + static_cast<double>(i % 3));
  const double total = std::accumulate(w.begin(), w.end(), 0.0);
  const long seeds = 20000;
  std::vector<long> counts(3, 0), trials(3, 0);
  std::vector<double> expected(3, 0);
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(seeds); ++seed) {
    Options options = scalable(2, seed);
    options.init_rounds = 1;
    const auto found = candidates_of(options, x, w);
    const auto y = found.candidates.view(n);
    const Index first = find_row(x, y.row(0));
    ASSERT_NE(first, 4) << "a row without weight";
    std::vector<bool> drawn(static_cast<std::size_t>(n), false);
    for (Index j = 1; j < y.rows(); ++j) drawn[static_cast<std::size_t>(find_row(x, y.row(j)))] = true;
    ASSERT_FALSE(drawn[static_cast<std::size_t>(first)]) << "it is covered";
    ASSERT_FALSE(drawn[4]);
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (i == first || i == 4) continue;
      const double p = std::min(1.0, 4 * w[at] / (total - w[static_cast<std::size_t>(first)]));
      if (p == 1) {
        ASSERT_TRUE(drawn[at]);
        continue;
      }
      const std::size_t kind = i == 5 ? 2 : static_cast<std::size_t>(i % 2);
      counts[kind] += drawn[at] ? 1 : 0, trials[kind] += 1, expected[kind] += p;
    }
  }
  for (std::size_t kind = 0; kind < 2; ++kind)
    expect_happens(expected[kind] / static_cast<double>(trials[kind]), counts[kind], trials[kind]);
}

TEST(SeedScalable, ToppedUpToKDistinctRows) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto x = normal_rows<float>(100, 2, seed);
    Options options = scalable(12, seed);
    options.oversampling_factor = 0.01;
    options.init_rounds = 1;
    const Problem<float> problem(options, x);
    auto work = problem.workspace();
    ASSERT_TRUE(detail::seed_scalable(problem.problem, work, 0));
    std::set<Index> rows;
    for (Index j = 0; j < 12; ++j) rows.insert(find_row(x, work.c.row(j)));
    ASSERT_EQ(rows.size(), 12U);
    ASSERT_EQ(rows.count(-1), 0U);
  }
}

TEST(SeedScalable, FewerDistinctRowsThanK) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto x = duplicated_rows<float>(60, 2, 4, seed);
    const Problem<float> problem(scalable(7, seed), x);
    auto work = problem.workspace();
    ASSERT_TRUE(detail::seed_scalable(problem.problem, work, 0));
    std::set<Index> rows, distinct;
    for (Index i = 0; i < 60; ++i) distinct.insert(find_row(x, x.row(i)));
    for (Index j = 0; j < 7; ++j) rows.insert(find_row(x, work.c.row(j)));
    ASSERT_EQ(rows, distinct);
  }
}

TEST(SeedScalable, LabelWeightsAreTheSumsOfTheRowsNearest) {
  const auto x = column_of<float>({0, 1, 10, 11, 12});
  for (const bool weighted : {false, true}) {
    const std::vector<double> w = weighted ? std::vector<double>{1, 0.5, 0.25, 1.75, 0} : std::vector<double>{};
    const Problem<float> problem(scalable(2), x, w);
    auto work = problem.workspace();
    work.labels = {0, 0, 2, 2, 2};
    EXPECT_EQ(detail::label_weights(problem.problem, work, 3),
              weighted ? (std::vector<double>{1.5, 0, 2}) : (std::vector<double>{2, 0, 3}));
  }
}

TEST(SeedScalable, DropsCandidatesWithoutWeight) {
  detail::Candidates<float> candidates{{1, 2, 3, 4, 5, 6}, {0, 2, 0}};
  candidates.drop_weightless(2);
  EXPECT_EQ(candidates.values, (std::vector<float>{3, 4}));
  EXPECT_EQ(candidates.weights, (std::vector<double>{2}));
}

TEST(SeedScalable, FindsSeparatedClouds) {
  const auto x = blobs<float>(3000, 3, 6, 8);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Options options = scalable(6, seed), plus = options;
    plus.init = Init::kmeans_plus_plus;
    const double inertia = KMeans<Reference>(options).fit(x).inertia;
    EXPECT_LE(inertia, 1.5 * KMeans<Reference>(plus).fit(x).inertia);
  }
}

}  // namespace
}  // namespace lloyd::test
