// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/finish.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/problem.hpp"
#include "support/verify.hpp"

namespace lloyd::test {
namespace {

template <class T>
class Finish : public testing::Test {};
using FinishScalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Finish, FinishScalars);

TYPED_TEST(Finish, IsConsistentOnEveryExitPath) {
  int converged = 0, by_shift = 0, stopped = 0, cancelled = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    for (const Index max_iter : {0, 1, 2, 300})
      for (const double tol : {0.0, 1e-2})
        for (const bool cancels : {false, true}) {
          const auto x = normal_rows<TypeParam>(90, 2, seed);
          std::vector<double> w;
          for (Index i = 0; i < 90 && seed % 2 == 0; ++i) w.push_back(static_cast<double>(i % 3) / 3);
          Options options{.n_clusters = 7, .max_iter = max_iter, .tol = tol, .seed = seed};
          if (cancels) options.callback = [](const Iteration& iteration) { return iteration.number < 3; };
          const KMeans<Reference> kmeans(options);
          const auto result = kmeans.fit(x, w);
          ASSERT_EQ(verify(x.view(), w, options, outcome_of(result)), "")
              << "seed " << seed << ", max_iter " << max_iter;
          ASSERT_EQ(kmeans.predict(result.centroids, x), result.labels);
          ASSERT_EQ(kmeans.score(result.centroids, x, w), -result.inertia);
          converged += result.stop_reason == StopReason::converged && tol == 0 ? 1 : 0;
          by_shift += result.stop_reason == StopReason::converged && tol > 0 ? 1 : 0;
          stopped += result.stop_reason == StopReason::max_iter ? 1 : 0;
          cancelled += result.stop_reason == StopReason::cancelled ? 1 : 0;
        }
  for (const int met : {converged, by_shift, stopped, cancelled}) EXPECT_GT(met, 10);
}

TYPED_TEST(Finish, NoIterationReturnsTheStartingCentroidsLabelled) {
  const auto x = column_of<TypeParam>({0, 1, 10, 11, 5.5});
  const auto c = column_of<TypeParam>({1, 10});
  const auto result = KMeans<Reference>({.n_clusters = 2, .max_iter = 0}).fit_from(c, x);
  EXPECT_EQ(result.centroids, c);
  EXPECT_EQ(result.labels, (std::vector<Label>{0, 0, 1, 1, 0})) << "the tie to the lowest";
  EXPECT_EQ(result.inertia, 1 + 1 + 4.5 * 4.5);
  EXPECT_EQ(result.n_iter, 0);
  EXPECT_EQ(result.centroid_shift, 0.0);
  EXPECT_EQ(result.cluster_sizes, (std::vector<Index>{3, 2}));
  EXPECT_EQ(result.stop_reason, StopReason::max_iter);
}

TYPED_TEST(Finish, WeightsComeBackInTheUnitsOfTheUser) {
  const auto x = column_of<TypeParam>({0, 2, 10});
  for (const double unit : {1.0, 3.0, 0x1p-900, 0x1p900, 1e-30}) {
    const std::vector<double> w{unit, unit, 2 * unit};
    const auto result = KMeans<Reference>({.n_clusters = 2}).fit_from(column_of<TypeParam>({0, 10}), x, w);
    EXPECT_EQ(result.cluster_weights, (std::vector<double>{2 * unit, 2 * unit}));
    EXPECT_EQ(result.inertia, 2 * unit);
    EXPECT_EQ(KMeans<Reference>({}).score(result.centroids, x, w), -2 * unit);
  }
}

TYPED_TEST(Finish, ScoreAddsWeightsOfEveryScaleAsFitDoes) {
  Random random(5);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto x = normal_rows<TypeParam>(20, 3, random.bits());
    const auto base = static_cast<int>(random.between(-1060, 900));
    std::vector<double> w;
    for (int i = 0; i < 20; ++i)
      w.push_back(std::ldexp(random.uniform(1, 2), base + static_cast<int>(random.below(20))));
    const auto result = KMeans<Reference>({.n_clusters = 3}).fit(x, w);
    ASSERT_EQ(KMeans<Reference>({}).score(result.centroids, x, w), -result.inertia) << "weights of 2^" << base;
  }
}

TEST(FinishOfDoubles, AScoreBeyondDoubleIsNotZero) {
  const auto c = column_of<double>({0}), y = column_of<double>({1e150, -1e150});
  try {
    EXPECT_EQ(KMeans<Reference>({}).score(c, y, std::vector<double>{1e10, 1e10}),
              -std::numeric_limits<double>::infinity());
  } catch (const InvalidArgument&) {
    SUCCEED() << "refused";
  }
}

// Weights so small that the inertia is subnormal: 2.5 + 2^-60 units of 2^-1074 are 3 of them, and would be 2 if they
// were rounded to 2.5 first.
TEST(Finish, RoundsASubnormalInertiaOnce) {
  constexpr double unit = 0x1p-1074;
  const auto x = rows_of<double>({{1.5, 0.5}, {0x1p-30, 0}}), c = rows_of<double>({{0, 0}});
  const std::vector<double> w = {unit, unit};
  const KMeans<Reference> reference({.n_clusters = 1, .max_iter = 0});
  const KMeans<Cpu> cpu({.n_clusters = 1, .max_iter = 0});
  const auto check = [&](const auto& kmeans) {
    const auto result = kmeans.fit_from(c, x, w);
    EXPECT_EQ(result.inertia, 3 * unit);
    EXPECT_EQ(kmeans.score(c, x, w), -3 * unit);
    EXPECT_EQ(result.cluster_weights, std::vector<double>{2 * unit});
  };
  check(reference);
  check(cpu);
}

}  // namespace
}  // namespace lloyd::test
