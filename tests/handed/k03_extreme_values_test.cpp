// SPDX-License-Identifier: MIT
// K3. NaN and infinity swallowed silently, or finite values whose squares overflow turned into nonsense.
#include "handed/suite.hpp"

namespace lloyd::test {
namespace {

template <Real T>
[[nodiscard]] Matrix<T> six_rows() {
  return rows_of<T>({{0, 0}, {0, 1}, {1, 0}, {9, 9}, {9, 10}, {10, 9}});
}

/// Every way into the library refuses the rows, names the place, and works with the same object afterwards.
template <class Entry>
void expect_refused(double bad, Index row, Index column) {
  using T = typename Entry::Scalar;
  const auto clean = six_rows<T>();
  auto x = clean;
  x(row, column) = static_cast<T>(bad);
  const std::string place = "x(" + std::to_string(row) + ", " + std::to_string(column) + ") is ";
  for (const Init init : every_init) {
    const auto kmeans = kmeans_of<Entry>({.n_clusters = 2, .init = init});
    const auto expect_place = [&](const std::string& message) {
      EXPECT_NE(message.find(place), std::string::npos) << message;
    };
    expect_place(refusal_of([&] { (void)fit_input(kmeans, Input<T>{x}); }));
    expect_place(refusal_of([&] { (void)fit_input(kmeans, Input<T>{x, {}, rows_at(clean, {0, 3})}); }));
    // In a stream the bad value is found whichever tile it stands in.
    expect_place(refusal_of([&] { (void)fit_source(kmeans, Input<T>{}, TiledSource<T>(x, {}, {2})); }));
    expect_place(refusal_of([&] { (void)fit_source(kmeans, Input<T>{}, TiledSource<T>(x, {}, {1, 0, 5})); }));
    const auto result = fit_input(kmeans, Input<T>{clean});
    EXPECT_EQ(result.cluster_sizes, std::vector<Index>(2, 3));
    const std::string in_y = "y(" + std::to_string(row) + ", " + std::to_string(column) + ") is ";
    EXPECT_NE(refusal_of([&] { (void)predict(kmeans, result.centroids, x); }).find(in_y), std::string::npos);
    EXPECT_NE(refusal_of([&] { (void)kmeans.transform(result.centroids, x); }).find(in_y), std::string::npos);
    EXPECT_NE(refusal_of([&] { (void)kmeans.score(result.centroids, x); }).find(in_y), std::string::npos);
    EXPECT_EQ(predict(kmeans, result.centroids, clean), result.labels);
  }
}

TYPED_TEST(Handed, H3_1_one_nan_row) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refused<TypeParam>(nan, 1, 1);
  expect_refused<TypeParam>(-nan, 0, 0);
  expect_refused<TypeParam>(nan, 5, 1);
}

TYPED_TEST(Handed, H3_2_infinity_in_the_data) {
  const double infinity = std::numeric_limits<double>::infinity();
  expect_refused<TypeParam>(infinity, 1, 1);
  expect_refused<TypeParam>(-infinity, 1, 1);
  expect_refused<TypeParam>(infinity, 5, 0);
}

TYPED_TEST(Handed, H3_3_nan_in_the_initial_centres) {
  using T = typename TypeParam::Scalar;
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const Input<T> input{six_rows<T>(), {}, rows_of<T>({{0, 0}, {bad, 9}})};
    const auto before = input;
    bool worked = false;
    Options options{.n_clusters = 2};
    options.callback = [&](const Iteration&) { return worked = true; };
    const auto message = refusal_of([&] { (void)fit_input(kmeans_of<TypeParam>(options), input); });
    EXPECT_NE(message.find("centroids(1, 0) is "), std::string::npos) << message;
    EXPECT_FALSE(worked) << "a pass was made before the refusal";
    EXPECT_TRUE(same_input(before, input));
    EXPECT_NE(refusal_of([&] { (void)predict(kmeans_of<TypeParam>(options), input.c, input.x); }), "");
  }
}

