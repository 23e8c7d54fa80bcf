// SPDX-License-Identifier: MIT
// K8. Never stops at tol = 0, tol ignored or scaled in a surprising way, n_iter off by one, unbounded default.
#include "handed/suite.hpp"

namespace lloyd::test {
namespace {

// Rows are of another generator than the case's; a fixed point is a fixed point for any.
TYPED_TEST(Handed, H8_1_tol_0_must_stop_when_nothing_changes) {
  using T = typename TypeParam::Scalar;
  const auto x = uniform_rows<T>(2000, 5, 0);
  const Options options{.n_clusters = 20, .max_iter = 1000, .tol = 0};
  const auto result = checked_fit<TypeParam>(options, {x, {}, head(x, 20)});
  EXPECT_EQ(result.stop_reason, StopReason::converged);
  EXPECT_LT(result.n_iter, 300);
  const auto again = checked_fit<TypeParam>({.n_clusters = 20, .max_iter = 1, .tol = 0}, {x, {}, result.centroids});
  EXPECT_EQ(again.labels, result.labels);
  EXPECT_EQ(again.centroids, result.centroids);
  EXPECT_EQ(again.centroid_shift, 0);
  const Input<T> six{column_of<T>({0, 1, 2, 9, 10, 14}), {}, column_of<T>({0, 1})};
  const auto small = checked_fit<TypeParam>({.n_clusters = 2, .max_iter = 10000, .tol = 0}, six);
  EXPECT_LE(small.n_iter, 5);
  EXPECT_EQ(small.stop_reason, StopReason::converged);
}

// tol is documented as a share of the mean column variance: constant columns lower the mean, so they make a fit stop
// later, never earlier. Four groups of 100 whole numbers have inertia 24 * 25 * 26 / 12 or so each: 5212.5 in all.
TYPED_TEST(Handed, H8_2_constant_features_and_the_meaning_of_tol) {
  using T = typename TypeParam::Scalar;
  const auto narrow = generate<T>(100, 1, [](Index i, Index) { return i; });
  const auto wide = generate<T>(100, 1000, [](Index i, Index q) { return q == 0 ? i : 7; });
  const auto fit = [](double tol, const Matrix<T>& x) {
    return checked_fit<TypeParam>({.n_clusters = 4, .tol = tol}, {x, {}, head(x, 4)});
  };
  const auto one = fit(0, narrow), many = fit(0, wide);
  EXPECT_EQ(one.labels, many.labels);
  EXPECT_EQ(one.n_iter, many.n_iter);
  EXPECT_EQ(one.inertia, 5212.5);
  EXPECT_EQ(many.inertia, 5212.5);
  EXPECT_EQ(one.centroids, column_of<T>({11.5, 36, 61, 86.5}));
  for (Index j = 0; j < 4; ++j) EXPECT_EQ(many.centroids(j, 0), one.centroids(j, 0));
  EXPECT_GE(fit(Options{}.tol, wide).n_iter, fit(Options{}.tol, narrow).n_iter);
}

// The whole numbers 0 .. 599 from 0 .. 5. All sums of at most 600 of them are exact, and means, halves and squares are
// what double makes of them, so with ties to the lowest index the case's count comes out: 500200 in 62 iterations.
TYPED_TEST(Handed, H8_3_slow_convergence_is_not_cut_short_without_notice) {
  using T = typename TypeParam::Scalar;
  const auto x = generate<T>(600, 1, [](Index i, Index) { return i; });
  const auto result = checked_fit<TypeParam>({.n_clusters = 6, .max_iter = 1000, .tol = 0}, {x, {}, head(x, 6)});
  EXPECT_EQ(result.stop_reason, StopReason::converged);
  EXPECT_GE(result.inertia, 499950);
  EXPECT_LE(result.inertia, 501000);
  EXPECT_EQ(result.inertia, 500200);
  EXPECT_EQ(result.n_iter, 62);
  // The default tol may stop earlier, and says so: converged, with the shift that was small enough.
  const auto early = checked_fit<TypeParam>({.n_clusters = 6, .max_iter = 1000}, {x, {}, head(x, 6)});
  EXPECT_EQ(early.stop_reason, StopReason::converged);
  EXPECT_LE(early.n_iter, result.n_iter);
  const double variance = (600.0 * 600 - 1) / 12;
  EXPECT_LE(early.centroid_shift, 1e-4 * variance);
  const auto cut = checked_fit<TypeParam>({.n_clusters = 6, .max_iter = 10, .tol = 0}, {x, {}, head(x, 6)});
  EXPECT_EQ(cut.stop_reason, StopReason::max_iter);
  EXPECT_EQ(cut.n_iter, 10);
}

TYPED_TEST(Handed, H8_4_bounded_by_default) {
  using T = typename TypeParam::Scalar;
  EXPECT_EQ(Options{}.max_iter, 300);
  const auto groups = generate<T>(100, 2, [](Index i, Index q) { return q == 0 && i >= 50 ? 1 : 0; });
  EXPECT_LE(checked_fit<TypeParam>({}, {groups}).n_iter, 300);
  const auto digits = generate<T>(10000, 1, [](Index i, Index) { return i % 10; });
  const auto result = checked_fit<TypeParam>({.n_clusters = 5, .tol = 0}, {digits, {}, column_of<T>({0, 1, 2, 3, 4})});
  EXPECT_EQ(result.stop_reason, StopReason::converged);
  EXPECT_LT(result.n_iter, 50);
}

// One stopping rule on every path: n_iter and labels are the same.
TYPED_TEST(Handed, H8_5_different_variants_same_stopping_rule) {
  using T = typename TypeParam::Scalar;
  const auto x = generate<T>(600, 1, [](Index i, Index) { return i; });
  const Input<T> input{x, {}, head(x, 6)};
  for (const double tol : {0.0, 1e-4, 1e-3}) {
    const Options options{.n_clusters = 6, .max_iter = 1000, .tol = tol};
    const auto expected = outcome_of(fit_input(KMeans<Reference>(options), input));
    for (const auto assignment : {Assignment::fused, Assignment::gram}) {
      for (const auto update : {CentroidUpdate::scatter_add, CentroidUpdate::one_hot}) {
        for (const Index batch_rows : {0, 1, 64, 599}) {
          Options other = options;
          other.assignment = assignment;
          other.update = update;
          other.batch_rows = batch_rows;
          EXPECT_EQ(difference(expected, outcome_of(fit_input(kmeans_of<TypeParam>(other, 3), input))), "");
          const TiledSource<T> source(x, {}, {7, 250});
          EXPECT_EQ(difference(expected, outcome_of(fit_source(kmeans_of<TypeParam>(other), input, source))), "");
        }
      }
    }
  }
}

}  // namespace
}  // namespace lloyd::test
