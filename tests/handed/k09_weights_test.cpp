// SPDX-License-Identifier: MIT
// K9. Weights changed in place, ignored in a term, not free of scale, all-zero or negative ones accepted.
#include "handed/suite.hpp"

namespace lloyd::test {
namespace {

// k = 1: 0.5 + 0.4 + 1.2 = 2.1; 0.5 * 1.21 + 0.2 * 0.01 + 0.3 * 3.61 = 1.69. k = 2: {1, 2} about 9/7: 1/7.
TYPED_TEST(Handed, H9_1_caller_s_weights_untouched) {
  using T = typename TypeParam::Scalar;
  const auto x = column_of<T>({1, 2, 4});
  const std::vector<double> w{0.5, 0.2, 0.3};
  const auto one = checked_fit<TypeParam>({.n_clusters = 1}, {x, w});  // compares the buffers byte by byte
  EXPECT_NEAR(static_cast<double>(one.centroids(0, 0)), 2.1, 1e-6);
  expect_close(one.inertia, 1.69, 1e-6);
  expect_close(checked_fit<TypeParam>({.n_clusters = 2, .n_init = 10}, {x, w}).inertia, 1.0 / 7, 1e-6);
  const std::vector<float> single{0.5F, 0.2F, 0.3F};
  const auto before = single;
  expect_close(kmeans_of<TypeParam>({.n_clusters = 1}).fit(x, single).inertia, 1.69, 1e-6);
  EXPECT_EQ(single, before);
}

// Each group has inertia 2 + 0 + 2, once with weight 1 and once with weight 2.
TYPED_TEST(Handed, H9_2_weighted_inertia_and_score) {
  using T = typename TypeParam::Scalar;
  const Input<T> input{rows_of<T>({{0, 0}, {1, 1}, {2, 2}, {10, 10}, {11, 11}, {12, 12}}),
                       {1, 1, 1, 2, 2, 2},
                       rows_of<T>({{1, 1}, {11, 11}})};
  const auto result = checked_fit<TypeParam>({.n_clusters = 2}, input);
  EXPECT_EQ(result.inertia, 12);
  const auto kmeans = kmeans_of<TypeParam>({.n_clusters = 2});
  const auto y = rows_of<T>({{0, 0}, {10, 10}});
  EXPECT_EQ(kmeans.score(result.centroids, y, std::vector<double>{2, 2}), -8);
  EXPECT_EQ(kmeans.score(result.centroids, y, std::vector<float>{2, 2}), -8);
  EXPECT_EQ(kmeans.score(result.centroids, y), -4);
  EXPECT_EQ(kmeans.score(result.centroids, input.x, input.w), -result.inertia);
}

template <Real T>
[[nodiscard]] Input<T> five_weighted_rows(double scale = 1) {
  const auto x = rows_of<T>({{0, 0}, {1, 0}, {5, 5}, {6, 5}, {9, 0}});
  return {x, {3 * scale, 1 * scale, 2 * scale, 2 * scale, 4 * scale}, rows_at(x, {0, 2, 4})};
}

// (3 * 0 + 1) / 4 = 0.25 with 3 / 16 + 9 / 16 = 0.75; 5.5 with 4 / 4 = 1.
TYPED_TEST(Handed, H9_3_whole_weight_is_repetition) {
  using T = typename TypeParam::Scalar;
  const auto input = five_weighted_rows<T>();
  std::vector<Index> repeated;
  for (Index i = 0; i < 5; ++i)
    repeated.insert(repeated.end(), static_cast<std::size_t>(input.w[static_cast<std::size_t>(i)]), i);
  const auto weighted = checked_fit<TypeParam>({.n_clusters = 3}, input);
  const auto plain = checked_fit<TypeParam>({.n_clusters = 3}, {rows_at(input.x, repeated), {}, input.c});
  EXPECT_EQ(weighted.centroids, rows_of<T>({{0.25, 0}, {5.5, 5}, {9, 0}}));
  EXPECT_EQ(weighted.centroids, plain.centroids);
  EXPECT_EQ(weighted.inertia, 1.75);
  EXPECT_EQ(plain.inertia, 1.75);
  EXPECT_EQ(weighted.n_iter, plain.n_iter);
  EXPECT_EQ(weighted.cluster_weights, plain.cluster_weights);
}

TYPED_TEST(Handed, H9_4_weights_of_any_scale) {
  using T = typename TypeParam::Scalar;
  const auto plain = checked_fit<TypeParam>({.n_clusters = 3}, five_weighted_rows<T>());
  for (const double scale : {1e-12, 1e12, 1e-30, 1e-300, 1e290}) {
    const auto result = checked_fit<TypeParam>({.n_clusters = 3}, five_weighted_rows<T>(scale));
    EXPECT_EQ(result.labels, plain.labels);
    const double tolerance = std::numeric_limits<T>::epsilon() * 9;
    for (Index j = 0; j < 3; ++j)
      for (Index q = 0; q < 2; ++q)
        EXPECT_NEAR(double(result.centroids(j, q)), double(plain.centroids(j, q)), tolerance);
    expect_close(result.inertia, 1.75 * scale, 1e-6);
  }
  std::vector<float> single;
  for (const double w : five_weighted_rows<T>().w) single.push_back(static_cast<float>(w * 1e-30));
  const auto input = five_weighted_rows<T>();
  const auto result = kmeans_of<TypeParam>({.n_clusters = 3}).fit_from(input.c, input.x, single);
  EXPECT_EQ(result.labels, plain.labels);
  expect_close(result.inertia, 1.75e-30, 1e-6);
}

TYPED_TEST(Handed, H9_5_nonsense_weights) {
  using T = typename TypeParam::Scalar;
  const auto input = five_weighted_rows<T>();
  for (const Init init : every_init) {
    bool worked = false;
    Options options{.n_clusters = 2, .init = init};
    options.callback = [&](const Iteration&) { return worked = true; };
    const auto kmeans = kmeans_of<TypeParam>(options);
    const auto refused = [&](const std::vector<double>& w, const char* word) {
      const auto message = refusal_of([&] { (void)fit_input(kmeans, Input<T>{input.x, w}); });
      EXPECT_NE(message.find(word), std::string::npos) << message;
      const std::vector<float> single(w.begin(), w.end());
      EXPECT_NE(refusal_of([&] { (void)kmeans.fit(input.x, single); }).find(word), std::string::npos);
      EXPECT_FALSE(worked);
    };
    refused({0, 0, 0, 0, 0}, "all weights are zero");
    refused({0, -0.0, 0, 0, 0}, "all weights are zero");
    refused({1, -1, 1, 1, 1}, "weight 1 is -1");
    refused({0, 0, 0, 0, -2}, "weight 4 is -2");
    refused({1, 1, std::nan(""), 1, 1}, "weight 2 is");
    refused({1, 1, 1, std::numeric_limits<double>::infinity(), 1}, "weight 3 is inf");
    refused({1, 1, 1, 1}, "4 weights, expected 5");
    refused({1, 1, 1, 1, 1, 1}, "6 weights, expected 5");
    EXPECT_NE(refusal_of([&] {
                (void)fit_source(kmeans, Input<T>{}, TiledSource<T>(input.x, std::vector<double>{1, 1, 1, 1, -1}, {2}));
              }),
              "");
    EXPECT_NE(refusal_of([&] { (void)kmeans.score(input.c, input.x, std::vector<double>{1, 1, 1, 1, -1}); }), "");
    EXPECT_EQ(fit_input(kmeans, Input<T>{input.x, input.w}).labels.size(), 5U);
  }
}

TYPED_TEST(Handed, H9_6_weights_in_chunks) {
  using T = typename TypeParam::Scalar;
  const auto input = five_weighted_rows<T>();
  const auto expected = outcome_of(checked_fit<TypeParam>({.n_clusters = 3}, input));
  EXPECT_EQ(expected.inertia, 1.75);
  for (const auto& sizes : std::vector<std::vector<Index>>{{2}, {1}, {3}, {4, 0}, {0, 5}, {100}}) {
    const TiledSource<T> source(input.x, input.w, sizes);
    EXPECT_EQ(difference(expected, outcome_of(fit_source(kmeans_of<TypeParam>({.n_clusters = 3}), input, source))), "");
    for (const Init init : every_init) {
      const Options options{.n_clusters = 3, .init = init};
      EXPECT_EQ(difference(outcome_of(fit_input(kmeans_of<TypeParam>(options), Input<T>{input.x, input.w})),
                           outcome_of(fit_source(kmeans_of<TypeParam>(options), Input<T>{}, source))),
                "");
    }
  }
}

}  // namespace
}  // namespace lloyd::test
