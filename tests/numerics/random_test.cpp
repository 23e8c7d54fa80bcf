// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "support/data.hpp"

namespace lloyd::test {
namespace {

using detail::below;
using detail::Draw;
using detail::draw;
using detail::DrawAddress;
using detail::happens;
using detail::Purpose;
using detail::UInt128;
using Counter = std::array<std::uint32_t, 4>;

constexpr std::uint64_t all_ones = ~std::uint64_t{0};

// The known answers of Random123 (kat_vectors, philox4x32 10).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(detail::philox({0, 0, 0, 0}, {0, 0}), (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(detail::philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(detail::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Draw, EveryPartOfTheAddressCounts) {
  const Index large = Index{1} << 40;
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  int made = 0;
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32, all_ones})
    for (const Purpose purpose :
         {Purpose::first_row, Purpose::plus_plus, Purpose::random_rows, Purpose::scalable, Purpose::sample})
      for (const Index init : {Index{0}, Index{1}, (Index{1} << 28) - 1})
        for (const Index round : {Index{0}, Index{1}, (Index{1} << 32) - 1})
          for (const Index index : {Index{0}, Index{1}, large, large + 1}) {
            const Draw r = draw({seed, purpose, init, round, index});
            seen.emplace(r.high, r.low);
            ++made;
          }
  EXPECT_EQ(static_cast<int>(seen.size()), made);
  const DrawAddress at{7, Purpose::scalable, 1, 2, 3};
  EXPECT_EQ(draw(at).high, draw(at).high);
}

TEST(Below, StaysBelowTheTotalForAllOnes) {
  for (int bit = 0; bit < 64; ++bit)
    for (const std::uint64_t total : {std::uint64_t{1} << bit, (std::uint64_t{1} << bit) + 1,
                                      (std::uint64_t{1} << bit) | (all_ones >> 1 >> (63 - bit))}) {
      ASSERT_EQ(below({all_ones, all_ones}, total), total - 1) << total;
      ASSERT_EQ(below({0, 0}, total), 0U);
      ASSERT_LT(below({all_ones, 0}, total), total);
    }
}

TEST(Below, IsTheFloorOfTheScaledDraw) {
  Random random(21);
  for (int repeat = 0; repeat < 100000; ++repeat) {
    const Draw r{random.bits(), random.bits()};
    const std::uint64_t total = (random.bits() >> random.below(64)) | 1;
    // (high 2^64 + low) total / 2^128 in 32-bit digits, as on paper.
    const std::array<std::uint64_t, 4> digit{r.low & 0xffffffff, r.low >> 32, r.high & 0xffffffff, r.high >> 32};
    UInt128 carry = 0;
    for (const std::uint64_t one : digit) carry = (carry >> 32) + static_cast<UInt128>(one) * total;
    ASSERT_EQ(below(r, total), static_cast<std::uint64_t>(carry >> 32));
  }
}

TEST(Happens, Edges) {
  EXPECT_TRUE(happens({all_ones, all_ones}, 5, 5)) << "certain";
  EXPECT_TRUE(happens({all_ones, all_ones}, static_cast<UInt128>(1) << 100, 5)) << "more than certain";
  EXPECT_FALSE(happens({0, 0}, 0, 5)) << "impossible";
  EXPECT_FALSE(happens({all_ones, all_ones}, 4, 5));
  EXPECT_TRUE(happens({0, 0}, 1, (std::uint64_t{1} << 63) - 1)) << "the least chance, the least draw";
  // Half: the draws below 2^63 and no other.
  EXPECT_TRUE(happens({(std::uint64_t{1} << 63) - 1, all_ones}, 1, 2));
  EXPECT_FALSE(happens({std::uint64_t{1} << 63, 0}, 1, 2));
  const std::uint64_t large = (std::uint64_t{1} << 63) - 2;
  EXPECT_TRUE(happens({(std::uint64_t{1} << 63) - 1, all_ones}, large / 2, large));
  EXPECT_FALSE(happens({std::uint64_t{1} << 63, 0}, large / 2, large));
}

TEST(Happens, AsOftenAsItShould) {
  int times = 0;
  const int draws = 200000;
  for (Index i = 0; i < draws; ++i) times += happens(draw({3, Purpose::scalable, 0, 0, i}), 3, 10) ? 1 : 0;
  EXPECT_NEAR(times, 0.3 * draws, 4 * std::sqrt(draws * 0.3 * 0.7));
}

TEST(Below, IsUniform) {
  std::array<int, 7> times{};
  const int draws = 140000;
  for (Index i = 0; i < draws; ++i) ++times.at(below(draw({4, Purpose::sample, 0, 0, i}), 7));
  double statistic = 0;
  for (const int t : times) statistic += (t - draws / 7.0) * (t - draws / 7.0) / (draws / 7.0);
  EXPECT_LT(statistic, 27.9) << "chi-square of 6 degrees of freedom at 1e-4";
}

}  // namespace
}  // namespace lloyd::test
