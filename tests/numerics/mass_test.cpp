// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/mass.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/data.hpp"

namespace lloyd::test {
namespace {

using detail::FarRow;
using detail::MassScale;

TEST(MassScale, MassesOfAllRowsStayBelow2To62) {
  Random random(51);
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const Index n = Index{1} << random.below(45);
    const double largest = std::ldexp(random.uniform(1, 2), static_cast<int>(random.between(-1074, 1022)));
    const auto scale = MassScale::for_largest(largest, n);
    int unused = 0;
    ASSERT_EQ(std::frexp(scale.inverse, &unused), 0.5) << "a power of two";
    const std::uint64_t mass = scale(1, largest);
    ASSERT_GE(mass, 1U);
    ASSERT_LE(static_cast<double>(mass) * static_cast<double>(n), 0x1p62);
    if (largest > 0x1p-900) {
      ASSERT_GE(static_cast<double>(mass) * static_cast<double>(n), 0x1p59) << "nearly all bits are used";
    }
  }
}

TEST(MassScale, WhoCanBeDrawnIsNeverRoundedAway) {
  const auto scale = MassScale::for_largest(1e300, 1000000);
  EXPECT_EQ(scale(1, 1e-300), 1U);
  EXPECT_EQ(scale(1, std::numeric_limits<double>::denorm_min()), 1U);
  EXPECT_EQ(scale(1e-200, 1e-200), 1U) << "the product underflows, but neither factor is zero";
  EXPECT_EQ(scale(1, 0), 0U);
  EXPECT_EQ(scale(0, 1e300), 0U);
  EXPECT_EQ(scale(0, 0), 0U);
}

TEST(MassScale, RoundsToNearestEven) {
  const MassScale scale{1, true};
  for (double value = 0.25; value < 100; value += 0.25) {
    ASSERT_EQ(scale(1, value), static_cast<std::uint64_t>(std::max(1.0, std::nearbyint(value)))) << value;
    ASSERT_EQ(scale(value, 1), scale(1, value));
  }
  EXPECT_EQ(scale(1, 0x1p61), std::uint64_t{1} << 61);
}

TEST(MassScale, WithoutWeightsOnlyWhetherThereIsOneCounts) {
  const MassScale scale{4, false};
  EXPECT_EQ(scale(1e-300, 3), 12U);
  EXPECT_EQ(scale(1e300, 3), 12U);
  EXPECT_EQ(scale(0, 3), 0U);
  EXPECT_EQ(MassScale::for_largest(0, 10).inverse, 1) << "nothing can be drawn";
}

TEST(RowsOfBlock, AreThoseWhoseGlobalNumberLiesInTheBlock) {
  Random random(52);
  const std::vector<float> value(1, 0.0F);
  for (int repeat = 0; repeat < 3000; ++repeat) {
    Tile<float> tile;
    const Index rows = random.below(400);
    // One value, read as often as there are rows: only their number counts here.
    tile.x = MatrixView<const float>(value.data(), rows, 0);
    tile.first = random.below(5000);
    tile.step = random.between(1, 9);
    for (Index block = 0; block < 10; ++block) {
      const auto found = detail::rows_of_block(tile, block);
      Index begin = 0, end = 0;
      while (begin < rows && tile.global(begin) < block * detail::rows_per_block) ++begin;
      end = begin;
      while (end < rows && tile.global(end) < (block + 1) * detail::rows_per_block) ++end;
      ASSERT_EQ(found.end - found.begin, end - begin);
      if (begin != end) {
        ASSERT_EQ(found.begin, begin);
      }
    }
  }
}

TEST(KeepFarthest, KeepsTheFarthestAndTheLowestRowsOfATie) {
  Random random(53);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const Index n = random.below(60), most = random.below(12);
    std::vector<FarRow> all, kept;
    for (Index i = 0; i < n; ++i) all.push_back({static_cast<double>(random.between(1, 8)), i, 1, 0});
    for (const Index i : permutation(n, random.bits()))
      detail::keep_farthest(kept, all[static_cast<std::size_t>(i)], most);
    std::sort(kept.begin(), kept.end());
    std::stable_sort(all.begin(), all.end(), [](const FarRow& a, const FarRow& b) { return a.d2 > b.d2; });
    ASSERT_EQ(static_cast<Index>(kept.size()), std::min(n, most));
    for (std::size_t i = 0; i < kept.size(); ++i) ASSERT_EQ(kept[i].row, all[i].row);
  }
}

TEST(BernoulliTrial, DependsOnTheRowAlone) {
  const detail::BernoulliTrial trial{3, 1000, {5, detail::Purpose::scalable, 0, 2, 0}};
  const detail::BernoulliTrial moved{3, 1000, {5, detail::Purpose::scalable, 0, 2, 77}};
  int chosen = 0;
  for (Index row = 0; row < 5000; ++row) {
    EXPECT_FALSE(trial(row, 0)) << "no mass";
    EXPECT_TRUE(trial(row, 400)) << "certain";
    EXPECT_EQ(trial(row, 10), moved(row, 10));
    chosen += trial(row, 10) ? 1 : 0;
  }
  EXPECT_NEAR(chosen, 5000 * 0.03, 4 * std::sqrt(5000 * 0.03 * 0.97));
}

}  // namespace
}  // namespace lloyd::test
