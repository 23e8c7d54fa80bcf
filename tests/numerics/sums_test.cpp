// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lloyd/kmeans/survey.hpp"
#include "support/data.hpp"
#include "support/exact.hpp"

namespace lloyd::test {
namespace {

using detail::LimbSum;
using detail::Quanta;
using detail::SumsShape;
using detail::SumsView;

constexpr Index k = 5;

/// Rows, weights scaled as a fit scales them, labels, and what a survey of them says.
template <Real T>
struct Case {
  Matrix<T> x;
  std::vector<double> w;  // empty: all ones
  std::vector<Label> labels;
  Quanta quanta;

  [[nodiscard]] double weight(Index i) const { return w.empty() ? 1.0 : w[static_cast<std::size_t>(i)]; }
  [[nodiscard]] Label label(Index i) const { return labels[static_cast<std::size_t>(i)]; }
  [[nodiscard]] SumsShape shape() const { return {k, x.cols(), quanta}; }
};

/// `power`: values of 2^-power .. 2^power; w_power the same for weights, negative: none.
template <Real T>
Case<T> make_case(Index n, Index d, int power, int w_power, std::uint64_t seed) {
  Case<T> c{mixed_scales<T>(n, d, seed, power), {}, {}, {}};
  Random random(seed + 1);
  detail::Survey survey(d);
  for (Index i = 0; i < n; ++i) {
    c.labels.push_back(static_cast<Label>(random.below(k)));
    for (Index q = 0; q < d; ++q) {
      if (random.below(20) == 0) c.x(i, q) = 0;
      detail::Survey::see(survey.maxima(), d, q, static_cast<double>(c.x(i, q)));
    }
    if (w_power < 0) continue;
    const auto e = static_cast<int>(random.between(-w_power, w_power));
    c.w.push_back(random.below(10) == 0 ? 0 : std::ldexp(random.uniform(1, 2), e));
    detail::Survey::see_weight(survey.maxima(), c.w.back());
  }
  for (double& w : c.w) w = std::ldexp(w, -survey.weight_exponent());
  c.quanta = detail::choose_quanta(n, survey.columns(std::numeric_limits<T>::digits, detail::lowest_bit<T>));
  return c;
}

/// The sums of rows in a given order.
template <Real T>
std::vector<std::int64_t> add_rows(const Case<T>& c, const std::vector<Index>& order) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(c.shape().size()), 0);
  const SumsView sums(values, c.shape());
  for (const Index i : order) detail::add_row(c.x.row(i), c.weight(i), 1, c.label(i), c.quanta, sums);
  return values;
}

/// The exact value of a sum of limbs.
Exact value_of(const LimbSum& sum) {
  Exact value;
  for (int l = 0; l < sum.limbs; ++l) {
    const int e = sum.exponent - sum.bits * l, half = e / 2;
    value.add(std::ldexp(static_cast<double>(sum[l] >> 32) * 0x1p32, half), std::ldexp(1, e - half));
    value.add(std::ldexp(static_cast<double>(sum[l] & 0xffffffff), half), std::ldexp(1, e - half));
  }
  return value;
}

/// Every sum is that of its rows, without any rounding.
template <Real T>
void expect_exact(const Case<T>& c, std::vector<std::int64_t>& values) {
  const SumsView sums(values, c.shape());
  for (Label j = 0; j < k; ++j) {
    Index size = 0, occupancy = 0;
    Exact weight;
    std::vector<Exact> direct(static_cast<std::size_t>(c.x.cols()));
    for (Index i = 0; i < c.x.rows(); ++i) {
      if (c.label(i) != j) continue;
      ++size;
      occupancy += c.weight(i) > 0 ? 1 : 0;
      weight.add(c.weight(i));
      for (Index q = 0; q < c.x.cols(); ++q)
        direct[static_cast<std::size_t>(q)].add(c.weight(i), static_cast<double>(c.x(i, q)));
    }
    ASSERT_EQ(sums.cluster_size(j), size);
    ASSERT_EQ(sums.occupancy(j), occupancy);
    weight.add_scaled(value_of(sums.weight(c.quanta, j)), -1);
    ASSERT_EQ(weight.sign(), 0) << "weight of cluster " << j;
    for (Index q = 0; q < c.x.cols(); ++q) {
      Exact& rest = direct[static_cast<std::size_t>(q)];
      rest.add_scaled(value_of(sums.sum(c.quanta, j, q)), -1);
      ASSERT_EQ(rest.sign(), 0) << "cluster " << j << ", column " << q << ", " << c.quanta.limbs << " limbs";
    }
  }
}

