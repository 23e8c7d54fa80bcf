// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/seed_random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "lloyd/kmeans/seed.hpp"
#include "support/chi_square.hpp"
#include "support/problem.hpp"

namespace lloyd::test {
namespace {

using detail::Purpose;

constexpr long seeds = 30000;

/// Rows 0, 1, 2, ... of one column.
Matrix<float> counted(Index n) {
  return generate<float>(n, 1, [](Index i, Index) { return static_cast<double>(i); });
}

/// k rows drawn for one seed, in the order drawn.
std::vector<Index> draw_rows(const Problem<float>& problem, Index count, std::uint64_t seed, bool use_weights) {
  std::vector<double> scratch(static_cast<std::size_t>(problem.problem.rows.n));
  return detail::draw_distinct_rows(problem.problem, std::span(scratch), {seed, Purpose::random_rows, 0, 0, 0}, count,
                                    use_weights);
}

Options of_k(Index k) {
  Options options;
  options.n_clusters = k;
  options.init = Init::random;
  return options;
}

/// All ordered triples of distinct rows, each with its probability: w_a / W, then w_b / (W - w_a), and so on.
void expect_drawn_one_after_another(const std::vector<double>& w, bool use_weights) {
  const auto n = static_cast<Index>(w.size());
  const auto x = counted(n);
  const Problem<float> problem(of_k(3), x, w);
  const auto mass = [&](Index i) {
    return use_weights ? w[static_cast<std::size_t>(i)] : (w[static_cast<std::size_t>(i)] > 0 ? 1.0 : 0.0);
  };
  double total = 0;
  for (Index i = 0; i < n; ++i) total += mass(i);
  std::vector<double> p(static_cast<std::size_t>(n * n * n), 0.0);
  std::vector<long> counts(p.size(), 0);
  for (Index a = 0; a < n; ++a)
    for (Index b = 0; b < n; ++b)
      for (Index c = 0; c < n; ++c)
        if (a != b && a != c && b != c)
          p[static_cast<std::size_t>((a * n + b) * n + c)] =
              mass(a) / total * mass(b) / (total - mass(a)) * mass(c) / (total - mass(a) - mass(b));
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(seeds); ++seed) {
    const auto rows = draw_rows(problem, 3, seed, use_weights);
    ASSERT_EQ(rows.size(), 3U);
    ++counts[static_cast<std::size_t>((rows[0] * n + rows[1]) * n + rows[2])];
  }
  expect_drawn_from(p, counts);
}

TEST(DrawDistinctRows, EveryTripleAsOftenAsDrawingWithoutReplacement) {
  expect_drawn_one_after_another({1, 1, 1, 1, 1}, true);
  expect_drawn_one_after_another({1, 2, 0, 3, 1.5}, true);
  expect_drawn_one_after_another({1, 2, 0, 3, 1.5}, false);
}

TEST(DrawDistinctRows, WeightsOfAnyScale) {
  const double huge = 0x1p1000, tiny = 0x1p-1000;
  expect_drawn_one_after_another({huge, 2 * huge, 1.5 * huge, huge}, true);
  expect_drawn_one_after_another({tiny, 2 * tiny, 1.5 * tiny, tiny}, true);
}

TEST(DrawDistinctRows, AllRowsWhenAllAreAsked) {
  for (const Index n : {1, 2, 50, 1030}) {
    const auto x = counted(n);
    const Problem<float> problem(of_k(n), x);
    auto rows = draw_rows(problem, n, 5, true);
    std::sort(rows.begin(), rows.end());
    ASSERT_EQ(static_cast<Index>(rows.size()), n);
    for (Index i = 0; i < n; ++i) ASSERT_EQ(rows[static_cast<std::size_t>(i)], i);
  }
}

TEST(DrawDistinctRows, FewerWhenFewerHaveAWeight) {
  const auto x = counted(4);
  const Problem<float> problem(of_k(4), x, {0, 2, 0, 1e-80});
  auto rows = draw_rows(problem, 4, 1, true);
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(rows, (std::vector<Index>{1, 3}));
}

TEST(DrawDistinctRows, AHeavyRowDoesNotHideTheOthers) {
  // One row of nearly all the weight: the draws hit it again and again until it is taken out.
  const auto x = counted(6);
  const Problem<float> problem(of_k(6), x, {1e15, 1, 1, 1, 1, 1});
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto rows = draw_rows(problem, 6, seed, true);
    ASSERT_EQ(std::set<Index>(rows.begin(), rows.end()).size(), 6U);
    ASSERT_EQ(rows[0], 0);
  }
}

