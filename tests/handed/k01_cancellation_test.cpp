// SPDX-License-Identifier: MIT
// K1. ||x||^2 - 2xc + ||c||^2 loses every digit once the common offset is large against the spread.
#include "handed/suite.hpp"

namespace lloyd::test {
namespace {

// Probe i lies at (2i + 1) / 128 between centres at 0 and 1: left of the middle for i < 32. All are exact in float as
// long as the offset is below 2^16. In d equal columns every distance is d times as large.
TYPED_TEST(Handed, H1_1_two_close_centres_far_from_the_origin) {
  using T = typename TypeParam::Scalar;
  for (const double offset : {50000.0, -50000.0, 65000.0, 32768.0, 0.0}) {
    for (const Index d : {1, 2, 3, 8, 9, 17, 64}) {
      const auto c = generate<T>(2, d, [&](Index j, Index) { return offset + static_cast<double>(j); });
      const auto x = generate<T>(64, d, [&](Index i, Index) { return offset + static_cast<double>(2 * i + 1) / 128; });
      for (const Index batch_rows : {0, 1, 7, 32, 33, 64, 100}) {
        Options options{.n_clusters = 2};
        options.batch_rows = batch_rows;
        options.assignment = batch_rows % 2 == 0 ? Assignment::gram : Assignment::fused;
        const auto labels = predict(kmeans_of<TypeParam>(options), c, x);
        for (std::size_t i = 0; i < 64; ++i)
          ASSERT_EQ(labels[i], i < 32 ? 0 : 1) << "row " << i << ", offset " << offset << ", d " << d;
      }
    }
  }
}

/// 3 x 3 unit grids around the corners of a square of side 20, in the order of the centres.
template <Real T>
[[nodiscard]] Matrix<T> four_grids(double offset) {
  return generate<T>(36, 2, [&](Index i, Index q) {
    const Index grid = i / 9, cell = i % 9;
    const Index corner = q == 0 ? grid / 2 : grid % 2, step = q == 0 ? cell / 3 : cell % 3;
    return offset + static_cast<double>(20 * corner + step - 1);
  });
}

// A 3 x 3 unit grid has inertia 9 (2/3 + 2/3) = 12 about its middle: 48 for four.
TYPED_TEST(Handed, H1_2_four_clean_blobs_moved_by_a_common_offset) {
  using T = typename TypeParam::Scalar;
  const auto unmoved = sorted_centroids(rows_of<double>({{0, 0}, {0, 20}, {20, 0}, {20, 20}}));
  const auto expect_grids = [&](const auto& result, double offset) {
    expect_close(result.inertia, 48, 1e-4);
    EXPECT_EQ(result.cluster_sizes, std::vector<Index>(4, 9));
    const auto sorted = sorted_centroids(result.centroids);
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t q = 0; q < 2; ++q) EXPECT_NEAR(sorted[j][q], offset + unmoved[j][q], 0.07);
    for (std::size_t i = 0; i < 36; ++i) EXPECT_EQ(result.labels[i], result.labels[i / 9 * 9]) << "row " << i;
  };
  for (const double offset : {0.0, 1e5, 1e6, -1e6, 5e6}) {
    const auto x = four_grids<T>(offset);
    const auto corners = generate<T>(
        4, 2, [&](Index j, Index q) { return offset + static_cast<double>(q == 0 ? j / 2 * 20 : j % 2 * 20); });
    expect_grids(checked_fit<TypeParam>({.n_clusters = 4}, {x, {}, corners}), offset);
    for (const std::uint64_t seed : {0U, 1U, 99U}) {
      for (const Init init : {Init::kmeans_plus_plus, Init::scalable_kmeans_plus_plus}) {
        const Options options{.n_clusters = 4, .n_init = 10, .seed = seed, .init = init};
        expect_grids(checked_fit<TypeParam>(options, {x}), offset);
      }
    }
  }
}

// Rows of equal values v and v': the distance is sqrt(d) |v - v'|, with the difference that T has after rounding.
TYPED_TEST(Handed, H1_3_nearly_equal_rows_in_many_dimensions) {
  using T = typename TypeParam::Scalar;
  const auto distances = [](Index d, double a, double b) {
    const auto x = generate<T>(2, d, [&](Index i, Index) { return i == 0 ? a : b; });
    return kmeans_of<TypeParam>({.n_clusters = 2}).transform(x, x);
  };
  const auto expect_distance = [](const Matrix<double>& table, double right) {
    EXPECT_EQ(table(0, 0), 0);
    EXPECT_EQ(table(1, 1), 0);
    expect_close(table(0, 1), right, 1e-3);
    EXPECT_EQ(table(0, 1), table(1, 0));
  };
  expect_distance(distances(1000, 1.000, 1.001), 0.0316243);
  expect_distance(distances(512, 2.000, 2.001), 0.0226258);
  const double step = static_cast<double>(T(100.01)) - 100;
  expect_distance(distances(777, 100, 100.01), std::sqrt(777.0) * step);
}

// With a = 3.0002 and b = 2.9998 as T has them, the mean is near 3 and the inertia 4 ((a - b) / 2)^2: 1.6005e-7 for the
// rounded floats, 1.6e-7 in double.
TYPED_TEST(Handed, H1_4_tiny_inertia_must_not_collapse_to_zero) {
  using T = typename TypeParam::Scalar;
  const auto x = column_of<T>({-3.0002, -2.9998, 2.9998, 3.0002});
  const auto result = checked_fit<TypeParam>({.n_clusters = 2}, {x, {}, column_of<T>({-3, 3})});
  EXPECT_NEAR(static_cast<double>(result.centroids(0, 0)), -3, 1e-6);
  EXPECT_NEAR(static_cast<double>(result.centroids(1, 0)), 3, 1e-6);
  expect_close(result.inertia, 1.6005e-7, 1e-3);
  for (const double offset : {1000.0, -4096.0}) {  // the spread of two ulps of float at the offset
    const auto moved = column_of<T>({offset, offset + 0x1p-10, offset + 1, offset + 1 + 0x1p-10});
    const auto far = checked_fit<TypeParam>({.n_clusters = 2}, {moved, {}, column_of<T>({offset, offset + 1})});
    expect_close(far.inertia, 4 * 0x1p-22, 0.6);  // the means may round to a row
    EXPECT_GT(far.inertia, 0);
  }
}

TYPED_TEST(Handed, H1_5_distance_of_a_row_to_itself) {
  using T = typename TypeParam::Scalar;
  const auto x = rows_of<T>({{1, 2, 3}, {123456.7, -98765.4, 55555.5}, {0.1, -1e-7, 3e5}});
  const auto result = checked_fit<TypeParam>({.n_clusters = 3}, {x, {}, x});
  EXPECT_EQ(result.inertia, 0);
  EXPECT_EQ(result.centroids, x);
  const auto kmeans = kmeans_of<TypeParam>({.n_clusters = 3});
  const auto table = kmeans.transform(x, x);
  for (Index i = 0; i < 3; ++i) EXPECT_EQ(table(i, i), 0);
  EXPECT_EQ(kmeans.assign(x, x).distances, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(kmeans.score(x, x), 0);
  const auto y = shifted(normal_rows<T>(40, 70, 3), 1e6);
  const auto many = kmeans.transform(y, y);
  for (Index i = 0; i < 40; ++i)
    for (Index j = 0; j < 40; ++j) EXPECT_TRUE(i == j ? many(i, j) == 0 : many(i, j) > 0);
}

// Each pair has its mean in the middle, 0.125 from either row: 4 / 64.
TYPED_TEST(Handed, H1_6_one_huge_constant_column_hides_the_informative_one) {
  using T = typename TypeParam::Scalar;
  for (const double huge : {3e7, -3e7, 0x1p80}) {
    const auto x = rows_of<T>({{huge, 0}, {huge, 0.25}, {huge, 4}, {huge, 4.25}});
    const auto given = checked_fit<TypeParam>({.n_clusters = 2}, {x, {}, rows_at(x, {0, 2})});
    EXPECT_EQ(given.labels, (std::vector<Label>{0, 0, 1, 1}));
    EXPECT_EQ(given.centroids, rows_of<T>({{huge, 0.125}, {huge, 4.125}}));
    EXPECT_EQ(given.inertia, 0.0625);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const auto result = checked_fit<TypeParam>({.n_clusters = 2, .seed = seed}, {x});
      EXPECT_EQ(result.inertia, 0.0625) << "seed " << seed;
      EXPECT_EQ(sorted_centroids(result.centroids), sorted_centroids(given.centroids));
    }
  }
}

}  // namespace
}  // namespace lloyd::test
