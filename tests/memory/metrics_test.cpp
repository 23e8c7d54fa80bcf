// SPDX-License-Identifier: MIT
// The memory of metrics: some bytes a row, O(k d), and the budget. Never n x n, never n x k, never a copy of x.
#include "lloyd/metrics.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <vector>

#include "memory/ledger.hpp"
#include "support/data.hpp"

namespace lloyd::test {
namespace {

[[nodiscard]] std::vector<Label> labels_of(Index n, Index k) {
  std::vector<Label> labels;
  for (Index i = 0; i < n; ++i) labels.push_back(static_cast<Label>(i * i % k));
  return labels;
}

/// `of_a_row` bytes a row, 512 a cluster, eight doubles a column and cluster, and the budget.
[[nodiscard]] std::int64_t allowed(Index n, Index d, Index k, Index of_a_row, std::size_t budget) {
  constexpr Index fixed = 1 << 16;
  return of_a_row * n + k * (512 + 64 * d) + static_cast<Index>(budget) + fixed;
}

// n x n doubles would take 1.2 GB, n x k sums 19 MB, a copy of x in double 0.8 MB.
TEST(MetricMemory, Silhouettes) {
  constexpr Index n = 12000, d = 8;
  const auto x = uniform_rows<float>(n, d, 1);
  for (const Index k : {4, 100}) {
    const auto labels = labels_of(n, k);
    for (const std::size_t budget : {std::size_t{1} << 17, std::size_t{1} << 26}) {
      double score = 0;
      const auto peak =
          peak_of([&] { score = silhouette_score(x, labels, {.n_threads = 2, .memory_budget = budget}); });
      const auto most = allowed(n, d, k, 40, budget);
      EXPECT_LE(peak, most);
      EXPECT_LT(score, 0.5);
      std::cout << "n " << n << ", d " << d << ", k " << k << ", budget " << budget << ": peak " << peak << ", allowed "
                << most << " bytes\n";
    }
  }
}

TEST(MetricMemory, DispersionAndAgreement) {
  constexpr Index n = 200000, d = 5, k = 50;
  const auto x = uniform_rows<float>(n, d, 2);
  const auto labels = labels_of(n, k), others = labels_of(n, 7);
  const auto c = uniform_rows<float>(k, d, 3);
  constexpr std::size_t budget = 1 << 16;
  const MetricOptions options{.n_threads = 2, .memory_budget = budget};
  EXPECT_LE(peak_of([&] { (void)calinski_harabasz_score(x, labels, options); }), allowed(n, d, k, 20, budget));
  EXPECT_LE(peak_of([&] { (void)davies_bouldin_score(x, labels, options); }), allowed(n, d, k, 20, budget));
  EXPECT_LE(peak_of([&] { (void)simplified_silhouette(x, c, labels, options); }), allowed(n, d, k, 0, 0));
  EXPECT_LE(peak_of([&] { (void)adjusted_rand_score(labels, others); }), allowed(n, d, k, 20, 0));
  EXPECT_LE(peak_of([&] { (void)normalized_mutual_info_score(labels, others); }), allowed(n, d, k, 20, 0));
  EXPECT_LE(peak_of([&] { (void)match_labels(labels, others); }), allowed(n, d, k, 28, 0));
}

}  // namespace
}  // namespace lloyd::test
