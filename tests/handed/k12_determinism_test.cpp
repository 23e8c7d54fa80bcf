// SPDX-License-Identifier: MIT
// K12. Another answer by thread count, by run, by chunk; global random state touched; ties decided by round-off.
#include <cstdlib>
#include <random>
#include <set>

#include "handed/suite.hpp"

namespace lloyd::test {
namespace {

// Rows are of another generator than the case's; that all runs agree, bit for bit, holds for any.
TYPED_TEST(Handed, H12_1_thread_count_does_not_change_the_answer) {
  using T = typename TypeParam::Scalar;
  const Input<T> input{normal_rows<T>(10000, 8, 0)};
  const Options options{.n_clusters = 16, .max_iter = 30, .tol = 0, .seed = 42};
  const auto expected = outcome_of(fit_input(KMeans<Reference>(options), input));
  for (const int threads : {1, 2, 3, 8}) {
    if (TypeParam::is_reference && threads > 1) continue;
    for (int run = 0; run < 5; ++run) {
      const auto result = fit_input(kmeans_of<TypeParam>(options, threads), input);
      EXPECT_EQ(difference(expected, outcome_of(result)), "") << threads << " threads, run " << run;
      if (TypeParam::is_reference) break;
    }
  }
}

TYPED_TEST(Handed, H12_2_same_seed_same_result) {
  using T = typename TypeParam::Scalar;
  const Input<T> input{normal_rows<T>(1000, 8, 0)};
  for (const Init init : every_init) {
    const Options options{.n_clusters = 16, .n_init = 2, .seed = 42, .init = init};
    const auto expected = outcome_of(fit_input(KMeans<Reference>(options), input));
    for (int run = 0; run < 20; ++run)
      EXPECT_EQ(difference(expected, outcome_of(fit_input(kmeans_of<TypeParam>(options), input))), "") << "run " << run;
  }
}

TYPED_TEST(Handed, H12_3_global_random_state_untouched) {
  using T = typename TypeParam::Scalar;
  const Input<T> input{normal_rows<T>(200, 2, 1)};
  const auto numbers = [&](bool fits) {
    std::srand(1);
    std::mt19937 engine(5);
    std::vector<long> drawn;
    for (int i = 0; i < 4; ++i) {
      drawn.push_back(std::rand());
      drawn.push_back(static_cast<long>(engine()));
      if (fits) {
        for (const Init init : every_init)
          (void)fit_input(kmeans_of<TypeParam>({.n_clusters = 5, .seed = engine.default_seed, .init = init}), input);
      }
    }
    return drawn;
  };
  EXPECT_EQ(numbers(false), numbers(true));
  // The seed has 64 bits, all of them count, and 0 is a seed like any other.
  for (const Init init : every_init) {
    std::set<std::vector<std::vector<double>>> starts;
    for (const std::uint64_t seed :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32, std::uint64_t{1} << 63, ~std::uint64_t{0}})
      starts.insert(sorted_centroids(
          fit_input(kmeans_of<TypeParam>({.n_clusters = 5, .max_iter = 0, .seed = seed, .init = init}), input)
              .centroids));
    EXPECT_EQ(starts.size(), 5U);
  }
}

// The default seed is documented as 0: equal results.
TYPED_TEST(Handed, H12_4_default_seed_policy) {
  using T = typename TypeParam::Scalar;
  const Input<T> input{uniform_rows<T>(1000, 2, 3)};
  const auto fit = [&](Options options) {
    options.n_clusters = 10;
    return outcome_of(fit_input(kmeans_of<TypeParam>(options), input));
  };
  EXPECT_EQ(difference(fit({}), fit({})), "");
  EXPECT_EQ(difference(fit({}), fit({.seed = 0})), "");
  EXPECT_NE(difference(fit({.seed = 1}), fit({.seed = 2})), "");
  EXPECT_EQ(difference(fit({.seed = 1}), fit({.seed = 1})), "");
  EXPECT_EQ(difference(fit({.seed = 2}), fit({.seed = 2})), "");
}

TYPED_TEST(Handed, H12_5_two_optima_with_the_same_inertia) {
  using T = typename TypeParam::Scalar;
  const Input<T> input{rows_of<T>({{0, 0}, {0, 1}, {1, 0}, {1, 1}})};
  for (const std::uint64_t seed : {3U, 4U, 5U}) {
    const Options options{.n_clusters = 2, .n_init = 10, .seed = seed};
    const auto expected = outcome_of(checked_fit<TypeParam>(options, input));
    EXPECT_EQ(expected.inertia, 1.0);
    for (int threads = 1; threads <= 8; ++threads)
      for (int run = 0; run < 20; ++run)
        EXPECT_EQ(difference(expected, outcome_of(fit_input(kmeans_of<TypeParam>(options, threads), input))), "");
  }
}

}  // namespace
}  // namespace lloyd::test
