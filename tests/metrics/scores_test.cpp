// SPDX-License-Identifier: MIT
// Scores from means and centroids: values by hand, laws, and the same bits for any threads and instruction set.
// scikit-learn's values are in tests/oracle.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lloyd/metrics.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"

namespace lloyd::test {
namespace {

template <class T>
class Scores : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Scores, Scalars);

/// The three scores of labels over rows, with these centroids.
template <Real T>
[[nodiscard]] std::vector<double> scores_of(const Matrix<T>& x, const Matrix<T>& c, const std::vector<Label>& labels,
                                            const MetricOptions& options = {}) {
  return {simplified_silhouette(x, c, labels, options), calinski_harabasz_score(x, labels, options),
          davies_bouldin_score(x, labels, options)};
}

// Means 1 and 11; every row at distance 1 of its own, 9 or 11 of the other.
TYPED_TEST(Scores, ByHand) {
  using T = TypeParam;
  const auto x = column_of<T>({0, 2, 10, 12}), c = column_of<T>({1, 11});
  const std::vector<Label> labels = {0, 0, 1, 1};
  const auto scores = scores_of(x, c, labels);
  EXPECT_DOUBLE_EQ(scores[0], (10.0 / 11 + 8.0 / 9) / 2);
  EXPECT_DOUBLE_EQ(scores[1], 100.0 / 4 * 2);
  EXPECT_DOUBLE_EQ(scores[2], 0.2);
}

TYPED_TEST(Scores, ThreadsBudgetsAndInstructionSetsGiveTheSameBits) {
  using T = TypeParam;
  const auto x = blobs<T>(5000, 7, 6, 1);
  Random random(2);
  std::vector<Label> labels;
  for (Index i = 0; i < 5000; ++i) labels.push_back(static_cast<Label>(random.below(6)));
  const auto c = normal_rows<T>(6, 7, 3);
  const auto expected = scores_of(x, c, labels, {.n_threads = 1});
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512})
    for (const int threads : {1, 2, 5})
      EXPECT_EQ(scores_of(x, c, labels, {.n_threads = threads, .memory_budget = 4000, .widest = isa}), expected);

  const auto order = permutation(5000, 4);
  std::vector<Label> moved;
  for (const Index i : order) moved.push_back(labels[static_cast<std::size_t>(i)]);
  EXPECT_EQ(scores_of(rows_at(x, order), c, moved), expected);
}

// The offset is a power of two, so that sums and means are exact.
TEST(Scores, FarFromTheOriginNothingIsLost) {
  const auto x = grid_rows<double>(300, 3, 5, 6), c = grid_rows<double>(4, 3, 6, 6);
  std::vector<Label> labels;
  for (Index i = 0; i < 300; ++i) labels.push_back(static_cast<Label>(x(i, 0) > 3 ? 1 : 0));
  const auto near_by = scores_of(x, c, labels), offset = scores_of(shifted(x, 0x1p30), shifted(c, 0x1p30), labels);
  for (std::size_t s = 0; s < near_by.size(); ++s) EXPECT_NEAR(offset[s], near_by[s], 1e-6 * std::fabs(near_by[s]));
  EXPECT_EQ(offset[0], near_by[0]);
}

TYPED_TEST(Scores, OfClustersThatArePoints) {
  using T = TypeParam;
  const auto x = column_of<T>({3, 3, 8, 8, 8}), c = column_of<T>({3, 8});
  EXPECT_EQ(scores_of(x, c, {0, 0, 1, 1, 1}), (std::vector<double>{1, 1, 0}));
  EXPECT_EQ(davies_bouldin_score(x, std::vector<Label>{0, 0, 1, 2, 2}), 0);  // two means are one
}

TYPED_TEST(Scores, SimplifiedSilhouetteLeavesOutWhatHasNoRows) {
  using T = TypeParam;
  const auto x = column_of<T>({0, 2, 10, 12, 50});
  const std::vector<Label> labels = {0, 0, 2, 2, 3}, close = {0, 0, 1, 1, 2};
  EXPECT_EQ(simplified_silhouette(x, column_of<T>({1, 5, 11, 50}), labels),
            simplified_silhouette(x, column_of<T>({1, 11, 50}), close));
  // The last row is alone and counts as 0.
  EXPECT_DOUBLE_EQ(simplified_silhouette(x, column_of<T>({1, 11, 50}), close), (10.0 / 11 + 8.0 / 9) * 2 / 5);
}

TYPED_TEST(Scores, Refusals) {
  using T = TypeParam;
  const auto x = column_of<T>({0, 1, 2, 3}), c = column_of<T>({0, 3});
  const std::vector<Label> good = {0, 0, 1, 1};
  const auto simplified = [&](const Matrix<T>& centroids, const std::vector<Label>& labels) {
    return refusal_of([&] { (void)simplified_silhouette(x, centroids, labels); });
  };
  const std::string who = "lloyd::simplified_silhouette: ";
  EXPECT_EQ(simplified(c, {0, 0, 1, 2}), who + "label 3 is 2, expected 0 .. 1 (one of the centroids)");
  EXPECT_EQ(simplified(c, {0, -1, 1, 1}), who + "label 1 is -1, expected 0 .. 1 (one of the centroids)");
  EXPECT_EQ(simplified(c, {1, 1, 1, 1}),
            who + "the labels of 4 rows make 1 cluster, expected at least 2 and fewer than rows");
  EXPECT_EQ(simplified(Matrix<T>(2, 2), good), who + "centroids have 2 columns, the rows have 1");
  EXPECT_EQ(simplified(Matrix<T>(0, 1), good), who + "centroids have no rows");
  EXPECT_EQ(refusal_of([&] { (void)simplified_silhouette(x, c, good, {.sample_size = 2}); }),
            who + "sample_size 2, expected 0: only silhouette_score takes a sample");
  auto bad = c;
  bad(1, 0) = std::numeric_limits<T>::quiet_NaN();
  EXPECT_NE(simplified(bad, good).find("centroids(1, 0) is nan"), std::string::npos);

  const auto expect_refused = [&](const Matrix<T>& rows, const std::vector<Label>& labels, const std::string& what) {
    EXPECT_EQ(refusal_of([&] { (void)calinski_harabasz_score(rows, labels); }),
              "lloyd::calinski_harabasz_score: " + what);
    EXPECT_EQ(refusal_of([&] { (void)davies_bouldin_score(rows, labels); }), "lloyd::davies_bouldin_score: " + what);
  };
  expect_refused(x, {0, 0, 0, 0}, "the labels of 4 rows make 1 cluster, expected at least 2 and fewer than rows");
  expect_refused(x, {0, 1, 2, 3}, "the labels of 4 rows make 4 clusters, expected at least 2 and fewer than rows");
  expect_refused(x, {0, 1, 2}, "3 labels, x has 4 rows");
  expect_refused(Matrix<T>(), {}, "x has no rows");
  expect_refused(column_of<T>({0, 1, std::numeric_limits<double>::infinity(), 3}), good,
                 "x(2, 0) is inf; values must be finite");
  EXPECT_EQ(refusal_of([&] { (void)davies_bouldin_score(x, good, {.memory_budget = 10}); }),
            "lloyd::davies_bouldin_score: memory_budget 10 bytes is too small: sums of 2 clusters (d = 1) need 72");
}

}  // namespace
}  // namespace lloyd::test