// float64 beyond 2^500 is refused with row and column; float32 has no limit, its squares fit a double.
TYPED_TEST(Handed, H3_4_values_whose_squares_overflow_the_type) {
  using T = typename TypeParam::Scalar;
  constexpr bool is_double = std::is_same_v<T, double>;
  const double scale = is_double ? 1e164 : 1e38;
  const auto x = column_of<T>({scale, 1.001 * scale, -scale, -1.001 * scale});
  for (const Init init : every_init) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Options options{.n_clusters = 2, .seed = seed, .init = init};
      if constexpr (is_double) {
        const auto message = refusal_of([&] { (void)fit_input(kmeans_of<TypeParam>(options), Input<T>{x}); });
        EXPECT_NE(message.find("x(0, 0) is 1e+164"), std::string::npos) << message;
        EXPECT_NE(message.find("2^500"), std::string::npos) << message;
      } else {
        const auto result = checked_fit<TypeParam>(options, {x});
        const auto sorted = sorted_centroids(result.centroids);
        expect_close(sorted[0][0], -1.0005e38, 1e-6);
        expect_close(sorted[1][0], 1.0005e38, 1e-6);
        EXPECT_EQ(result.labels[0], result.labels[1]);
        EXPECT_EQ(result.labels[2], result.labels[3]);
      }
    }
  }
}

// The largest values that are taken: 2^500 as double, the largest float. Two groups, as far apart as can be.
TYPED_TEST(Handed, H3_4_largest_values_that_are_taken) {
  using T = typename TypeParam::Scalar;
  const T most = std::is_same_v<T, double> ? T(0x1p500) : std::numeric_limits<float>::max();
  const auto x = column_of<T>({double(most), double(most) / 2, -double(most), -double(most) / 2});
  for (const Init init : every_init) {
    const auto result = checked_fit<TypeParam>({.n_clusters = 2, .tol = 0, .init = init}, {x});
    const T mean = static_cast<T>(0.75 * double(most));
    EXPECT_EQ(sorted_centroids(result.centroids), sorted_centroids(column_of<T>({-double(mean), double(mean)})));
  }
}

// Candidates of k-means|| weigh as much as many rows; their inertia is within that of all rows.
TYPED_TEST(Handed, H3_4_largest_values_with_many_equal_rows) {
  using T = typename TypeParam::Scalar;
  const double most = std::is_same_v<T, double> ? 0x1.8p499 : double(std::numeric_limits<float>::max());
  const auto x = generate<T>(500, 8, [&](Index i, Index q) {
    return i < 375 ? most : most * static_cast<double>((i * 8 + q) * 7919 % 1000) / 1000;
  });
  for (const Index init_size : {0, 400})
    for (const Init init : every_init) {
      const auto result = fit_input(
          kmeans_of<TypeParam>({.n_clusters = 20, .max_iter = 3, .init = init, .init_size = init_size}), Input<T>{x});
      EXPECT_TRUE(std::isfinite(result.inertia));
    }
}

TYPED_TEST(Handed, H3_5_squared_distance_above_2_to_the_31) {
  using T = typename TypeParam::Scalar;
  for (const double far : {1e6, -1e6, 4e6}) {
    const auto x = column_of<T>({0, 1, far, far + 1});
    const auto result = checked_fit<TypeParam>({.n_clusters = 2}, {x, {}, column_of<T>({0, far})});
    EXPECT_EQ(result.labels, (std::vector<Label>{0, 0, 1, 1}));
    EXPECT_EQ(result.centroids, column_of<T>({0.5, far + 0.5}));
    // 4 (1/2)^2; where T has no half at `far`, the mean is one of the rows and adds 1 instead of 1/2.
    EXPECT_EQ(result.inertia, double(T(far + 0.5)) == far + 0.5 ? 1.0 : 1.5);
  }
}

}  // namespace
}  // namespace lloyd::test
