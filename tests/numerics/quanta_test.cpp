// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/quanta.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/data.hpp"
#include "support/exact.hpp"

namespace lloyd::test {
namespace {

using detail::choose_quanta;
using detail::Quanta;

/// Adds integer * 2^exponent to a sum, whatever the exponent.
void add_integer(Exact& sum, std::int64_t integer, int exponent) {
  const double high = static_cast<double>(integer >> 32) * 0x1p32, low = static_cast<double>(integer & 0xffffffff);
  const int half = exponent / 2;
  sum.add(std::ldexp(high, half), std::ldexp(1, exponent - half));
  sum.add(std::ldexp(low, half), std::ldexp(1, exponent - half));
}

/// The limbs of one term, and what they stand for.
struct Cut {
  std::vector<std::int64_t> limb;
  Exact value;
};
Cut cut(double term, const Quanta& quanta) {
  Cut result;
  result.limb.assign(static_cast<std::size_t>(quanta.limbs), 0);
  detail::for_each_limb(term, quanta.inverse[0], quanta.bits, quanta.limbs, [&](int l, std::int64_t whole) {
    result.limb.at(static_cast<std::size_t>(l)) += whole;
    add_integer(result.value, whole, quanta.exponent[0] - quanta.bits * l);
  });
  return result;
}

TEST(Quanta, BitsLeaveRoomForTwiceTheRows) {
  for (const Index n : {Index{0}, Index{1}, Index{2}, Index{3}, Index{1000}, Index{1} << 20, (Index{1} << 31) + 1}) {
    const int bits = choose_quanta(n, {{1, 0}}).bits;
    EXPECT_GE(bits, 1) << n;
    // n terms of at most 2^bits each, twice: at most 2^62.
    EXPECT_LE(std::ldexp(static_cast<double>(n), bits + 1), 0x1p62) << n;
    if (n > 0) {
      EXPECT_GT(std::ldexp(static_cast<double>(n), bits + 2), 0x1p62) << n << ": no bit is wasted";
    }
  }
}

TEST(Quanta, AsManyLimbsAsTheSpanNeeds) {
  for (const Index n : {1, 100, 1 << 20}) {
    const int bits = choose_quanta(n, {{1, 0}}).bits;
    for (int limbs = 1; limbs <= 8; ++limbs) {
      const int expected = std::min(limbs, Quanta::most_limbs);
      EXPECT_EQ(choose_quanta(n, {{10, 10 - limbs * bits}}).limbs, expected);
      EXPECT_EQ(choose_quanta(n, {{10, 10 - limbs * bits + 1}}).limbs, limbs == 1 ? 1 : expected);
      EXPECT_EQ(choose_quanta(n, {{10, 9}, {5, 5 - limbs * bits}, {0, 0}}).limbs, expected)
          << "the widest column counts";
    }
  }
}

TEST(Quanta, InverseIsTheInverse) {
  for (const int high : {-2000, -1100, -960, -500, 0, 1, 128, 502, 1024}) {
    const Quanta quanta = choose_quanta(100, {{high, high - 30}});
    EXPECT_TRUE(std::isnormal(quanta.inverse[0])) << high;
    EXPECT_EQ(std::ilogb(quanta.inverse[0]), -quanta.exponent[0]);
    EXPECT_EQ(quanta.exponent[0] + quanta.bits, std::max(high, Quanta::lowest_exponent));
  }
}

TEST(Quanta, ATermInTheSpanIsCutExactly) {
  Random random(31);
  int most = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const Index n = Index{1} << random.below(35);
    const auto high = static_cast<int>(random.between(-1000, 502));
    const int bits = choose_quanta(n, {{1, 0}}).bits;
    // The lowest exponent that six limbs reach, that doubles have, and that the lowest quantum allows.
    const int top = std::max(high, Quanta::lowest_exponent);
    const auto low = static_cast<int>(random.between(std::max(-1074, top - 6 * bits), high - 1));
    if (low >= high) continue;
    const Quanta quanta = choose_quanta(n, {{high, low}});
    most = std::max(most, quanta.limbs);
    const int digits = std::min(53, high - low);
    const auto place = static_cast<int>(random.between(low, high - digits));
    const std::int64_t mantissa = static_cast<std::int64_t>(random.bits() >> (64 - digits));
    const double term = std::ldexp(static_cast<double>(mantissa), place) * (random.flip() ? 1 : -1);
    const Cut parts = cut(term, quanta);
    Exact rest = parts.value;
    rest.add(-term);
    ASSERT_EQ(rest.sign(), 0) << term << " in " << quanta.limbs << " limbs of " << quanta.bits;
    for (const std::int64_t limb : parts.limb)
      ASSERT_LE(std::fabs(static_cast<double>(limb)), std::ldexp(1, quanta.bits));
  }
  EXPECT_EQ(most, Quanta::most_limbs);
}

TEST(Quanta, TheLastLimbRoundsOnceToNearestEven) {
  Random random(32);
  int ties = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const Quanta quanta = choose_quanta(Index{1} << 40, {{0, -500}});  // 21 bits a limb, 126 in all
    ASSERT_EQ(quanta.limbs, Quanta::most_limbs);
    const double last = std::ldexp(1, quanta.exponent[0] - quanta.bits * (quanta.limbs - 1));
    double term = std::ldexp(random.uniform(-1, 1), -static_cast<int>(random.below(130)));
    if (repeat % 2 == 0) term = (static_cast<double>(random.below(1 << 20)) + 0.5) * last * (random.flip() ? 1 : -1);
    const double expected = std::nearbyint(term / last) * last;
    ties += std::fabs(std::fabs(term / last - std::trunc(term / last)) - 0.5) == 0 ? 1 : 0;
    Exact rest = cut(term, quanta).value;
    rest.add(-expected);
    ASSERT_EQ(rest.sign(), 0) << term;
  }
  EXPECT_GT(ties, 5000);
}

TEST(Quanta, WrapsInsteadOfOverflowing) {
  std::int64_t sum = std::numeric_limits<std::int64_t>::max();
  detail::add_wrapping(sum, 1, 1);
  EXPECT_EQ(sum, std::numeric_limits<std::int64_t>::min());
  detail::add_wrapping(sum, 1, -1);
  EXPECT_EQ(sum, std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace lloyd::test
