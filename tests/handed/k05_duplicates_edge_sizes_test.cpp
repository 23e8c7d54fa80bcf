// SPDX-License-Identifier: MIT
// K5. Fewer distinct rows than k, k = n, k = 1, n = 1, d = 1, d > n, k > n, no rows.
#include "handed/suite.hpp"

namespace lloyd::test {
namespace {

/// The 3 x 3 grid of whole numbers, then its first rows again.
template <Real T>
[[nodiscard]] Matrix<T> repeated_grid(Index n) {
  return generate<T>(n, 2, [](Index i, Index q) { return q == 0 ? i % 9 / 3 : i % 3; });
}

TYPED_TEST(Handed, H5_1_fewer_distinct_rows_than_k) {
  using T = typename TypeParam::Scalar;
  for (const Init init : every_init) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const auto ten =
          checked_fit<TypeParam>({.n_clusters = 10, .tol = 0, .seed = seed, .init = init}, {repeated_grid<T>(17)});
      EXPECT_EQ(ten.inertia, 0);
      EXPECT_EQ(count_distinct(ten.labels), 9);
      EXPECT_EQ(ten.n_empty, 1);
      const auto nine =
          checked_fit<TypeParam>({.n_clusters = 9, .tol = 0, .seed = seed, .init = init}, {repeated_grid<T>(9)});
      EXPECT_EQ(nine.inertia, 0);
      EXPECT_EQ(nine.n_empty, 0);
      // With one centre too few two neighbours share theirs: 2 (1/2)^2.
      const Options eight{.n_clusters = 8, .n_init = 20, .tol = 0, .seed = seed, .init = init};
      EXPECT_EQ(checked_fit<TypeParam>(eight, {repeated_grid<T>(9)}).inertia, 0.5);
    }
  }
}

// A row at distance 0 has no mass, so it is never drawn while an uncovered row remains.
TYPED_TEST(Handed, H5_2_seeding_when_the_potential_reaches_zero) {
  using T = typename TypeParam::Scalar;
  const auto three = generate<T>(15, 2, [](Index i, Index q) { return i < 5 ? 0 : (i < 10 ? 4 * (1 - q) : 7 * q); });
  const auto two = rows_of<T>({{1, -1}, {-1, 1}, {-1, 1}, {-1, 1}});
  const auto one_far = generate<T>(21, 2, [](Index i, Index) { return i < 20 ? 0 : 10; });
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const Init init : {Init::kmeans_plus_plus, Init::scalable_kmeans_plus_plus}) {
      for (const Index trials : {0, 1}) {
        Options options{.n_clusters = 5, .max_iter = 0, .seed = seed, .init = init};
        options.n_local_trials = trials;
        const auto a = checked_fit<TypeParam>(options, {three});
        EXPECT_EQ(a.inertia, 0);
        EXPECT_EQ(a.n_empty, 2);
        options.n_clusters = 2;
        EXPECT_EQ(checked_fit<TypeParam>(options, {two}).inertia, 0);
        EXPECT_EQ(checked_fit<TypeParam>(options, {one_far}).inertia, 0);
      }
    }
  }
}

// The mean of all four is (14, 17) / 4 and the inertia 54 - 14^2 / 4 + 123 - 17^2 / 4 = 51.75. Of three clusters one
// holds (3, 1) and (4, 1): 1/2.
TYPED_TEST(Handed, H5_3_as_many_clusters_as_rows_and_one) {
  using T = typename TypeParam::Scalar;
  const auto x = rows_of<T>({{3, 1}, {4, 1}, {5, 9}, {2, 6}});
  for (const Init init : every_init) {
    const auto four = checked_fit<TypeParam>({.n_clusters = 4, .init = init}, {x});
    EXPECT_EQ(four.inertia, 0);
    EXPECT_EQ(count_distinct(four.labels), 4);
    const auto one = checked_fit<TypeParam>({.n_clusters = 1, .init = init}, {x});
    EXPECT_EQ(one.centroids, rows_of<T>({{3.5, 4.25}}));
    EXPECT_EQ(one.inertia, 51.75);
    EXPECT_EQ(checked_fit<TypeParam>({.n_clusters = 3, .n_init = 20, .init = init}, {x}).inertia, 0.5);
  }
  for (const Index n : {2, 17, 64, 65}) {
    const auto y = normal_rows<T>(n, 3, 9);
    EXPECT_EQ(checked_fit<TypeParam>({.n_clusters = n}, {y}).inertia, 0);
  }
}