template <class T>
class Sums : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Sums, Scalars);

/// Scales that need 1, 2, .. limbs, with weights and without.
template <Real T, class Use>
void for_each_scale(const Use& use) {
  std::vector<bool> met(Quanta::most_limbs + 1, false);
  for (const int w_power : {-1, 0, 10, 40})
    for (const int power : {0, 10, 20, 40, 60, 75, 100, 115}) {
      const auto c = make_case<T>(300, 3, power, w_power, static_cast<std::uint64_t>(power + 1000 * (w_power + 1)));
      // 300 rows leave 52 bits a limb. Beyond six limbs the last rounds: that is another test.
      const int product_digits = (w_power < 0 ? 1 : 2) * 53 + (w_power < 0 ? 0 : 2 * w_power + 1);
      if (2 * power + 1 + product_digits > 6 * c.quanta.bits) continue;
      met[static_cast<std::size_t>(c.quanta.limbs)] = true;
      use(c);
    }
  for (std::size_t limbs = std::is_same_v<T, float> ? 1 : 2; limbs < met.size(); ++limbs)
    EXPECT_TRUE(met[limbs]) << "no case of " << limbs << " limbs";
}

TYPED_TEST(Sums, AreExactAtEveryNumberOfLimbs) {
  for_each_scale<TypeParam>([](const Case<TypeParam>& c) {
    auto values = add_rows(c, permutation(c.x.rows(), 0));
    expect_exact(c, values);
  });
}

TYPED_TEST(Sums, AnyOrderAndAnySplitGiveTheSameIntegers) {
  for_each_scale<TypeParam>([](const Case<TypeParam>& c) {
    const auto expected = add_rows(c, permutation(c.x.rows(), 1));
    for (std::uint64_t seed = 2; seed < 6; ++seed) {
      const auto order = permutation(c.x.rows(), seed);
      ASSERT_EQ(add_rows(c, order), expected);
      const auto middle = order.begin() + static_cast<Index>(seed) * c.x.rows() / 7;
      auto part = add_rows(c, {order.begin(), middle});
      const auto other = add_rows(c, {middle, order.end()});
      for (std::size_t i = 0; i < part.size(); ++i) detail::add_wrapping(part[i], other[i], 1);
      ASSERT_EQ(part, expected);
    }
  });
}

TYPED_TEST(Sums, WhatLeavesWasNeverThere) {
  for_each_scale<TypeParam>([](const Case<TypeParam>& c) {
    auto values = add_rows(c, permutation(c.x.rows(), 7));
    const SumsView sums(values, c.shape());
    for (const Index i : permutation(c.x.rows(), 8))
      detail::add_row(c.x.row(i), c.weight(i), -1, c.label(i), c.quanta, sums);
    ASSERT_EQ(values, std::vector<std::int64_t>(values.size(), 0));
  });
}

TYPED_TEST(Sums, LimbsMayWrapOnTheWay) {
  for_each_scale<TypeParam>([](const Case<TypeParam>& c) {
    const auto order = permutation(c.x.rows(), 9);
    const auto expected = add_rows(c, order);
    auto values = expected;
    // 2^20 times too many rows came (the integers wrapped), and then they left again.
    for (int doubling = 0; doubling < 20; ++doubling)
      for (auto& value : values) detail::add_wrapping(value, value, 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::int64_t extra = expected[i];
      for (int doubling = 0; doubling < 20; ++doubling) {
        detail::add_wrapping(values[i], extra, -1);
        detail::add_wrapping(extra, extra, 1);
      }
    }
    ASSERT_EQ(values, expected);
  });
}

