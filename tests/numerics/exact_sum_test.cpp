// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "support/data.hpp"
#include "support/exact.hpp"

namespace lloyd::test {
namespace {

using detail::ExactSum;

double hostile(Random& random, int least, int most) {
  const auto e = static_cast<int>(random.between(least, most));
  return std::ldexp(random.uniform(1, 2), e) * (random.flip() ? 1 : -1);
}

std::vector<double> hostile_terms(std::size_t count, std::uint64_t seed, int least = -1080, int most = 1000) {
  Random random(seed);
  std::vector<double> terms(count);
  for (double& x : terms) x = hostile(random, least, most);
  return terms;
}

double sum_of(const std::vector<double>& terms) {
  ExactSum sum;
  for (const double x : terms) sum.add(x);
  return sum.value();
}

void shuffle(std::vector<double>& terms, std::uint64_t seed) {
  const auto order = permutation(static_cast<Index>(terms.size()), seed);
  std::vector<double> from = terms;
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = from[static_cast<std::size_t>(order[i])];
}

TEST(ExactSum, AMillionTermsOfHostileExponentsAgainstAWideInteger) {
  const auto terms = hostile_terms(1000000, 5);
  ExactSum sum;
  Exact exact;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    sum.add(terms[i]);
    exact.add(terms[i]);
    if (i < 1000 || i % 1000 == 0) {
      ASSERT_TRUE(is_rounded(sum.value(), exact)) << "after " << i + 1 << " terms: " << sum.value();
    }
  }
  ASSERT_TRUE(is_rounded(sum.value(), exact));
}

TEST(ExactSum, EveryShortSumIsRoundedOnce) {
  Random random(6);
  int subnormal = 0, negative = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    // Terms of exponents near each other cancel and tie; a term far below them decides ties.
    const int base = static_cast<int>(random.between(-1074, 900)), width = repeat % 2 == 0 ? 3 : 60;
    ExactSum sum;
    Exact exact;
    for (Index i = random.between(1, 6); i > 0; --i) {
      const double x = hostile(random, std::max(base - width, -1078), base + width);
      sum.add(x);
      exact.add(x);
    }
    const double value = sum.value();
    ASSERT_TRUE(is_rounded(value, exact)) << value;
    subnormal += value != 0 && std::fabs(value) < std::numeric_limits<double>::min() ? 1 : 0;
    negative += value < 0 ? 1 : 0;
  }
  EXPECT_GT(subnormal, 50);
  EXPECT_GT(negative, 5000);
}

