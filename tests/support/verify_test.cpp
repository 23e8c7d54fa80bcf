// SPDX-License-Identifier: MIT
// The verifier accepts right results and rejects each kind of spoiled one.
#include "support/verify.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/checked.hpp"
#include "support/data.hpp"

namespace lloyd::test {
namespace {

template <class T>
class Verify : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Verify, Scalars);

/// A right result with its problem. Weights 1, 2, 3, 1, 2, ... or none.
template <Real T>
struct Sample {
  explicit Sample(bool weighted, double tol = 0) {
    x = blobs<T>(60, 3, 4, 5);
    if (weighted)
      for (Index i = 0; i < x.rows(); ++i) w.push_back(static_cast<double>(1 + i % 3) / 7);
    options.n_clusters = 4;
    options.tol = tol;
    result = outcome_of(KMeans<Reference>(options).fit(x, w));
  }

  [[nodiscard]] std::string verdict() const { return verify<T>(x.view(), w, options, result); }

  Matrix<T> x;
  std::vector<double> w;
  Options options;
  Outcome<T> result;
};

template <Real T>
[[nodiscard]] T next(T value) {
  return std::nextafter(value, std::numeric_limits<T>::infinity());
}

TYPED_TEST(Verify, AcceptsRightResults) {
  for (const bool weighted : {false, true}) {
    EXPECT_EQ(Sample<TypeParam>(weighted).verdict(), "");
    EXPECT_EQ(Sample<TypeParam>(weighted, 1e-4).verdict(), "");
  }
}

/// A way to spoil a result, and a word that the complaint must hold.
template <Real T>
struct Spoiling {
  const char* word;
  std::function<void(Outcome<T>&)> spoil;
};

TYPED_TEST(Verify, RejectsEachKindOfSpoiledResult) {
  using T = TypeParam;
  using R = Outcome<T>;
  const std::vector<Spoiling<T>> spoilings{
      {"label", [](R& r) { r.labels[7] = (r.labels[7] + 1) % 4; }},
      {"label 4", [](R& r) { r.labels[59] = 4; }},
      {"label -1", [](R& r) { r.labels[0] = -1; }},
      {"one a row", [](R& r) { r.labels.pop_back(); }},
      {"k x d", [](R& r) { r.centroids = Matrix<T>(3, 3); }},
      {"one a cluster", [](R& r) { r.cluster_sizes.pop_back(); }},
      {"cluster_sizes", [](R& r) { ++r.cluster_sizes[2]; }},
      {"cluster_weights", [](R& r) { r.cluster_weights[1] = next(r.cluster_weights[1]); }},
      {"n_empty", [](R& r) { r.n_empty = 1; }},
      {"add up", [](R& r) { r.inertia = next(r.inertia); }},
      {"inertia", [](R& r) { r.inertia = -r.inertia; }},
      {"inertia", [](R& r) { r.inertia = std::numeric_limits<double>::quiet_NaN(); }},
      {"inertia", [](R& r) { r.inertia = 0; }},
      {"not finite", [](R& r) { r.centroids(3, 2) = std::numeric_limits<T>::quiet_NaN(); }},
      {"not finite", [](R& r) { r.centroids(0, 0) = std::numeric_limits<T>::infinity(); }},
      {"centroid_shift", [](R& r) { r.centroid_shift = -1; }},
      {"n_iter", [](R& r) { r.n_iter = 301; }},
      {"max_iter", [](R& r) { r.stop_reason = StopReason::max_iter; }},
  };
  for (const bool weighted : {false, true}) {
    for (const auto& spoiling : spoilings) {
      Sample<T> sample(weighted);
      spoiling.spoil(sample.result);
      EXPECT_NE(sample.verdict().find(spoiling.word), std::string::npos)
          << "spoiled: " << spoiling.word << ", said: " << sample.verdict();
    }
  }
}

TYPED_TEST(Verify, RejectsTheHigherOfTwoTiedLabels) {
  using T = TypeParam;
  const auto x = column_of<T>({1});
  Options options;
  options.n_clusters = 2;
  options.max_iter = 0;
  Outcome<T> result;
  result.centroids = column_of<T>({0, 2});
  result.labels = {0};
  result.cluster_sizes = {1, 0};
  result.cluster_weights = {1, 0};
  result.inertia = 1;
  result.n_empty = 1;
  EXPECT_EQ(verify<T>(x.view(), {}, options, result), "");
  result.labels = {1};
  result.cluster_sizes = {0, 1};
  result.cluster_weights = {0, 1};
  EXPECT_NE(verify<T>(x.view(), {}, options, result), "");
}

// The inertia is made to fit the spoiled centroid, so that only the mean is wrong: by one ulp.
TYPED_TEST(Verify, RejectsACentroidBesideTheMean) {
  using T = TypeParam;
  for (const bool weighted : {false, true}) {
    Sample<T> sample(weighted);
    sample.result.centroids(1, 1) = next(sample.result.centroids(1, 1));
    Exact inertia;
    for (Index i = 0; i < sample.x.rows(); ++i)
      inertia.add(weighted ? sample.w[static_cast<std::size_t>(i)] : 1,
                  squared_distance(sample.x.row(i),
                                   sample.result.centroids.row(sample.result.labels[static_cast<std::size_t>(i)]), 3));
    sample.result.inertia = nearest_double(inertia);
    EXPECT_NE(sample.verdict().find("not the mean"), std::string::npos) << sample.verdict();
    sample.options.tol = 1e-4;  // where the shift may stop a fit, the centroid need not be the mean
    EXPECT_EQ(sample.verdict(), "");
  }
}

TYPED_TEST(Verify, RejectsAnEmptyClusterThatCouldBeFilled) {
  using T = TypeParam;
  const auto x = column_of<T>({0, 1, 2});
  Options options;
  options.n_clusters = 2;
  options.tol = 0;
  Outcome<T> result;
  result.centroids = column_of<T>({1, 9});
  result.labels = {0, 0, 0};
  result.cluster_sizes = {3, 0};
  result.cluster_weights = {3, 0};
  result.inertia = 2;
  result.n_empty = 1;
  result.stop_reason = StopReason::converged;
  EXPECT_NE(verify<T>(x.view(), {}, options, result).find("could have moved"), std::string::npos);
  options.empty_clusters = EmptyClusters::keep;
  EXPECT_EQ(verify<T>(x.view(), {}, options, result), "");
}

TYPED_TEST(Verify, TellsResultsApart) {
  using T = TypeParam;
  using R = Outcome<T>;
  const Sample<T> sample(true);
  EXPECT_EQ(difference(sample.result, sample.result), "");
  const std::vector<Spoiling<T>> spoilings{
      {"labels", [](R& r) { r.labels[7] = (r.labels[7] + 1) % 4; }},
      {"shapes", [](R& r) { r.centroids = Matrix<T>(3, 3); }},
      {"centroid 1", [](R& r) { r.centroids(1, 0) = next(r.centroids(1, 0)); }},
      {"cluster_sizes", [](R& r) { ++r.cluster_sizes[2]; }},
      {"cluster_weights", [](R& r) { r.cluster_weights[1] = next(r.cluster_weights[1]); }},
      {"inertia", [](R& r) { r.inertia = next(r.inertia); }},
      {"centroid_shift", [](R& r) { r.centroid_shift = next(r.centroid_shift); }},
      {"n_iter", [](R& r) { ++r.n_iter; }},
      {"n_empty", [](R& r) { ++r.n_empty; }},
      {"stop_reason", [](R& r) { r.stop_reason = StopReason::cancelled; }},
  };
  for (const auto& spoiling : spoilings) {
    auto other = sample.result;
    spoiling.spoil(other);
    EXPECT_NE(difference(sample.result, other).find(spoiling.word), std::string::npos) << spoiling.word;
  }
}

TEST(Exact, KnowsRightRoundings) {
  Exact sum, three;
  sum.add(1);
  three.add(3);
  EXPECT_TRUE(is_rounded_quotient(1.0 / 3, sum, three));
  EXPECT_FALSE(is_rounded_quotient(next(1.0 / 3), sum, three));
  EXPECT_TRUE(is_rounded_quotient(1.0F / 3, sum, three));
  // 1 + 2^-53 lies between 1 and 1 + 2^-52: the even one is right; a breath more and the other is.
  sum.add(0x1p-53);
  EXPECT_TRUE(is_rounded(1.0, sum));
  EXPECT_FALSE(is_rounded(next(1.0), sum));
  sum.add(0x1p-1074, 0x1p-1000);
  EXPECT_FALSE(is_rounded(1.0, sum));
  EXPECT_TRUE(is_rounded(next(1.0), sum));
  sum.add(-0x1p-1074, 0x1p-1000);
  EXPECT_TRUE(is_rounded(1.0, sum));
}

TEST(Exact, HoldsBothEndsOfDouble) {
  Exact sum;
  const double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  sum.add(most, most);
  sum.add(-3);
  sum.add(least, least);
  sum.add(-most, most);
  EXPECT_EQ(sum.sign(), -1);
  sum.add(3);
  EXPECT_EQ(sum.sign(), 1);
  sum.add(-least, least);
  EXPECT_EQ(sum.sign(), 0);
  EXPECT_TRUE(is_rounded(0.0, sum));
  EXPECT_FALSE(is_rounded(least, sum));
  sum.add(-least);
  EXPECT_TRUE(is_rounded(-least, sum));
  EXPECT_FALSE(is_rounded(0.0, sum));
}

}  // namespace
}  // namespace lloyd::test
