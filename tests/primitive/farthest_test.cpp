// SPDX-License-Identifier: MIT
#include "lloyd/cpu/farthest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/primitive.hpp"

namespace lloyd::test {
namespace {

using detail::FarRow;

template <class T>
class FarthestPrimitive : public testing::Test {};
TYPED_TEST_SUITE(FarthestPrimitive, Scalars);

/// Threads take 8192 rows at a time.
const std::vector<Shape> shapes = {{0, 1, 1},    {1, 1, 1},    {33, 2, 4},   {500, 1, 3},
                                   {8191, 1, 5}, {8192, 1, 5}, {8193, 1, 5}, {20000, 1, 5}};

std::vector<FarRow> sorted(std::vector<FarRow> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

TYPED_TEST(FarthestPrimitive, TheFarthestRowsWithTiesToTheLowest) {
  Index ties = 0;
  for_each_given<TypeParam>(shapes, [&](const Given<TypeParam>& given) {
    auto d2 = given.d2;  // whole numbers, so that many tie
    for (double& value : d2) value = std::floor(value * 2);
    const auto tile = given.tile();
    const FarRow before{3, 7, 1, 0};  // of another tile: the rows of all tiles compete
    std::vector<FarRow> all{before};
    for (Index i = 0; i < given.shape.n; ++i)
      if (d2[static_cast<std::size_t>(i)] > 0 && tile.w(i) > 0)
        all.push_back(
            {d2[static_cast<std::size_t>(i)], tile.global(i), tile.w(i), given.labels[static_cast<std::size_t>(i)]});
    std::stable_sort(all.begin(), all.end(), [](const FarRow& a, const FarRow& b) { return a.d2 > b.d2; });
    for (const Index m : {Index{1}, Index{2}, Index{17}, Index{1000}}) {
      const auto check = [&](const auto& backend) {
        std::vector<FarRow> far{before};
        backend.farthest(tile, std::span<const double>(d2), std::span<const Label>(given.labels), m, far);
        far = sorted(far);
        ASSERT_EQ(static_cast<Index>(far.size()), std::min(m, static_cast<Index>(all.size())));
        for (std::size_t i = 0; i < far.size(); ++i) {
          ASSERT_EQ(far[i].d2, all[i].d2);
          ASSERT_EQ(far[i].row, all[i].row);
          ASSERT_EQ(far[i].w, all[i].w);
          ASSERT_EQ(far[i].label, all[i].label);
          ties += i > 0 && far[i].d2 == far[i - 1].d2 ? 1 : 0;
        }
      };
      check(Reference());
      for (const int threads : {1, 2, 3, 8}) check(Cpu{threads});
      if (testing::Test::HasFatalFailure()) return;
    }
  });
  EXPECT_GT(ties, 100);
}

TYPED_TEST(FarthestPrimitive, NeverARowAtItsCentroidOrWithoutWeight) {
  const auto x = column_of<TypeParam>({1, 2, 3});
  const std::vector<double> w{0, 1, 2}, d2{9, 0, 4};
  const std::vector<Label> labels{0, 1, 2};
  const Tile<TypeParam> tile{x.view(), Weights<>(VectorView<const double>(w)), 0, 0, 1};
  const auto check = [&](const auto& backend) {
    std::vector<FarRow> far;
    backend.farthest(tile, std::span<const double>(d2), std::span<const Label>(labels), 3, far);
    ASSERT_EQ(far.size(), 1U);
    EXPECT_EQ(far[0].row, 2);
  };
  check(Reference());
  check(Cpu{2});
}

}  // namespace
}  // namespace lloyd::test
