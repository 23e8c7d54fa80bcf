// SPDX-License-Identifier: MIT
// Sweeps: each run is what a fit of its own would give, with the silhouette that was asked for; elbows.
#include "lloyd/sweep.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"

namespace lloyd::test {
namespace {

template <class Entry>
class Sweep : public testing::Test {};
TYPED_TEST_SUITE(Sweep, EveryBackend, BackendNames);

TYPED_TEST(Sweep, IsOneFitForEveryK) {
  using T = typename TypeParam::Scalar;
  const auto x = blobs<T>(200, 3, 4, 1);
  const Options options{.n_clusters = 1, .n_init = 2, .seed = 5};
  const std::vector<Index> ks = {6, 2, 1, 200, 3};
  const auto runs = sweep(kmeans_of<TypeParam>(options), x, ks);
  ASSERT_EQ(runs.size(), ks.size());
  for (std::size_t i = 0; i < ks.size(); ++i) {
    Options own = options;
    own.n_clusters = ks[i];
    const auto expected = kmeans_of<TypeParam>(own).fit(x);
    EXPECT_EQ(runs[i].n_clusters, ks[i]);
    EXPECT_EQ(runs[i].clustering.labels, expected.labels);
    EXPECT_EQ(runs[i].clustering.centroids, expected.centroids);
    EXPECT_EQ(runs[i].inertia, expected.inertia);
    EXPECT_EQ(runs[i].n_iter, expected.n_iter);
    EXPECT_GT(runs[i].seconds, 0);
    if (ks[i] == 1 || ks[i] == 200) {
      EXPECT_TRUE(std::isnan(runs[i].silhouette));
    } else {
      EXPECT_EQ(runs[i].silhouette, silhouette_score(x, expected.labels));
    }
  }
}

TYPED_TEST(Sweep, WeightsAreOfTheFits) {
  using T = typename TypeParam::Scalar;
  const auto x = blobs<T>(120, 2, 3, 2);
  std::vector<double> w;
  for (int i = 0; i < 120; ++i) w.push_back(i % 5);
  const auto runs = sweep(kmeans_of<TypeParam>({}), x, w, {3, 4});
  for (const auto& run : runs) {
    const auto expected = kmeans_of<TypeParam>({.n_clusters = run.n_clusters}).fit(x, w);
    EXPECT_EQ(run.clustering.labels, expected.labels);
    EXPECT_EQ(run.inertia, expected.inertia);
    EXPECT_EQ(run.silhouette, silhouette_score(x, expected.labels));
  }
}

TEST(SweepOfReference, TakesTheSilhouetteThatIsAskedFor) {
  const auto x = blobs<float>(300, 2, 3, 3);
  const KMeans<Reference> kmeans({});
  const std::vector<Index> k = {3};
  const auto silhouette = [&](const SweepOptions& options) { return sweep(kmeans, x, k, options)[0].silhouette; };
  const auto result = KMeans<Reference>({.n_clusters = 3}).fit(x);
  const double exact = silhouette_score(x, result.labels);
  const double simplified = simplified_silhouette(x, result.centroids, result.labels);
  EXPECT_NE(exact, simplified);
  EXPECT_EQ(silhouette({}), exact);
  EXPECT_EQ(silhouette({.silhouette = SweepSilhouette::exact}), exact);
  EXPECT_EQ(silhouette({.silhouette = SweepSilhouette::simplified}), simplified);
  EXPECT_TRUE(std::isnan(silhouette({.silhouette = SweepSilhouette::none})));
  EXPECT_EQ(silhouette({.metrics = {.sample_size = 50, .seed = 1}}),
            silhouette_score(x, result.labels, {.sample_size = 50, .seed = 1}));

  // One row more than are taken exactly without being asked.
  const auto many = blobs<float>(detail::most_exact_rows + 1, 1, 3, 4);
  const auto run = std::move(sweep(kmeans, many, k).front());
  EXPECT_EQ(run.silhouette, simplified_silhouette(many, run.clustering.centroids, run.clustering.labels));
}

TEST(SweepOfReference, KeepsNoLabelsWhereNoneAreWanted) {
  const auto x = blobs<float>(60, 2, 3, 5);
  Options options;
  options.labels = false;
  const auto runs = sweep(KMeans<Reference>(options), x, {2, 3});
  for (const auto& run : runs) {
    EXPECT_TRUE(run.clustering.labels.empty());
    EXPECT_FALSE(std::isnan(run.silhouette));
  }
}

TEST(SweepOfReference, EndsWhereTheCallbackCancels) {
  const auto x = blobs<float>(60, 2, 3, 6);
  int fits = 0;
  Options options;
  options.callback = [&](const Iteration& it) {
    if (it.phase == Iteration::Phase::survey) ++fits;
    return fits < 3;
  };
  EXPECT_EQ(sweep(KMeans<Reference>(options), x, {2, 3, 4, 5}).size(), 2U);
  EXPECT_EQ(fits, 3);
}

TEST(SweepOfReference, Refusals) {
  const auto x = blobs<float>(9, 2, 3, 7);
  int fits = 0;
  Options options;
  options.callback = [&](const Iteration&) { return ++fits > 0; };
  const auto of = [&](const std::vector<Index>& ks) {
    return refusal_of([&] { (void)sweep(KMeans<Reference>(options), x, ks); });
  };
  EXPECT_EQ(of({}), "lloyd::sweep: ks is empty");
  EXPECT_EQ(of({2, 10}), "lloyd::sweep: k 10, expected 1 .. 9 (the rows of x)");
  EXPECT_EQ(of({0, 2}), "lloyd::sweep: k 0, expected 1 .. 9 (the rows of x)");
  EXPECT_EQ(of({4, 3, 4}), "lloyd::sweep: k 4 is there twice");
  options.n_clusters = 2;
  options.init_size = 5;
  EXPECT_EQ(of({2, 6}), "lloyd::KMeans: init_size 5 < n_clusters 6 (0 seeds from all rows)");
  EXPECT_EQ(fits, 0) << "something was fitted before the refusal";
}

using Runs = std::vector<SweepRun<float, Reference>>;

[[nodiscard]] Runs curve(const std::vector<Index>& ks, const std::vector<double>& inertias) {
  Runs runs;
  for (std::size_t i = 0; i < ks.size(); ++i) runs.push_back({.n_clusters = ks[i], .inertia = inertias[i]});
  return runs;
}

TEST(Elbow, IsWhereInertiaIsFarthestBelowTheChord) {
  const Runs runs = curve({1, 2, 3, 4, 5}, {100, 50, 20, 15, 12});
  EXPECT_EQ(&elbow(runs), &runs[2]);
  const Runs shuffled = curve({4, 1, 5, 3, 2}, {15, 100, 12, 20, 50});
  EXPECT_EQ(elbow(shuffled).n_clusters, 3);
  const Runs uneven = curve({2, 4, 8, 16, 64}, {100, 60, 30, 25, 10});
  EXPECT_EQ(elbow(uneven).n_clusters, 8);  // 91.3 - 30 below the chord; 79.7 - 25 at 16
}

TEST(Elbow, TiesAndCurvesWithoutOneGoToTheSmallestK) {
  const Runs tie = curve({1, 2, 3, 4}, {30, 10, 0, 0}), flat = curve({4, 3, 2}, {5, 5, 5});
  const Runs above = curve({1, 2, 3}, {10, 9, 0});
  EXPECT_EQ(elbow(tie).n_clusters, 2);
  EXPECT_EQ(elbow(flat).n_clusters, 2);
  EXPECT_EQ(elbow(above).n_clusters, 1);
}

TEST(Elbow, NeedsThreeRuns) {
  const Runs two = curve({1, 2}, {3, 1}), same = curve({2, 2, 2}, {3, 2, 1});
  EXPECT_EQ(refusal_of([&] { (void)elbow(two); }), "lloyd::elbow: 2 runs, expected at least 3");
  EXPECT_EQ(refusal_of([&] { (void)elbow(same); }), "lloyd::elbow: every run has k 2");
}

/// Six clouds, each as far from every other.
TEST(Elbow, OfPlantedBlobs) {
  Random random(8);
  const auto x = generate<float>(300, 8, [&](Index i, Index q) { return (i % 6 == q ? 20 : 0) + random.normal(); });
  const auto runs = sweep(KMeans<Reference>({.n_init = 3}), x, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  EXPECT_EQ(elbow(runs).n_clusters, 6);
}

}  // namespace
}  // namespace lloyd::test
