// SPDX-License-Identifier: MIT
/// @file
/// Do counts come from a distribution? Pearson's test.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace lloyd::test {

/// What chi-square of so many degrees of freedom exceeds with probability 1e-5 (Wilson, Hilferty 1931).
[[nodiscard]] inline double chi_square_limit(double degrees) {
  const double z = 4.265, part = 2 / (9 * degrees), root = 1 - part + z * std::sqrt(part);
  return degrees * root * root * root;
}

/// Fails unless the counts are such as probabilities `p` (which need not add up to 1) give. An outcome of probability 0
/// must not occur. Every expected count has to be at least 5, or the test says nothing.
inline void expect_drawn_from(const std::vector<double>& p, const std::vector<long>& counts) {
  ASSERT_EQ(p.size(), counts.size());
  const double total = std::accumulate(p.begin(), p.end(), 0.0);
  const double draws = static_cast<double>(std::accumulate(counts.begin(), counts.end(), 0L));
  double statistic = 0, degrees = -1;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double expected = draws * p[i] / total, seen = static_cast<double>(counts[i]);
    if (p[i] == 0) {
      EXPECT_EQ(counts[i], 0) << "outcome " << i << " is impossible";
      continue;
    }
    ASSERT_GE(expected, 5) << "outcome " << i << ": too few draws";
    statistic += (seen - expected) * (seen - expected) / expected;
    ++degrees;
  }
  EXPECT_LT(statistic, chi_square_limit(degrees)) << degrees << " degrees of freedom";
}

/// The same for one outcome that occurred `times` in `draws`, each with probability p.
inline void expect_happens(double p, long times, long draws) { expect_drawn_from({p, 1 - p}, {times, draws - times}); }

}  // namespace lloyd::test
