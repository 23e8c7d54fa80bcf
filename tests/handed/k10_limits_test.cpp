// SPDX-License-Identifier: MIT
// K10. n d, n k, k d or bytes in 32 bits; odd d and k. (H10.4 is of GPUs: docs/handed.md.)
#include "handed/suite.hpp"

namespace lloyd::test {
namespace {

template <class T>
class Limits : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Limits, Scalars);

// d n k = 3 647 104 000. Too much for the reference: labels and inertia are checked directly on a part of the rows.
TYPED_TEST(Limits, H10_1_d_n_k_above_2_to_the_31) {
  using T = TypeParam;
  const Index n = 28493, k = 2000;
  const auto x = uniform_rows<T>(n, 64, 1);
  Options options{.n_clusters = k, .max_iter = 1, .init = Init::random};
  const auto result = fit_input(KMeans<Cpu>(options), Input<T>{x});
  double direct = 0;
  for (Index i = 0; i < n; ++i) {
    const Label label = result.labels[static_cast<std::size_t>(i)];
    ASSERT_TRUE(label >= 0 && label < k);
    direct += squared_distance(x.row(i), result.centroids.row(label), 64);
    if (i % 28 == 0) {
      EXPECT_EQ(label, nearest_of(x.row(i), std::as_const(result.centroids).view()).label) << "row " << i;
    }
  }
  expect_close(result.inertia, direct, 1e-12);
}

// 2.2e9 pairs. Row i lies on centre i mod k.
TYPED_TEST(Limits, H10_2_n_k_above_2_to_the_31) {
  using T = TypeParam;
  const Index n = 2200000, k = 1000;
  const auto x = generate<T>(n, 2, [](Index i, Index q) { return q == 0 ? i % k : 0; });
  const auto c = generate<T>(k, 2, [](Index j, Index q) { return q == 0 ? j : 0; });
  const auto labels = predict(KMeans<Cpu>({.n_clusters = k}), c, x);
  Index wrong = 0;
  for (Index i = 0; i < n; ++i) wrong += labels[static_cast<std::size_t>(i)] == i % k ? 0 : 1;
  EXPECT_EQ(wrong, 0);
}

// 2.2e9 values, which exist a tile at a time: rows of zeros, and ten rows of ones at the end.
TEST(LimitsOnce, H10_3_n_d_above_2_to_the_31) {
  const Index n = 2200000, d = 1000;
  const GeneratedSource<float> source(
      n, d, 4096, [](Index i, std::span<float> row) { std::fill(row.begin(), row.end(), i < n - 10 ? 0.0F : 1.0F); });
  const auto c = generate<float>(2, d, [](Index j, Index) { return j; });
  const auto result = KMeans<Cpu>({.n_clusters = 2, .max_iter = 1}).fit_from(c, source);
  EXPECT_EQ(result.cluster_sizes, (std::vector<Index>{n - 10, 10}));
  for (Index i = n - 20; i < n; ++i) EXPECT_EQ(result.labels[static_cast<std::size_t>(i)], i < n - 10 ? 0 : 1);
  EXPECT_EQ(result.inertia, 0);
  EXPECT_EQ(result.centroids, c);
}

// Rows are of another generator than the case's; labels are checked directly, whatever the rows.
TYPED_TEST(Handed, H10_5_every_awkward_d_and_k) {
  using T = typename TypeParam::Scalar;
  for (const Index d : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 127, 129, 1000}) {
    const auto x = normal_rows<T>(200, d, static_cast<std::uint64_t>(d));
    for (const Index k : {1, 2, 3, 5, 63, 64, 65}) {
      const Options options{.n_clusters = k, .max_iter = 2};
      const Input<T> input{x, {}, head(x, k)};
      if (d <= 33) {
        (void)checked_fit<TypeParam>(options, input);
      } else {
        expect_right<TypeParam>(options, input, fit_input(kmeans_of<TypeParam>(options), input));
      }
    }
  }
}

TYPED_TEST(Handed, H10_5_thirteen_thousand_features) {
  using T = typename TypeParam::Scalar;
  const auto x = normal_rows<T>(200, 13000, 13000);
  for (const Index k : {1, 3, 65}) {
    if (TypeParam::is_reference && k > 3) continue;  // slow, and the verifier is the same arithmetic
    const Options options{.n_clusters = k, .max_iter = k > 3 ? 1 : 2};
    const Input<T> input{x, {}, head(x, k)};
    expect_right<TypeParam>(options, input, fit_input(kmeans_of<TypeParam>(options), input));
  }
}

}  // namespace
}  // namespace lloyd::test