TYPED_TEST(Sums, MovedRowsAreThoseOfTheNewLabels) {
  for_each_scale<TypeParam>([](const Case<TypeParam>& c) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(c.shape().size()), 0);
    const SumsView sums(values, c.shape());
    Random random(10);
    std::vector<Label> labels(c.labels.size(), -1);
    for (int round = 0; round < 4; ++round)
      for (Index i = 0; i < c.x.rows(); ++i) {
        Label& own = labels[static_cast<std::size_t>(i)];
        const auto to = round == 3 ? c.label(i) : static_cast<Label>(random.below(k));
        if (to != own) detail::move_row(c.x.row(i), c.weight(i), own, to, c.quanta, sums);
        own = to;
      }
    EXPECT_GT(sums.changed(), c.x.rows());
    sums.changed() = 0;
    ASSERT_EQ(values, add_rows(c, permutation(c.x.rows(), 11)));
  });
}

TEST(SumsOfDoubles, BeyondSixLimbsATermRoundsOnceInTheLast) {
  const auto c = make_case<double>(300, 3, 300, -1, 12);
  ASSERT_EQ(c.quanta.limbs, Quanta::most_limbs);
  auto values = add_rows(c, permutation(c.x.rows(), 13));
  ASSERT_EQ(values, add_rows(c, permutation(c.x.rows(), 14))) << "rounded, but still in any order";
  const SumsView sums(values, c.shape());
  int rounded = 0;
  for (Label j = 0; j < k; ++j)
    for (Index q = 0; q < c.x.cols(); ++q) {
      const auto at = static_cast<std::size_t>(q);
      const double last = std::ldexp(1, c.quanta.exponent[at] - c.quanta.bits * (c.quanta.limbs - 1));
      Exact rest;
      rest.add_scaled(value_of(sums.sum(c.quanta, j, q)), -1);
      for (Index i = 0; i < c.x.rows(); ++i) {
        if (c.label(i) != j) continue;
        const double nearest = std::nearbyint(c.x(i, q) / last) * last;
        rounded += nearest != c.x(i, q) ? 1 : 0;
        rest.add(nearest);
      }
      ASSERT_EQ(rest.sign(), 0) << "cluster " << j << ", column " << q;
    }
  EXPECT_GT(rounded, 100);
}

TEST(SumsShape, LaysOutWhatItSays) {
  Quanta quanta = detail::choose_quanta(100, {{1, -100}, {1, 0}, {1, 0}});
  const SumsShape plain(4, 3, quanta), weighted(4, 2, quanta);
  EXPECT_FALSE(plain.weighted());
  EXPECT_TRUE(weighted.weighted());
  EXPECT_EQ(plain.size(), 4 * quanta.limbs * 3 + 2 * 4 + 3);
  std::vector<std::int64_t> values(static_cast<std::size_t>(plain.size()), 0);
  const SumsView sums(values, plain);
  std::int64_t next = 1;
  for (Index j = 0; j < 4; ++j)
    for (Index i = 0; i < quanta.limbs * 3; ++i) sums.cluster(j)[i] = next++;
  for (Index j = 0; j < 4; ++j) sums.cluster_size(j) = next++;
  for (Index j = 0; j < 4; ++j) sums.occupancy(j) = next++;
  sums.changed() = next++;
  sums.rechecked() = next++;
  sums.skipped() = next++;
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<std::int64_t>(i) + 1);
  EXPECT_EQ(sums.sum(quanta, 2, 1)[1], sums.cluster(2)[1 * 3 + 1]);
}

}  // namespace
}  // namespace lloyd::test
