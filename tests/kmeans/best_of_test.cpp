// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/best_of.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <vector>

#include "support/problem.hpp"
#include "support/verify.hpp"

namespace lloyd::test {
namespace {

/// The run of each seeding by itself, in order.
template <Real T>
std::vector<Outcome<T>> runs_of(const Options& options, const Matrix<T>& x, const std::vector<double>& w) {
  std::vector<Outcome<T>> runs;
  for (Index init = 0; init < options.n_init; ++init) {
    const Problem<T> problem(options, x, w);
    auto work = problem.workspace();
    EXPECT_TRUE(detail::seed(problem.problem, work, init));
    auto result = detail::finish(problem.problem, work, detail::lloyd(problem.problem, work));
    result.labels = work.labels;
    runs.push_back(outcome_of(result));
  }
  return runs;
}

TEST(BestOf, EveryOutputIsThatOfTheBestRun) {
  int later = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    for (const Init init : {Init::kmeans_plus_plus, Init::scalable_kmeans_plus_plus, Init::random}) {
      const auto x = normal_rows<double>(120, 2, seed);
      std::vector<double> w;
      for (Index i = 0; i < 120 && seed % 2 == 0; ++i) w.push_back(static_cast<double>(i % 4));
      const Options options{
          .n_clusters = 7, .n_init = 5, .max_iter = seed % 3 == 0 ? 3 : 300, .seed = seed, .init = init};
      const auto runs = runs_of(options, x, w);
      std::size_t best = 0;
      for (std::size_t r = 1; r < runs.size(); ++r)
        if (runs[r].inertia < runs[best].inertia) best = r;
      later += best > 0 ? 1 : 0;
      const auto result = outcome_of(KMeans<Reference>(options).fit(x, w));
      ASSERT_EQ(difference(result, runs[best]), "") << "seed " << seed << ", init " << static_cast<int>(init);
      ASSERT_EQ(verify(x.view(), w, options, result), "");
    }
  std::cout << "  a later run was better " << later << " times\n";
  EXPECT_GT(later, 40);
}

TEST(BestOf, TiesGoToTheEarlier) {
  // A square has two best partitions of equal inertia; the runs differ, the first of the best is returned.
  const auto x = rows_of<double>({{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  int different = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Options options{.n_clusters = 2, .n_init = 6, .seed = seed};
    const auto runs = runs_of(options, x, {});
    std::size_t best = 0;
    for (std::size_t r = 1; r < runs.size(); ++r) {
      different += runs[r].inertia == runs[best].inertia && runs[r].labels != runs[best].labels ? 1 : 0;
      if (runs[r].inertia < runs[best].inertia) best = r;
    }
    ASSERT_EQ(difference(outcome_of(KMeans<Reference>(options).fit(x)), runs[best]), "");
  }
  EXPECT_GT(different, 20);
}

TEST(BestOf, WithoutLabelsAllElseIsTheSame) {
  const auto x = normal_rows<float>(200, 2, 1);
  Options options{.n_clusters = 5, .n_init = 3};
  auto expected = outcome_of(KMeans<Reference>(options).fit(x));
  options.labels = false;
  const auto found = outcome_of(KMeans<Reference>(options).fit(x));
  EXPECT_TRUE(found.labels.empty());
  expected.labels = {};
  EXPECT_EQ(difference(found, expected), "");
}

TEST(BestOf, AnInertiaTooLargeForDoubleIsRefusedOrReturned) {
  // Centroids far from rows of huge weight: sum w D is beyond the largest double.
  const auto x = column_of<double>({1, 2});
  const auto c = column_of<double>({1e150});
  const std::vector<double> w{1e300, 1e300};
  try {
    const auto result = KMeans<Reference>({.n_clusters = 1, .max_iter = 0}).fit_from(c, x, w);
    EXPECT_EQ(result.centroids, c) << "a result without centroids is none";
    EXPECT_EQ(result.labels, (std::vector<Label>{0, 0}));
  } catch (const InvalidArgument&) {
    SUCCEED() << "refused before any work";
  }
}

}  // namespace
}  // namespace lloyd::test