TYPED_TEST(Handed, H5_4_more_clusters_than_rows) {
  using T = typename TypeParam::Scalar;
  const auto x = rows_of<T>({{1, 2, 3}, {4, 5, 6}});
  for (const Init init : every_init) {
    const auto kmeans = kmeans_of<TypeParam>({.n_clusters = 8, .init = init});
    const auto message = refusal_of([&] { (void)fit_input(kmeans, Input<T>{x}); });
    EXPECT_NE(message.find("n_clusters 8 > rows of x 2"), std::string::npos) << message;
    EXPECT_NE(refusal_of([&] { (void)fit_input(kmeans, Input<T>{x, {}, normal_rows<T>(8, 3, 1)}); }), "");
    EXPECT_EQ(fit_input(kmeans, Input<T>{normal_rows<T>(8, 3, 1)}).inertia, 0);
  }
  const auto most = kmeans_of<TypeParam>({.n_clusters = std::numeric_limits<Label>::max()});
  EXPECT_NE(refusal_of([&] { (void)fit_input(most, Input<T>{x}); }).find("rows of x 2"), std::string::npos);
}

// {0.5, 0.6, 0.7}: 0.02; {5, 5.1, 5.2}: 0.02; {11, 11.5}: 0.125.
TYPED_TEST(Handed, H5_5_one_feature) {
  using T = typename TypeParam::Scalar;
  const auto pairs =
      checked_fit<TypeParam>({.n_clusters = 2}, {column_of<T>({-5, -4, 4, 5}), {}, column_of<T>({-5, 5})});
  EXPECT_EQ(pairs.centroids, column_of<T>({-4.5, 4.5}));
  EXPECT_EQ(pairs.inertia, 1.0);
  const auto x = column_of<T>({0.5, 0.6, 0.7, 5, 5.1, 5.2, 11, 11.5});
  for (const Init init : every_init) {
    const auto best = checked_fit<TypeParam>({.n_clusters = 3, .n_init = 20, .init = init}, {x});
    expect_close(best.inertia, 0.165, 1e-5);
    auto sizes = best.cluster_sizes;
    std::sort(sizes.begin(), sizes.end());
    EXPECT_EQ(sizes, (std::vector<Index>{2, 3, 3}));
  }
}

TYPED_TEST(Handed, H5_6_one_row) {
  using T = typename TypeParam::Scalar;
  const auto x = rows_of<T>({{7, -2, 4}});
  for (const Init init : every_init) {
    for (const double weight : {0.0, 1e-12, 3.0}) {
      const auto result =
          checked_fit<TypeParam>({.n_clusters = 1, .init = init}, {x, std::vector<double>(weight > 0 ? 1 : 0, weight)});
      EXPECT_EQ(result.centroids, x);
      EXPECT_EQ(result.labels, std::vector<Label>{0});
      EXPECT_EQ(result.inertia, 0);
      EXPECT_LE(result.n_iter, 2);
    }
  }
}

TYPED_TEST(Handed, H5_7_no_rows) {
  using T = typename TypeParam::Scalar;
  const auto kmeans = kmeans_of<TypeParam>({.n_clusters = 2});
  const Matrix<T> no_rows(0, 3), no_columns(4, 0), nothing(0, 0);
  EXPECT_NE(refusal_of([&] { (void)fit_input(kmeans, Input<T>{no_rows}); }).find("no rows"), std::string::npos);
  EXPECT_NE(refusal_of([&] { (void)fit_input(kmeans, Input<T>{nothing}); }).find("no rows"), std::string::npos);
  EXPECT_NE(refusal_of([&] { (void)fit_input(kmeans, Input<T>{no_columns}); }).find("no columns"), std::string::npos);
  EXPECT_NE(refusal_of([&] { (void)fit_source(kmeans, Input<T>{}, TiledSource<T>(no_rows, {}, {4})); }), "");
  EXPECT_NE(refusal_of([&] { (void)fit_input(kmeans, Input<T>{no_columns, {}, Matrix<T>(2, 0)}); }), "");
  const auto result = fit_input(kmeans, Input<T>{normal_rows<T>(9, 3, 1)});
  EXPECT_TRUE(predict(kmeans, result.centroids, no_rows).empty());
  EXPECT_TRUE(kmeans.assign(result.centroids, no_rows).distances.empty());
  EXPECT_EQ(kmeans.transform(result.centroids, no_rows).rows(), 0);
  EXPECT_EQ(kmeans.score(result.centroids, no_rows), 0);
  EXPECT_TRUE(kmeans.predict(result.centroids, MatrixView<const T>(nullptr, 0, 3)).empty());
}

