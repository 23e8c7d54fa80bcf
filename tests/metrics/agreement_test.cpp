// SPDX-License-Identifier: MIT
// Two labellings of the same rows: laws, values by hand, and the best matching against all permutations.
// scikit-learn's values are in tests/oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "lloyd/metrics.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"

namespace lloyd::test {
namespace {

using Labels = std::vector<Label>;

[[nodiscard]] Labels random_labels(Index n, Index k, Random& random) {
  Labels labels;
  for (Index i = 0; i < n; ++i) labels.push_back(static_cast<Label>(random.below(k)));
  return labels;
}

TEST(Agreement, ByHand) {
  const Labels reference = {0, 0, 0, 1, 1, 1}, labels = {0, 0, 1, 1, 2, 2};
  // Together in both: 2 of 15 pairs; in the one 6, in the other 3: (2 - 6*3/15) / ((6 + 3)/2 - 6*3/15).
  EXPECT_DOUBLE_EQ(adjusted_rand_score(reference, labels), 0.8 / 3.3);
  // H = 1 bit and log2(3) bits, I = 2/3 bit.
  EXPECT_DOUBLE_EQ(normalized_mutual_info_score(reference, labels), 2 * (2.0 / 3) / (1 + std::log2(3.0)));
}

TEST(Agreement, WithTheSameClustersIsOneToTheBit) {
  Random random(1);
  for (int times = 0; times < 100; ++times) {
    const Labels labels = random_labels(1 + random.below(200), 1 + random.below(12), random);
    Labels renamed;
    for (const Label label : labels) renamed.push_back(1000 - 7 * label);
    EXPECT_EQ(adjusted_rand_score(labels, renamed), 1);
    EXPECT_EQ(normalized_mutual_info_score(labels, renamed), 1);
    const auto match = match_labels(labels, renamed);
    EXPECT_EQ(match.labels, labels);
    EXPECT_EQ(match.n_equal, static_cast<Index>(labels.size()));
  }
}

TEST(Agreement, OfIndependentLabelsIsNothing) {
  const Labels rows = {0, 0, 0, 1, 1, 1, 2, 2, 2}, columns = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  EXPECT_EQ(normalized_mutual_info_score(rows, columns), 0);
  EXPECT_LT(adjusted_rand_score(rows, columns), 0);
  const Labels one(9, 4);
  EXPECT_EQ(normalized_mutual_info_score(rows, one), 0);
  EXPECT_EQ(adjusted_rand_score(rows, one), 0);
  EXPECT_EQ(adjusted_rand_score(one, one), 1);
  EXPECT_EQ(adjusted_rand_score(Labels{5}, Labels{3}), 1);
}

TEST(Agreement, IsTheSameFromBothSides) {
  Random random(2);
  for (int times = 0; times < 200; ++times) {
    const Index n = 2 + random.below(300);
    const Labels a = random_labels(n, 1 + random.below(20), random), b = random_labels(n, 1 + random.below(9), random);
    EXPECT_EQ(adjusted_rand_score(a, b), adjusted_rand_score(b, a));
    EXPECT_EQ(normalized_mutual_info_score(a, b), normalized_mutual_info_score(b, a));
    EXPECT_EQ(match_labels(a, b).n_equal, match_labels(b, a).n_equal);
  }
}

/// Products of numbers of pairs beyond 64 bits, all powers of two.
TEST(Agreement, OfManyRows) {
  const Index n = Index{1} << 22;
  Labels a(static_cast<std::size_t>(n)), b(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i)
    a[static_cast<std::size_t>(i)] = static_cast<Label>(i & 1),
    b[static_cast<std::size_t>(i)] = static_cast<Label>(i & 3);
  const double pairs = 0x1p43 - 0x1p21, in_a = 0x1p42 - 0x1p21, in_b = 0x1p41 - 0x1p21;
  EXPECT_NEAR(adjusted_rand_score(a, b), (in_b - in_a * in_b / pairs) / ((in_a + in_b) / 2 - in_a * in_b / pairs),
              1e-15);
  EXPECT_DOUBLE_EQ(normalized_mutual_info_score(a, b), 2.0 / 3);
}

TEST(Agreement, TheLogarithmIsAccurateToTheLastBits) {
  Random random(3);
  double worst = 0;
  for (int times = 0; times < 200000; ++times) {
    const auto any = [&] { return static_cast<detail::UInt128>(random.bits() >> random.below(63) | 1); };
    const detail::UInt128 p = any(), q = times % 2 == 0 ? any() : p + static_cast<detail::UInt128>(random.below(1000));
    const auto pl = static_cast<long double>(p), ql = static_cast<long double>(q);
    const bool close = std::fabs(pl - ql) < ql / 4;
    const long double right = close ? std::log1p((pl - ql) / ql) / std::log(2.0L) : std::log2(pl / ql);
    const long double error = std::fabs(static_cast<long double>(detail::log2_of_ratio(p, q)) - right);
    if (right != 0) worst = std::max(worst, static_cast<double>(error / std::fabs(right)));
    if (p == q) {
      EXPECT_EQ(detail::log2_of_ratio(p, q), 0);
    }
  }
  std::cout << "worst relative error " << worst * 0x1p53 << " u\n";
  EXPECT_LT(worst, 0x1p-50);
}

TEST(MatchLabels, IsTheBestOfAllPermutations) {
  Random random(4);
  for (int times = 0; times < 300; ++times) {
    const Index n = 1 + random.below(40), k = 1 + random.below(6), m = 1 + random.below(6);
    const Labels reference = random_labels(n, k, random), labels = random_labels(n, m, random);
    std::vector<Label> names(static_cast<std::size_t>(std::max(k, m)));
    std::iota(names.begin(), names.end(), 0);
    Index best = 0;
    do {
      Index equal = 0;
      for (std::size_t i = 0; i < labels.size(); ++i)
        equal += names[static_cast<std::size_t>(labels[i])] == reference[i] ? 1 : 0;
      best = std::max(best, equal);
    } while (std::next_permutation(names.begin(), names.end()));

    const auto match = match_labels(reference, labels);
    EXPECT_EQ(match.n_equal, best);
    Index equal = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) equal += match.labels[i] == reference[i] ? 1 : 0;
    EXPECT_EQ(equal, best);
    ASSERT_EQ(match.from.size(), match.to.size());
    EXPECT_TRUE(std::is_sorted(match.from.begin(), match.from.end()));
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto at = std::lower_bound(match.from.begin(), match.from.end(), labels[i]) - match.from.begin();
      EXPECT_EQ(match.to[static_cast<std::size_t>(at)], match.labels[i]);
    }
    Labels to = match.to;
    std::sort(to.begin(), to.end());
    EXPECT_EQ(std::adjacent_find(to.begin(), to.end()), to.end()) << "two clusters have one name";
  }
}

