// SPDX-License-Identifier: MIT
// K4. 0/0 centres, a centre at the origin, endless relocation, several rows stolen from one cluster, stale labels.
#include "handed/suite.hpp"

namespace lloyd::test {
namespace {

TYPED_TEST(Handed, H4_1_relocation_with_duplicates_must_stop) {
  using T = typename TypeParam::Scalar;
  const auto x = rows_of<T>({{0, 0}, {0, 3}, {9, 0}, {10, 2}, {10, 2}, {12, 0}});
  const auto c = rows_of<T>({{-3, 6}, {5, 0}, {14, 3}, {15, 0}, {16, 0}, {17, 0}});
  for (const double tol : {0.0, 1e-4}) {
    for (std::uint64_t order = 0; order < 8; ++order) {  // the rows as given, then in other orders
      const auto rows = order == 0 ? x : rows_at(x, permutation(6, order));
      const auto result = checked_fit<TypeParam>({.n_clusters = 6, .tol = tol}, {rows, {}, c});
      EXPECT_EQ(result.inertia, 0);
      EXPECT_LE(result.n_iter, 10);
      EXPECT_EQ(result.n_empty, 1);
      EXPECT_EQ(count_distinct(result.labels), 5);
      EXPECT_EQ(result.stop_reason, StopReason::converged);
    }
  }
}

// checked_fit asks at every max_iter that predict gives the labels and that the inertia adds up.
TYPED_TEST(Handed, H4_2_labels_and_inertia_after_the_last_relocation) {
  using T = typename TypeParam::Scalar;
  for (const double scale : {1.0, -3.0, 0.1}) {
    const Input<T> input{
        scaled(column_of<T>({10, 20, 30, 40}), scale), {}, scaled(column_of<T>({60, 0, 12, 70}), scale)};
    for (const Index max_iter : {0, 1, 2, 3, 4})
      (void)checked_fit<TypeParam>({.n_clusters = 4, .max_iter = max_iter, .tol = 0}, input);
    const auto result = checked_fit<TypeParam>({.n_clusters = 4, .max_iter = 300, .tol = 0}, input);
    EXPECT_EQ(result.inertia, 0);
    EXPECT_EQ(count_distinct(result.labels), 4);
  }
}

// Labels from 1, 3, 5, 7, 9: 0, 0.5 and 2 (a tie of 1 and 3, so the lower) go to cluster 0; 3 to 1; 9 and 10 to 4.
// Clusters 2 and 3 are empty. Squared distances are 1, 0.25, 1, 0, 0, 1: rows 0, 2 and 5 tie, so rows 0 and 2 move, in
// this order. Then {0.5}, {3}, {0}, {2}, {9, 10} are left: inertia 2 (1/2)^2 = 0.5, and nothing moves again.
TYPED_TEST(Handed, H4_3_two_empties_filled_from_tied_candidates) {
  using T = typename TypeParam::Scalar;
  const Input<T> input{column_of<T>({0, 0.5, 2, 3, 9, 10}), {}, column_of<T>({1, 3, 5, 7, 9})};
  const auto result = checked_fit<TypeParam>({.n_clusters = 5, .tol = 0}, input);
  EXPECT_EQ(result.n_empty, 0);
  EXPECT_EQ(result.inertia, 0.5);
  EXPECT_EQ(result.labels, (std::vector<Label>{2, 0, 3, 1, 4, 4}));
  EXPECT_EQ(result.centroids, column_of<T>({0.5, 3, 0, 2, 9.5}));
  // In other orders other rows are the lowest of those tied; no cluster stays empty, and only two values are possible.
  for (std::uint64_t order = 1; order < 20; ++order) {
    const Input<T> permuted{rows_at(input.x, permutation(6, order)), {}, input.c};
    const auto other = checked_fit<TypeParam>({.n_clusters = 5, .tol = 0}, permuted);
    EXPECT_EQ(other.n_empty, 0);
    EXPECT_TRUE(other.inertia == 0.5 || other.inertia == 0.125) << other.inertia;
  }
}

// All rows go to the first cluster; 40, then 30 are farthest and leave it, and the mean of 0, 1, 2 is what remains.
TYPED_TEST(Handed, H4_4_two_points_stolen_from_the_same_cluster) {
  using T = typename TypeParam::Scalar;
  const Input<T> input{column_of<T>({0, 1, 2, 30, 40}), {}, column_of<T>({0, 100, 200})};
  for (const Index max_iter : {1, 300}) {
    const auto result = checked_fit<TypeParam>({.n_clusters = 3, .max_iter = max_iter}, input);
    EXPECT_EQ(result.centroids, column_of<T>({1, 40, 30}));
    EXPECT_EQ(result.inertia, 2.0);
  }
  // Four empties: 40, 30, 2 and 1 leave, the donor keeps one row.
  const Input<T> five{input.x, {}, column_of<T>({0, 100, 200, 300, 400})};
  const auto result = checked_fit<TypeParam>({.n_clusters = 5, .max_iter = 1}, five);
  EXPECT_EQ(result.centroids, column_of<T>({0, 40, 30, 2, 1}));
  EXPECT_EQ(result.inertia, 0);
}

// 50 is farthest from its centroid, but alone with it, so it stays; of 0 and 2, which tie, the lower row moves.
TYPED_TEST(Handed, H4_4_the_last_row_of_a_cluster_is_not_stolen) {
  using T = typename TypeParam::Scalar;
  const Input<T> input{column_of<T>({0, 1, 2, 50}), {}, column_of<T>({1, 40, 900})};
  const auto result = checked_fit<TypeParam>({.n_clusters = 3, .max_iter = 1}, input);
  EXPECT_EQ(result.centroids, column_of<T>({1.5, 50, 0}));
  EXPECT_EQ(result.inertia, 0.5);
  // A row of weight 0 beside it does not make it one of two.
  const Input<T> weighted{column_of<T>({0, 1, 2, 50, 49}), {1, 1, 1, 1, 0}, input.c};
  EXPECT_EQ(checked_fit<TypeParam>({.n_clusters = 3, .max_iter = 1}, weighted).centroids, result.centroids);
}

// 20 and 8 leave: what remains is (-2 - 1 + 2 * 0) / 4 = -0.75, of inertia 1.25^2 + 0.25^2 + 2 * 0.75^2 = 2.75.
TYPED_TEST(Handed, H4_5_relocation_with_weights) {
  using T = typename TypeParam::Scalar;
  for (const double scale : {1.0, 0x1p-20, 0x1p40}) {
    std::vector<double> w{1, 1, 2, 3, 1};
    for (double& weight : w) weight *= scale;
    const Input<T> input{column_of<T>({-2, -1, 0, 8, 20}), w, column_of<T>({0, 100, 200})};
    const auto result = checked_fit<TypeParam>({.n_clusters = 3}, input);
    EXPECT_EQ(sorted_centroids(result.centroids), sorted_centroids(column_of<T>({-0.75, 8, 20})));
    EXPECT_EQ(result.cluster_weights, (std::vector<double>{4 * scale, 1 * scale, 3 * scale}));
    EXPECT_EQ(result.inertia, 2.75 * scale);
  }
}

TYPED_TEST(Handed, H4_6_default_options_with_an_unavoidable_empty_cluster) {
  using T = typename TypeParam::Scalar;
  const auto x = generate<T>(100, 2, [](Index i, Index q) { return q == 0 && i >= 50 ? 1 : 0; });
  for (const auto policy : {EmptyClusters::relocate, EmptyClusters::keep}) {
    const auto expect_two_groups = [&](const auto& result) {
      EXPECT_EQ(result.inertia, 0);
      EXPECT_EQ(result.n_empty, 1);
      EXPECT_EQ(result.stop_reason, StopReason::converged);
    };
    Options options{.n_clusters = 3};
    options.empty_clusters = policy;
    const auto c = rows_of<T>({{0, 0}, {1, 0}, {500, 500}});
    const auto given = checked_fit<TypeParam>(options, {x, {}, c});
    expect_two_groups(given);
    EXPECT_EQ(given.centroids, c);  // what stays empty keeps its centroid
    for (options.seed = 0; options.seed < 20; ++options.seed) expect_two_groups(checked_fit<TypeParam>(options, {x}));
  }
}

// Rows are of another generator than the case's: what is asked holds for any rows in the square.
TYPED_TEST(Handed, H4_7_an_emptied_centre_must_not_leave_the_data) {
  using T = typename TypeParam::Scalar;
  for (std::uint64_t seed = 3; seed < 8; ++seed) {
    const auto x = uniform_rows<T>(200, 2, seed, 50, 60);
    auto c = head(x, 8);
    for (Index j = 3; j < 8; ++j) c(j, 0) = c(j, 1) = 1000;
    const auto result = checked_fit<TypeParam>({.n_clusters = 8}, {x, {}, c});
    EXPECT_EQ(result.n_empty, 0);
    for (Index j = 0; j < 8; ++j) {
      EXPECT_GT(result.cluster_sizes[static_cast<std::size_t>(j)], 0);
      for (Index q = 0; q < 2; ++q) EXPECT_TRUE(result.centroids(j, q) >= 50 && result.centroids(j, q) <= 60);
    }
  }
}

TYPED_TEST(Handed, H4_8_all_initial_centres_equal) {
  using T = typename TypeParam::Scalar;
  const auto x = rows_of<T>({{5, 5}, {1, 2}, {8, 8}, {0, 9}});
  for (Index row = 0; row < 4; ++row) {
    const auto result = checked_fit<TypeParam>({.n_clusters = 4}, {x, {}, rows_at(x, {row, row, row, row})});
    EXPECT_EQ(result.inertia, 0);
    EXPECT_EQ(count_distinct(result.labels), 4);
    EXPECT_LE(result.n_iter, 5);
  }
}

TYPED_TEST(Handed, H4_9_one_empty_cluster_must_not_ruin_the_others) {
  using T = typename TypeParam::Scalar;
  const Input<T> input{rows_of<T>({{0, 0}, {0, 1}, {20, 0}, {20, 1}, {0, 20}, {0, 21}}),
                       {},
                       rows_of<T>({{0, 0}, {20, 0}, {0, 20}, {900, 900}})};
  for (const double tol : {0.0, 1e-4}) {
    const auto result = checked_fit<TypeParam>({.n_clusters = 4, .tol = tol}, input);
    EXPECT_EQ(result.inertia, 1.0);
    EXPECT_EQ(result.n_empty, 0);
    auto sizes = result.cluster_sizes;
    std::sort(sizes.begin(), sizes.end());
    EXPECT_EQ(sizes, (std::vector<Index>{1, 1, 2, 2}));
  }
}

}  // namespace
}  // namespace lloyd::test
