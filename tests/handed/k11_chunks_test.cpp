// SPDX-License-Identifier: MIT
// K11. n x k matrices, buffers of the worst case, a last or empty chunk mishandled, chunk means averaged. (H11.1 and
// H11.2 are in tests/memory.)
#include "handed/suite.hpp"

namespace lloyd::test {
namespace {

// {0 .. 4} and {5 .. 9} from 0 and 9: means 2 and 7, 10 each. The mean of chunk means would be 2.75 and 7.25.
TYPED_TEST(Handed, H11_3_last_chunk_empty_chunk_huge_chunk) {
  using T = typename TypeParam::Scalar;
  const auto x = generate<T>(10, 1, [](Index i, Index) { return i; });
  const Input<T> input{x, {}, column_of<T>({0, 9})};
  for (const auto& sizes : std::vector<std::vector<Index>>{
           {4, 4, 2}, {1}, {1000}, {4, 0, 4, 2}, {0, 10}, {0, 0, 3}, {9, 1}, {1, 9}, {3}, {7}}) {
    for (const Index max_iter : {1, 300}) {
      const auto result = fit_source(kmeans_of<TypeParam>({.n_clusters = 2, .max_iter = max_iter}), input,
                                     TiledSource<T>(x, {}, sizes));
      EXPECT_EQ(result.centroids, column_of<T>({2, 7}));
      EXPECT_EQ(result.inertia, 20.0);
      EXPECT_EQ(result.labels, (std::vector<Label>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}));
    }
  }
}

// Everything that seeds and stops, in chunks of other rows.
TYPED_TEST(Handed, H11_3_any_fit_in_any_chunks) {
  using T = typename TypeParam::Scalar;
  const auto x = blobs<T>(300, 4, 6, 12);
  for (const Init init : every_init) {
    for (const Index init_size : {0, 40}) {
      Options options{.n_clusters = 9, .n_init = 2, .seed = 5, .init = init};
      options.init_size = init_size;
      const auto expected = outcome_of(fit_input(kmeans_of<TypeParam>(options), Input<T>{x}));
      for (const auto& sizes : std::vector<std::vector<Index>>{{1}, {299, 1}, {1, 0, 298}, {32}, {1000}}) {
        const TiledSource<T> source(x, {}, sizes);
        EXPECT_EQ(difference(expected, outcome_of(fit_source(kmeans_of<TypeParam>(options), Input<T>{}, source))), "");
      }
    }
  }
}

/// The numbers in a text.
[[nodiscard]] std::vector<std::size_t> numbers_in(const std::string& text) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] < '0' || text[i] > '9') {
      ++i;
      continue;
    }
    std::size_t number = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
      number = 10 * number + static_cast<std::size_t>(text[i] - '0');
    numbers.push_back(number);
  }
  return numbers;
}

// n = 100 rows are 0.6 MB of float: a megabyte is enough, whatever batch or sample was asked for.
TYPED_TEST(Handed, H11_4_checks_use_the_real_size) {
  using T = typename TypeParam::Scalar;
  const auto x = normal_rows<T>(100, 1536, 1);
  for (const Init init : every_init) {
    Options options{.n_clusters = 10, .init = init};
    options.memory_budget = std::size_t{1} << 20;
    options.init_size = 1000000;
    const auto result = fit_input(kmeans_of<TypeParam>(options), Input<T>{x});
    EXPECT_EQ(result.labels.size(), 100U);
    Options roomy = options;
    roomy.memory_budget = Options{}.memory_budget;
    EXPECT_EQ(difference(outcome_of(result), outcome_of(fit_input(kmeans_of<TypeParam>(roomy), Input<T>{x}))), "");
  }
}

// A budget that is too small names what was given and what is needed; with just that the fit works.
TYPED_TEST(Handed, H11_4_too_small_a_budget_says_what_is_needed) {
  using T = typename TypeParam::Scalar;
  const auto x = normal_rows<T>(100, 1536, 1);
  Options options{.n_clusters = 10};
  options.memory_budget = 1000;
  const auto message = refusal_of([&] { (void)fit_input(kmeans_of<TypeParam>(options), Input<T>{x}); });
  EXPECT_NE(message.find("memory_budget 1000 bytes is too small"), std::string::npos) << message;
  const auto numbers = numbers_in(message);
  ASSERT_FALSE(numbers.empty());
  options.memory_budget = numbers.back();
  EXPECT_EQ(fit_input(kmeans_of<TypeParam>(options), Input<T>{x}).labels.size(), 100U) << message;
  options.memory_budget = numbers.back() - 1;
  EXPECT_NE(refusal_of([&] { (void)fit_input(kmeans_of<TypeParam>(options), Input<T>{x}); }), "");
}

}  // namespace
}  // namespace lloyd::test
