// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/quotient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <vector>

#include "lloyd/cpu/quick_quotient.hpp"
#include "support/data.hpp"
#include "support/exact.hpp"

namespace lloyd::test {
namespace {

using detail::LimbSum;

/// A sum of limbs that owns them.
struct Limbs {
  std::vector<std::int64_t> limb;
  int bits = 0, exponent = 0;

  [[nodiscard]] LimbSum sum() const { return {limb.data(), 1, static_cast<int>(limb.size()), bits, exponent}; }
  [[nodiscard]] Exact value() const {
    Exact value;
    for (std::size_t l = 0; l < limb.size(); ++l) {
      const int e = exponent - bits * static_cast<int>(l), half = e / 2;
      value.add(std::ldexp(static_cast<double>(limb[l] >> 32) * 0x1p32, half), std::ldexp(1, e - half));
      value.add(std::ldexp(static_cast<double>(limb[l] & 0xffffffff), half), std::ldexp(1, e - half));
    }
    return value;
  }
};

Limbs whole(std::int64_t value) { return {{value}, 0, 0}; }

/// How a quotient is found: by two doubles unless it lies too near the middle between two T (Ziv's test).
enum class Path { fast, slow, either };

/// |value| < |other| 2^-bits
bool is_below(const Exact& value, const Exact& other, int bits) {
  Exact rest;
  rest.add_scaled(value, value.sign() < 0 ? -std::ldexp(1, bits) : std::ldexp(1, bits));
  rest.add_scaled(other, other.sign() < 0 ? 1 : -1);
  return rest.sign() < 0;
}

/// From the definition: how near sum / weight is to the middle between `value` and its neighbours. Two doubles are good
/// for 2^-88 (and a float's middle is only looked for within 2^-50), so well inside of it the slow path is certain, and
/// well outside the fast one.
template <Real T>
Path path_of(T value, const Exact& sum, const Exact& weight) {
  if (value == 0 || std::fabs(static_cast<double>(value)) < 0x1p-900) return Path::either;
  bool fast = true;
  for (const T end : {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity()}) {
    Exact rest;
    rest.add_scaled(sum, 2);
    rest.add_scaled(weight, -static_cast<double>(value));
    rest.add_scaled(weight, -static_cast<double>(std::nextafter(value, end)));
    if (is_below(rest, sum, 90)) return Path::slow;
    fast = fast && !is_below(rest, sum, std::is_same_v<T, float> ? 44 : 84);
  }
  return fast ? Path::fast : Path::either;
}

/// Counts what was met, so that a test cannot pass without both paths.
struct Met {
  int fast = 0, slow = 0, subnormal = 0;
};

template <Real T>
void check(const Limbs& sum, const Limbs& weight, Met& met) {
  const Exact n = sum.value(), m = weight.value();
  const T exact = detail::exact_quotient<T>(sum.sum(), weight.sum());
  ASSERT_TRUE(is_rounded_quotient(exact, n, m)) << exact;
  const T value = detail::quotient<T>(sum.sum(), weight.sum());
  ASSERT_EQ(value, exact);
  ASSERT_EQ(std::signbit(value), std::signbit(exact)) << "the bits, also of a zero";
  const T quick = cpu::QuickQuotient<T>(weight.sum()).of(sum.sum());
  ASSERT_EQ(quick, exact);
  ASSERT_EQ(std::signbit(quick), std::signbit(exact));
  const Path path = path_of(value, n, m);
  met.fast += path == Path::fast ? 1 : 0;
  met.slow += path == Path::slow ? 1 : 0;
  met.subnormal += value != 0 && std::fabs(value) < std::numeric_limits<T>::min() ? 1 : 0;
}

template <class T>
class Quotient : public testing::Test {
 protected:
  void TearDown() override {
    std::cout << "  met " << met.fast << " fast, " << met.slow << " slow, " << met.subnormal << " subnormal\n";
  }
  Met met;
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Quotient, Scalars);

/// Limbs as n rows leave them: below 2^61 each, of either sign, some of them zero.
Limbs random_limbs(Random& random, int limbs, int bits, int exponent, bool positive = false) {
  Limbs result{{}, bits, exponent};
  for (int l = 0; l < limbs; ++l) {
    const auto size = static_cast<std::int64_t>(random.bits() >> (3 + random.below(60)));
    result.limb.push_back(random.below(4) == 0 ? 0 : (random.flip() ? size : -size));
  }
  if (positive) result.limb[0] = (result.limb[0] < 0 ? -result.limb[0] : result.limb[0]) + 2;
  if (positive && bits < 62)  // so that what follows cannot make it negative
    for (std::size_t l = 1; l < result.limb.size(); ++l) result.limb[l] %= std::int64_t{1} << bits;
  return result;
}

TYPED_TEST(Quotient, IsTheQuotientRoundedOnceWhateverTheLimbs) {
  Random random(41);
  const bool is_float = std::is_same_v<TypeParam, float>;
  for (int repeat = 0; repeat < 6000; ++repeat) {
    const int limbs = 1 + repeat % 6, bits = static_cast<int>(random.between(21, 61));
    const auto exponent = static_cast<int>(is_float ? random.between(-160, 60) : random.between(-1000, 430));
    const auto sum = random_limbs(random, limbs, bits, exponent);
    check<TypeParam>(sum, whole(random.between(1, Index{1} << random.below(40))), this->met);
    const auto weight = random_limbs(random, limbs, bits, static_cast<int>(random.between(-61, -1)), true);
    if (this->HasFatalFailure()) return;
    if (!is_float || exponent < 0) check<TypeParam>(sum, weight, this->met);
    if (this->HasFatalFailure()) return;
  }
  EXPECT_GT(this->met.fast, 1000);
}

TYPED_TEST(Quotient, TiesGoToEven) {
  using Limits = std::numeric_limits<TypeParam>;
  Random random(42);
  int ties = 0;
  for (int repeat = 0; repeat < 4000; ++repeat) {
    // The mean of two neighbours m 2^e and (m + 1) 2^e is a tie; their sum times any weight still is.
    const int digits = Limits::digits, e = static_cast<int>(random.between(-60, 20));
    const Index m = random.between(Index{1} << (digits - 1), (Index{1} << digits) - 1);
    const Index factor = random.between(1, 30) * (random.flip() ? 1 : -1);
    const Limbs sum{{(2 * m + 1) * factor}, 60, e};
    const Limbs weight = whole(2 * std::abs(factor));
    check<TypeParam>(sum, weight, this->met);
    if (this->HasFatalFailure()) return;
    const double even = std::ldexp(static_cast<double>(m % 2 == 0 ? m : m + 1), e);
    ASSERT_EQ(static_cast<double>(detail::quotient<TypeParam>(sum.sum(), weight.sum())), factor < 0 ? -even : even);
    ++ties;
  }
  EXPECT_EQ(this->met.slow, ties) << "a tie cannot be told from near a tie by two doubles";
}

TYPED_TEST(Quotient, NearATieTheLastBitOfTheLastLimbDecides) {
  using Limits = std::numeric_limits<TypeParam>;
  Random random(43);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const std::int64_t odd = 2 * random.between(Index{1} << (Limits::digits - 1), (Index{1} << Limits::digits) - 1) + 1;
    // odd / 2 lies in the middle of two T; the last of six limbs moves it by 2^-120 or less.
    Limbs sum{{odd * 4, 0, 0, 0, 0, random.between(-2, 2)}, 30, 0};
    check<TypeParam>(sum, whole(8), this->met);
    if (this->HasFatalFailure()) return;
    const double below = static_cast<double>(odd / 2);
    const auto value = static_cast<double>(detail::quotient<TypeParam>(sum.sum(), whole(8).sum()));
    if (sum.limb[5] != 0) {
      ASSERT_EQ(value, sum.limb[5] > 0 ? below + 1 : below);
    }
  }
  EXPECT_EQ(this->met.slow, 2000);
}

TYPED_TEST(Quotient, NearATieOfOneOrTwoLimbsAndAnyWeight) {
  using Limits = std::numeric_limits<TypeParam>;
  Random random(46);
  for (int repeat = 0; repeat < 8000; ++repeat) {
    // odd / 2 times a weight, and none or one of the last limb's quanta more or less.
    const std::int64_t odd = 2 * random.between(Index{1} << (Limits::digits - 1), (Index{1} << Limits::digits) - 1) + 1;
    const int spare = 61 - (Limits::digits + 1);
    const std::int64_t weight = random.between(1, Index{1} << random.below(spare)), last = random.between(-1, 1);
    const bool negative = random.flip();
    Limbs sum{{negative ? -odd * weight : odd * weight, last}, static_cast<int>(random.between(21, 60)), 0};
    if (random.flip()) sum = {{sum.limb[0] + last}, 60, 0};
    sum.exponent = static_cast<int>(random.between(-80, 40));
    Limbs by = whole(2 * weight);
    if (random.flip()) by = {{0, 2 * weight}, static_cast<int>(random.between(50, 61)), 0};  // a weight of two limbs
    check<TypeParam>(sum, by, this->met);
    if (this->HasFatalFailure()) return;
  }
  EXPECT_GT(this->met.slow, 1000);
}

TYPED_TEST(Quotient, SubnormalMeans) {
  using Limits = std::numeric_limits<TypeParam>;
  Random random(44);
  for (int repeat = 0; repeat < 4000; ++repeat) {
    // Sums of a few multiples of the smallest subnormal, in the quanta that the survey would choose for them.
    const bool is_float = std::is_same_v<TypeParam, float>;
    const int exponent = is_float ? -149 - 20 : -1021, bits = is_float ? 60 : 53 - static_cast<int>(random.below(20));
    const std::int64_t size = random.below(Index{1} << random.between(1, Limits::digits + 3));
    Limbs sum{{0, random.flip() ? size : -size}, bits, exponent};
    if (is_float) sum = {{sum.limb[1] << 20}, 60, exponent};
    check<TypeParam>(sum, whole(random.between(1, 40)), this->met);
    if (this->HasFatalFailure()) return;
  }
  EXPECT_GT(this->met.subnormal, 1500);
}

TYPED_TEST(Quotient, CancellationBetweenLimbs) {
  Random random(45);
  for (int repeat = 0; repeat < 3000; ++repeat) {
    // Limb 0 and what limb 1 carries into it cancel, down to a few bits of the last limbs.
    const int bits = static_cast<int>(random.between(21, 40));
    const std::int64_t a = random.below(Index{1} << 20);
    Limbs sum{{a, -(a << bits), random.between(-9, 9), random.between(-9, 9), random.between(-99, 99)}, bits, 20};
    check<TypeParam>(sum, whole(random.between(1, 1000)), this->met);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Quotient, ZeroIsPositiveZero) {
  const Limbs zero{{0, 0, 0}, 50, -3}, cancelled{{1, -(std::int64_t{1} << 50), 0}, 50, -3};
  for (const Limbs& sum : {zero, cancelled}) {
    EXPECT_EQ(detail::quotient<TypeParam>(sum.sum(), whole(3).sum()), TypeParam(0));
    EXPECT_FALSE(std::signbit(detail::quotient<TypeParam>(sum.sum(), whole(3).sum())));
    EXPECT_FALSE(std::signbit(detail::exact_quotient<TypeParam>(sum.sum(), whole(3).sum())));
  }
}

TYPED_TEST(Quotient, HonoursTheStride) {
  const std::vector<std::int64_t> interleaved{3, 100, 5, 200};
  const LimbSum first{interleaved.data(), 2, 2, 2, 4}, second{interleaved.data() + 1, 2, 2, 2, 4};
  const Limbs one = whole(1);
  EXPECT_EQ(detail::quotient<TypeParam>(first, one.sum()), TypeParam(16 * (3 + 5.0 / 4)));
  EXPECT_EQ(detail::quotient<TypeParam>(second, one.sum()), TypeParam(16 * (100 + 200.0 / 4)));
}

}  // namespace
}  // namespace lloyd::test