TEST(SeedRandom, TheRestRepeatTheFirstRow) {
  const auto x = counted(5);
  const Problem<float> problem(of_k(4), x, {0, 1, 0, 1, 0});
  auto work = problem.workspace();
  ASSERT_TRUE(detail::seed_random(problem.problem, work, 0));
  EXPECT_NE(work.c(0, 0), work.c(1, 0));
  for (const Index j : {0, 1}) EXPECT_TRUE(work.c(j, 0) == 1 || work.c(j, 0) == 3);
  EXPECT_EQ(work.c(2, 0), work.c(0, 0));
  EXPECT_EQ(work.c(3, 0), work.c(0, 0));
}

TEST(SeedRandom, EveryInitDrawsAnew) {
  const auto x = counted(1000);
  const Problem<float> problem(of_k(3), x);
  std::set<std::vector<float>> seen;
  for (Index init = 0; init < 20; ++init) {
    auto work = problem.workspace();
    ASSERT_TRUE(detail::seed_random(problem.problem, work, init));
    seen.insert({work.c(0, 0), work.c(1, 0), work.c(2, 0)});
  }
  EXPECT_EQ(seen.size(), 20U);
}

TEST(SeedFromSample, EverySetOfRowsIsAsLikely) {
  // Samples of 3 of 6 rows of positive weight: 20 sets. With k = 3, random seeding must use all three.
  const auto x = counted(7);
  std::vector<double> p(128, 0.0);
  std::vector<long> counts(128, 0);
  for (std::size_t set = 0; set < p.size(); ++set)
    p[set] = __builtin_popcountll(set) == 3 && (set & 8) == 0 ? 1.0 : 0.0;
  const std::vector<double> w{5, 1, 1, 0, 1, 1, 90};  // the sample is uniform, whatever the weights
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(seeds); ++seed) {
    Options options = of_k(3);
    options.init_size = 3;
    options.seed = seed;
    const Problem<float> problem(options, x, w);
    auto work = problem.workspace();
    ASSERT_TRUE(detail::seed(problem.problem, work, 0));
    std::size_t set = 0;
    for (Index j = 0; j < 3; ++j) set |= std::size_t{1} << static_cast<int>(work.c(j, 0));
    ++counts[set];
  }
  expect_drawn_from(p, counts);
}

TEST(SeedFromSample, SeedsFromItsRowsOnly) {
  for (const Init init : {Init::kmeans_plus_plus, Init::scalable_kmeans_plus_plus, Init::random})
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const auto x = normal_rows<float>(3000, 2, 8);
      Options options = of_k(5);
      options.init = init;
      options.init_size = 40;
      options.seed = seed;
      const Problem<float> problem(options, x);
      auto work = problem.workspace();
      ASSERT_TRUE(detail::seed(problem.problem, work, 0));
      std::vector<double> scratch(3000);
      auto sample =
          detail::draw_distinct_rows(problem.problem, std::span(scratch), {seed, Purpose::sample, 0, 0, 0}, 40, false);
      if (init == Init::scalable_kmeans_plus_plus) continue;  // its centroids are means
      for (Index j = 0; j < 5; ++j)
        ASSERT_NE(std::find(sample.begin(), sample.end(), find_row(x, work.c.row(j))), sample.end());
    }
}

TEST(SeedFromSample, AsManyAsThereAreRowsIsAllRows) {
  const auto x = normal_rows<float>(60, 2, 8);
  for (const Init init : {Init::kmeans_plus_plus, Init::random}) {
    Options options = of_k(5), whole = of_k(5);
    options.init = whole.init = init;
    options.init_size = 60;
    EXPECT_EQ(KMeans<Reference>(options).fit(x).centroids, KMeans<Reference>(whole).fit(x).centroids);
  }
}

}  // namespace
}  // namespace lloyd::test