TEST(ExactSum, TiesGoToEven) {
  const auto sum = [](double a, double b, double c) { return sum_of({a, b, c}); };
  EXPECT_EQ(sum(1, 0x1p-53, 0), 1.0);
  EXPECT_EQ(sum(1, 0x1p-53, 0x1p-1074), 1 + 0x1p-52);
  EXPECT_EQ(sum(1, 0x1p-53, -0x1p-1074), 1.0);
  EXPECT_EQ(sum(1 + 0x1p-52, 0x1p-53, 0), 1 + 0x1p-51);
  EXPECT_EQ(sum(-1, -0x1p-53, -0x1p-1074), -1 - 0x1p-52);
  EXPECT_EQ(sum(0x1p1000, 1, -0x1p1000), 1.0);
  EXPECT_EQ(sum(std::numeric_limits<double>::max(), std::numeric_limits<double>::max(), 0),
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(
      sum(std::numeric_limits<double>::max(), std::numeric_limits<double>::max(), -std::numeric_limits<double>::max()),
      std::numeric_limits<double>::max());
}

TEST(ExactSum, CancelsToZero) {
  auto terms = hostile_terms(50000, 7);
  ExactSum sum;
  for (const double x : terms) sum.add(x);
  shuffle(terms, 8);
  for (const double x : terms) sum.subtract(x);
  EXPECT_EQ(sum.value(), 0.0);
  EXPECT_FALSE(std::signbit(sum.value()));
  sum.add(std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(sum.value(), std::numeric_limits<double>::denorm_min()) << "nothing else was left behind";
  EXPECT_EQ(ExactSum().value(), 0.0);
  ExactSum zeros;
  zeros.add(-0.0);
  EXPECT_FALSE(std::signbit(zeros.value()));
}

TEST(ExactSum, OrderDoesNotMatter) {
  auto terms = hostile_terms(20000, 9);
  const double expected = sum_of(terms);
  for (std::uint64_t seed = 10; seed < 15; ++seed) {
    shuffle(terms, seed);
    ASSERT_EQ(sum_of(terms), expected);
  }
  std::sort(terms.begin(), terms.end());
  ASSERT_EQ(sum_of(terms), expected);
}

TEST(ExactSum, PartsMergeInAnyOrder) {
  const auto terms = hostile_terms(20000, 16);
  const double expected = sum_of(terms);
  Random random(17);
  for (std::size_t count = 1; count <= 9; ++count) {
    std::vector<ExactSum> parts(count);
    for (const double x : terms) parts[static_cast<std::size_t>(random.below(static_cast<Index>(count)))].add(x);
    ExactSum merged;
    for (const Index part : permutation(static_cast<Index>(count), count))
      merged.merge(parts[static_cast<std::size_t>(part)]);
    ASSERT_EQ(merged.value(), expected) << count << " parts";
    // As ranks exchange them: bins of one added to those of another.
    ExactSum shared;
    const auto bins = shared.exchange();
    for (ExactSum& part : parts) {
      const auto other = part.exchange();
      std::transform(bins.begin(), bins.end(), other.begin(), bins.begin(), std::plus<>());
    }
    ASSERT_EQ(shared.value(), expected) << count << " ranks";
  }
}

TEST(ExactSum, CarriesBeforeABinCanOverflow) {
  // Twice itself, time after time: 2^60 terms, of every position in a bin and every bit set.
  for (int position = 0; position < 32; ++position)
    for (const double sign : {1.0, -1.0}) {
      const double x = sign * std::ldexp(2 - 0x1p-52, position);
      ExactSum sum;
      sum.add(x);
      for (int doubling = 1; doubling <= 60; ++doubling) {
        const ExactSum copy = sum;
        sum.merge(copy);
        ASSERT_EQ(sum.value(), std::ldexp(x, doubling)) << doubling;
        ExactSum one_more = sum;
        one_more.add(x);  // a term at every number of terms pending
        one_more.subtract(std::ldexp(x, doubling));
        ASSERT_EQ(one_more.value(), x) << doubling;
      }
    }
}

TEST(ExactSum, MergesItself) {
  ExactSum sum;
  sum.add(3);
  for (int doubling = 1; doubling <= 40; ++doubling) {
    sum.merge(sum);
    ASSERT_EQ(sum.value(), std::ldexp(3, doubling));
  }
}

TEST(ExactSum, ProductsAreExact) {
  Random random(18);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    ExactSum sum;
    Exact exact;
    for (Index i = random.between(1, 40); i > 0; --i) {
      // w x keeps its lowest bit above 2^-1074: (-450 - 52) * 2 = -1004.
      const double w = std::fabs(hostile(random, -450, 400)), x = hostile(random, -450, 400);
      const bool leaves = random.flip();
      sum.add_product(w, x, leaves ? -1 : 1);
      exact.add(w, leaves ? -x : x);
    }
    ASSERT_TRUE(is_rounded(sum.value(), exact)) << sum.value();
  }
}

TEST(ExactSum, AProductThatLeavesIsGone) {
  Random random(19);
  std::vector<std::pair<double, double>> terms;
  for (int i = 0; i < 10000; ++i) terms.emplace_back(std::fabs(hostile(random, -600, 400)), hostile(random, -600, 400));
  ExactSum sum;
  for (const auto& [w, x] : terms) sum.add_product(w, x);
  for (const auto& [w, x] : terms) sum.add_product(w, x, -1);
  EXPECT_EQ(sum.value(), 0.0);
}

TEST(ExactSum, SubnormalsAndTheLargest) {
  const double least = std::numeric_limits<double>::denorm_min(), most = std::numeric_limits<double>::max();
  EXPECT_EQ(sum_of({least, least, least}), 3 * least);
  EXPECT_EQ(sum_of({most, least, -most}), least);
  EXPECT_EQ(sum_of({-most, least}), -most);
  EXPECT_EQ(sum_of({std::numeric_limits<double>::min(), -least}), std::numeric_limits<double>::min() - least);
}

TEST(ExactSum, WhatIsNotFiniteDecidesTheValue) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(sum_of({1, infinity, -5}), infinity);
  EXPECT_EQ(sum_of({1, -infinity, -infinity}), -infinity);
  EXPECT_TRUE(std::isnan(sum_of({infinity, 1, -infinity})));
  EXPECT_TRUE(std::isnan(sum_of({nan, 1})));
  EXPECT_TRUE(std::isnan(sum_of({-nan})));
  ExactSum sum;
  sum.subtract(infinity);
  EXPECT_EQ(sum.value(), -infinity);
  ExactSum products, other;
  products.add_product(2, 3);
  products.add_product(0, infinity);
  products.add_product(0, nan);
  EXPECT_EQ(products.value(), 6) << "a weight of 0 adds nothing";
  other.add_product(0.1, infinity);
  products.merge(other);
  EXPECT_EQ(products.value(), infinity);
  // As ranks exchange them.
  ExactSum shared;
  shared.add(-7);
  const auto bins = shared.exchange(), more = other.exchange();
  std::transform(bins.begin(), bins.end(), more.begin(), bins.begin(), std::plus<>());
  EXPECT_EQ(shared.value(), infinity);
  products.add_product(1, nan, -1);
  EXPECT_TRUE(std::isnan(products.value()));
}

// A power of two that makes the sum subnormal is part of the one rounding.
TEST(ExactSum, IsRoundedOnceBeyondAPowerOfTwo) {
  ExactSum sum;
  sum.add(2.5);
  sum.add(0x1p-60);
  EXPECT_EQ(sum.value(), 2.5);
  EXPECT_EQ(sum.value(-1074), 3 * 0x1p-1074);
  EXPECT_EQ(sum.value(-1076), 0x1p-1074) << "0.625 units";
  EXPECT_EQ(sum.value(-1078), 0);
  EXPECT_EQ(sum.value(1000), 2.5 * 0x1p1000);
  EXPECT_EQ(sum.value(1023), std::numeric_limits<double>::infinity());
  sum.subtract(2.5);
  sum.subtract(0x1p-60);
  EXPECT_EQ(sum.value(-1074), 0);
}

}  // namespace
}  // namespace lloyd::test
