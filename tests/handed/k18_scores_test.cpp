// SPDX-License-Identifier: MIT
// K18. Scores: a cluster of one row, one label, rows that are one point.
#include "handed/suite.hpp"
#include "lloyd/metrics.hpp"
#include "support/refusal.hpp"

namespace lloyd::test {
namespace {

// A row that is alone has silhouette 0, as have rows that are one point; one label, or one for every row, is refused.
TYPED_TEST(Handed, H18_1_silhouette_of_a_singleton) {
  using T = typename TypeParam::Scalar;
  const auto x = rows_of<T>({{0, 0}, {0, 2}, {6, 0}, {6, 2}, {30, 1}});
  const auto c = rows_of<T>({{0, 1}, {6, 1}, {30, 1}});
  const auto labels = fit_input(kmeans_of<TypeParam>({.n_clusters = 3, .max_iter = 0}), Input<T>{x, {}, c}).labels;
  ASSERT_EQ(labels, (std::vector<Label>{0, 0, 1, 1, 2}));
  const auto s = silhouette_samples(x, labels);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(s[i], 0.6754447, 5e-8);
  EXPECT_EQ(s[4], 0.0);
  EXPECT_NEAR(silhouette_score(x, labels), 0.5403557, 5e-8);

  EXPECT_EQ(silhouette_samples(Matrix<T>(4, 2), std::vector<Label>{0, 0, 1, 1}), std::vector<double>(4, 0.0));
  EXPECT_NE(refusal_of([&] { (void)silhouette_score(x, std::vector<Label>(5, 0)); }), "");
  EXPECT_NE(refusal_of([&] { (void)silhouette_score(x, std::vector<Label>{0, 1, 2, 3, 4}); }), "");
}

}  // namespace
}  // namespace lloyd::test