/// The least inertia of k clusters over all partitions of the rows of x.
[[nodiscard]] double least_inertia(const Matrix<double>& x, Index k) {
  const Index n = x.rows();
  double least = std::numeric_limits<double>::infinity();
  std::vector<Index> label(static_cast<std::size_t>(n), 0);
  const auto inertia = [&] {
    double sum = 0;
    for (Index j = 0; j < k; ++j) {
      for (Index q = 0; q < x.cols(); ++q) {
        double count = 0, total = 0, squares = 0;
        for (Index i = 0; i < n; ++i)
          if (label[static_cast<std::size_t>(i)] == j) ++count, total += x(i, q), squares += x(i, q) * x(i, q);
        if (count > 0) sum += squares - total * total / count;
      }
    }
    return sum;
  };
  for (;;) {  // count up in base k; more partitions than needed, as clusters are numbered
    least = (std::min)(least, inertia());
    Index i = 0;
    while (i < n && ++label[static_cast<std::size_t>(i)] == k) label[static_cast<std::size_t>(i++)] = 0;
    if (i >= n) return least;
  }
}

TYPED_TEST(Handed, H5_8_small_exact_optimum_table) {
  using T = typename TypeParam::Scalar;
  const auto x = rows_of<T>({{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 2}, {3, 1}, {4, 2}, {6, 2}});
  const double right[] = {35.75, 10.9333333, 4.6666667, 3, 2, 1, 0.5, 0};
  const double tolerance = std::is_same_v<T, float> ? 1e-5 : 1e-7;
  for (const std::uint64_t seed : {0U, 12345U}) {
    for (Index k = 1; k <= 8; ++k) {
      const auto result = checked_fit<TypeParam>({.n_clusters = k, .n_init = 100, .seed = seed}, {x});
      EXPECT_NEAR(result.inertia, right[k - 1], tolerance * 36) << "k " << k;
    }
  }
  // Other rows, the optimum by brute force.
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto y = grid_rows<T>(7, 2, seed, 5);
    const auto exact = generate<double>(7, 2, [&](Index i, Index q) { return y(i, q); });
    double before = std::numeric_limits<double>::infinity();
    for (Index k = 1; k <= 5; ++k) {
      const auto result = checked_fit<TypeParam>({.n_clusters = k, .n_init = 100, .seed = seed}, {y});
      EXPECT_NEAR(result.inertia, least_inertia(exact, k), 1e-5 * 36) << "k " << k << ", seed " << seed;
      EXPECT_LE(result.inertia, before);
      before = result.inertia;
    }
  }
}

// A cluster of m unit vectors has mean 1/m on m axes: m ((1 - 1/m)^2 + (m - 1) / m^2) = m - 1. Summed over k: n - k.
TYPED_TEST(Handed, H5_9_more_features_than_rows) {
  using T = typename TypeParam::Scalar;
  const auto x = generate<T>(5, 1000, [](Index i, Index q) { return i == q ? 1 : 0; });
  for (const Init init : every_init) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      for (const Index k : {2, 3}) {
        const auto result = checked_fit<TypeParam>({.n_clusters = k, .seed = seed, .init = init}, {x});
        EXPECT_EQ(result.n_empty, 0);
        expect_close(result.inertia, static_cast<double>(5 - k), std::is_same_v<T, float> ? 1e-6 : 1e-14);
      }
    }
  }
}

}  // namespace
}  // namespace lloyd::test
