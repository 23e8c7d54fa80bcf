// SPDX-License-Identifier: MIT
// K6. Zero total potential, a sampled index one past the end, weights ignored, negative potentials, too few candidates.
#include "handed/suite.hpp"
#include "lloyd/kmeans/random.hpp"
#include "lloyd/kmeans/sampler.hpp"

namespace lloyd::test {
namespace {

/// The row numbers of centroids that are rows of x, ascending; -1 for one that is not.
template <Real T>
[[nodiscard]] std::vector<Index> chosen_rows(const Matrix<T>& centroids, const Matrix<T>& x) {
  std::vector<Index> chosen;
  for (Index j = 0; j < centroids.rows(); ++j) {
    Index i = 0;
    while (i < x.rows() && !same_bits(x.row(i), centroids.row(j), static_cast<std::size_t>(x.cols()))) ++i;
    chosen.push_back(i < x.rows() ? i : -1);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

[[nodiscard]] bool all_different_rows(const std::vector<Index>& chosen) {
  return chosen.front() >= 0 && std::adjacent_find(chosen.begin(), chosen.end()) == chosen.end();
}

// Rows are of another generator than the case's; that chosen rows are rows, and differ, holds for any. Few rows with
// all 200 seeds, all rows with fewer.
TYPED_TEST(Handed, H6_1_sampled_index_one_past_the_end) {
  using T = typename TypeParam::Scalar;
  for (const bool all_rows : {false, true}) {
    if (all_rows && TypeParam::is_reference) continue;  // compared below, from the faster side
    const auto x = uniform_rows<T>(all_rows ? 100000 : 1500, 2, 11);
    for (std::uint64_t seed = 0; seed < (all_rows ? 5 : 200); ++seed) {
      Options options{.n_clusters = 50, .max_iter = 0, .seed = seed};
      options.n_local_trials = seed % 2 == 0 ? 1 : 0;
      const auto result = fit_input(kmeans_of<TypeParam>(options), Input<T>{x});
      EXPECT_TRUE(all_different_rows(chosen_rows(result.centroids, x))) << "seed " << seed;
      if constexpr (!TypeParam::is_reference) {
        if (seed < 2) {
          EXPECT_EQ(result.centroids, fit_input(KMeans<Reference>(options), Input<T>{x}).centroids);
        }
      }
    }
  }
}

// The largest draw there is lands on the last row that has a mass, never past it; the smallest on the first.
TEST(HandedOnce, H6_1_forced_largest_draw) {
  const detail::Draw largest{~std::uint64_t{0}, ~std::uint64_t{0}}, smallest{0, 0};
  for (const std::uint64_t total : {std::uint64_t{1}, std::uint64_t{3}, (std::uint64_t{1} << 62) - 1}) {
    EXPECT_EQ(detail::below(largest, total), total - 1);
    EXPECT_EQ(detail::below(smallest, total), 0);
    EXPECT_LT(detail::below({~std::uint64_t{0} << 40, 0}, total), total);  // the uniform 1 - 2^-24
  }
  const std::vector<std::int64_t> masses{0, 5, 0, 7, 0, 0};
  const auto found = [&](std::uint64_t target) { return detail::prefix_search(masses, target); };
  EXPECT_EQ(found(0), 1);
  EXPECT_EQ(found(4), 1);
  EXPECT_EQ(found(5), 3);
  EXPECT_EQ(found(11), 3);
}

// {0, 1} weighs 1e6 each around 0.5: 5e5. {10, 11} the same, and 500 adds 1e-6 * 489.5^2 = 0.2396; it pulls the mean by
// less than a part in 1e9.
TYPED_TEST(Handed, H6_2_weights_count_in_seeding) {
  using T = typename TypeParam::Scalar;
  const Input<T> input{column_of<T>({0, 1, 10, 11, 500}), {1e6, 1e6, 1e6, 1e6, 1e-6}};
  for (const Init init : {Init::kmeans_plus_plus, Init::scalable_kmeans_plus_plus}) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const auto result = checked_fit<TypeParam>({.n_clusters = 2, .seed = seed, .init = init}, input);
      expect_close(result.inertia, 1000000.2396, std::is_same_v<T, float> ? 1e-6 : 1e-10);
      const auto sorted = sorted_centroids(result.centroids);
      EXPECT_NEAR(sorted[0][0], 0.5, 1e-6);
      EXPECT_NEAR(sorted[1][0], 10.5, 1e-6);
    }
  }
}

// A 5 x 5 grid of spacing 0.1 has inertia 25 (0.02 + 0.02) = 1 about its middle.
TYPED_TEST(Handed, H6_3_scalable_seeding_finds_every_separated_blob) {
  using T = typename TypeParam::Scalar;
  const auto x = generate<T>(125, 2, [](Index i, Index q) {
    return 100.0 * static_cast<double>(i / 25) + 0.1 * static_cast<double>(q == 0 ? i % 25 / 5 : i % 5);
  });
  for (const Init init : {Init::scalable_kmeans_plus_plus, Init::kmeans_plus_plus}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const auto result = checked_fit<TypeParam>({.n_clusters = 5, .seed = seed, .init = init}, {x});
      expect_close(result.inertia, 5.0, 1e-4);
      EXPECT_EQ(result.cluster_sizes, std::vector<Index>(5, 25)) << "seed " << seed;
    }
  }
}

TYPED_TEST(Handed, H6_4_scalable_seeding_with_too_few_candidates) {
  using T = typename TypeParam::Scalar;
  const auto x = generate<T>(10, 2, [](Index i, Index q) { return q == 0 ? i : i * i; });
  for (const double factor : {0.5, 1e-9, 1.0}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Options options{.n_clusters = 10, .max_iter = 0, .seed = seed, .init = Init::scalable_kmeans_plus_plus};
      options.init_rounds = 1;
      options.oversampling_factor = factor;
      const auto result = checked_fit<TypeParam>(options, {x});
      EXPECT_EQ(result.inertia, 0);
      EXPECT_TRUE(all_different_rows(chosen_rows(result.centroids, x))) << "seed " << seed;
    }
  }
}

// H6.5 is tests/memory/rows_test.cpp.

TYPED_TEST(Handed, H6_6_negative_potential_from_cancellation) {
  using T = typename TypeParam::Scalar;
  for (const double offset : {1e6, -1e6, 8388608.0}) {
    const auto x = generate<T>(10, 2, [&](Index i, Index q) { return offset + static_cast<double>(q == 0 ? i : 0); });
    for (const Init init : {Init::kmeans_plus_plus, Init::scalable_kmeans_plus_plus}) {
      for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Options options{.n_clusters = 10, .max_iter = 0, .seed = seed, .init = init};
        double least = 0;
        options.callback = [&](const Iteration& at) {
          least = (std::min)(least, at.inertia);
          return true;
        };
        const auto result = fit_input(kmeans_of<TypeParam>(options), Input<T>{x});
        EXPECT_EQ(least, 0);
        EXPECT_EQ(result.inertia, 0);
        EXPECT_TRUE(all_different_rows(chosen_rows(result.centroids, x))) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace lloyd::test