/// 400 clusters under other names, a third of the rows elsewhere.
TEST(MatchLabels, FindsAPlantedPermutation) {
  Random random(5);
  const auto names = permutation(400, 6);
  Labels reference = random_labels(40000, 400, random), labels;
  for (const Label label : reference)
    labels.push_back(
        static_cast<Label>(random.below(3) == 0 ? random.below(400) : names[static_cast<std::size_t>(label)]));
  const auto match = match_labels(reference, labels);
  for (std::size_t j = 0; j < 400; ++j) EXPECT_EQ(names[static_cast<std::size_t>(match.to[j])], match.from[j]);
}

TEST(MatchLabels, GivesNewNamesToWhatHasNoPartner) {
  const auto match = match_labels(Labels{0, 0, 2, 2, 2}, Labels{9, 9, 8, 8, 7});
  EXPECT_EQ(match.labels, (Labels{0, 0, 2, 2, 1}));
  EXPECT_EQ(match.from, (Labels{7, 8, 9}));
  EXPECT_EQ(match.to, (Labels{1, 2, 0}));
  EXPECT_EQ(match.n_equal, 4);
}

TEST(Agreement, Refusals) {
  const Labels three = {0, 1, 1}, two = {0, 1}, none;
  EXPECT_EQ(refusal_of([&] { (void)adjusted_rand_score(three, two); }),
            "lloyd::adjusted_rand_score: 2 labels against 3, expected as many");
  EXPECT_EQ(refusal_of([&] { (void)normalized_mutual_info_score(two, three); }),
            "lloyd::normalized_mutual_info_score: 3 labels against 2, expected as many");
  EXPECT_EQ(refusal_of([&] { (void)match_labels(none, none); }), "lloyd::match_labels: there are no labels");
}

}  // namespace
}  // namespace lloyd::test
