// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/rounding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "support/data.hpp"

namespace lloyd::test {
namespace {

__extension__ using Quad = __float128;

/// 2^e exactly, |e| below 16000.
Quad quad_power(int e) {
  Quad result = 1, factor = e < 0 ? Quad(0.5) : Quad(2);
  for (unsigned n = static_cast<unsigned>(e < 0 ? -e : e); n != 0; n /= 2, factor *= factor)
    if (n % 2 == 1) result *= factor;
  return result;
}

/// The same by one conversion from 113 bits: 64 of `top`, and what is sticky stands below them.
template <Real T>
T by_quad(std::uint64_t top, bool sticky, int exponent) {
  return static_cast<T>((static_cast<Quad>(top) + (sticky ? Quad(0.25) : Quad(0))) * quad_power(exponent));
}

/// Bits that end just below, at or just above a tie when `kept` of them stay.
std::uint64_t hostile_top(Random& random, int kept) {
  std::uint64_t top = random.bits() | std::uint64_t{1} << 63;
  if (random.flip()) return top;
  const int rest = 64 - kept;  // at least 11
  if (rest > 63) return random.flip() ? top : std::uint64_t{1} << 63;
  const std::uint64_t half = std::uint64_t{1} << (rest - 1);
  top = (top & ~(2 * half - 1)) | half;
  if (random.flip()) top |= std::uint64_t{1} << 63;
  switch (random.below(4)) {
    case 0:
      return top - 1;
    case 1:
      return top + 1;
    case 2:
      return std::uint64_t(-1);  // rounds up to the next power of two
    default:
      return top;
  }
}

template <class T>
class Rounding : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Rounding, Scalars);

TYPED_TEST(Rounding, IsOneConversionOfABinary128) {
  using Limits = std::numeric_limits<TypeParam>;
  Random random(3);
  int subnormal = 0, zero = 0, infinite = 0, ties = 0;
  for (int repeat = 0; repeat < 400000; ++repeat) {
    // The exponent of the result's top bit: everywhere, and often near the ends of T's range.
    const Index least = Limits::min_exponent - Limits::digits - 5, most = Limits::max_exponent + 2;
    const Index highest = repeat % 3 == 0   ? random.between(least, Limits::min_exponent + 3)
                          : repeat % 3 == 1 ? random.between(most - 4, most)
                                            : random.between(least, most);
    const auto exponent = static_cast<int>(highest - 63);
    const Index kept = std::min<Index>(Limits::digits, highest - (Limits::min_exponent - Limits::digits) + 1);
    const std::uint64_t top = hostile_top(random, static_cast<int>(std::max<Index>(kept, 0)));
    const bool sticky = random.flip();
    const TypeParam expected = by_quad<TypeParam>(top, sticky, exponent);
    ASSERT_EQ(detail::round_to<TypeParam>(top, sticky, exponent), expected)
        << std::hex << top << (sticky ? "+" : "") << std::dec << " * 2^" << exponent;
    subnormal += expected != 0 && expected < Limits::min() ? 1 : 0;
    zero += expected == 0 ? 1 : 0;
    infinite += expected == Limits::infinity() ? 1 : 0;
    ties += !sticky && kept > 0 && kept < 64 && (top << kept) == std::uint64_t{1} << 63 ? 1 : 0;
  }
  EXPECT_GT(subnormal, 1000);
  EXPECT_GT(zero, 1000);
  EXPECT_GT(infinite, 1000);
  EXPECT_GT(ties, 1000);
}

TYPED_TEST(Rounding, EndsOfTheRange) {
  using Limits = std::numeric_limits<TypeParam>;
  const std::uint64_t one = std::uint64_t{1} << 63;
  const int lowest = detail::lowest_bit<TypeParam>;
  EXPECT_EQ(std::ldexp(TypeParam(1), lowest), Limits::denorm_min());
  EXPECT_EQ(detail::round_to<TypeParam>(one, false, lowest - 63), Limits::denorm_min());
  EXPECT_EQ(detail::round_to<TypeParam>(one, false, lowest - 64), TypeParam(0)) << "half of it: a tie, to even";
  EXPECT_EQ(detail::round_to<TypeParam>(one, true, lowest - 64), Limits::denorm_min()) << "more than half of it";
  EXPECT_EQ(detail::round_to<TypeParam>(std::uint64_t(-1), true, lowest - 65), TypeParam(0)) << "less than half of it";
  EXPECT_EQ(detail::round_to<TypeParam>(std::uint64_t(-1), true, -5000), TypeParam(0));
}

TEST(RoundingBits, ExponentAndLowestBit) {
  Random random(4);
  for (int repeat = 0; repeat < 100000; ++repeat) {
    const int e = static_cast<int>(random.between(-1130, 1022));
    const double x = std::ldexp(random.uniform(1, 2), e) * (random.flip() ? 1 : -1);
    if (x == 0) continue;
    ASSERT_EQ(detail::exponent_of(x), std::ilogb(x)) << x;
    int exponent = 0;
    auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
    for (exponent -= 53; mantissa % 2 == 0; mantissa /= 2) ++exponent;
    ASSERT_EQ(detail::lowest_set_bit(x), exponent) << x;
  }
  EXPECT_EQ(detail::exponent_of(std::numeric_limits<double>::denorm_min()), -1074);
  EXPECT_EQ(detail::exponent_of(std::numeric_limits<double>::min()), -1022);
  EXPECT_EQ(detail::exponent_of(-std::numeric_limits<double>::max()), 1023);
  EXPECT_EQ(detail::lowest_set_bit(std::numeric_limits<double>::denorm_min()), -1074);
  EXPECT_EQ(detail::lowest_set_bit(0x1p1023), 1023);
  EXPECT_EQ(detail::lowest_set_bit(-3.0), 0);
}

TEST(RoundingBits, CeilLog2) {
  for (Index n = 1; n < 5000; ++n) {
    int e = 0;
    while ((Index{1} << e) < n) ++e;
    ASSERT_EQ(detail::ceil_log2(n), e) << n;
  }
  EXPECT_EQ(detail::ceil_log2(Index{1} << 40), 40);
  EXPECT_EQ(detail::ceil_log2((Index{1} << 40) + 1), 41);
}

TEST(RoundingBits, PowerOfTwo) {
  double expected = std::numeric_limits<double>::denorm_min();
  for (int e = -1074; e <= 1023; ++e, expected *= 2) ASSERT_EQ(detail::power_of_two(e), expected);
}

}  // namespace
}  // namespace lloyd::test
