// SPDX-License-Identifier: MIT
#include "lloyd/cpu/sample.hpp"

#include <gtest/gtest.h>

#include "support/primitive.hpp"

namespace lloyd::test {
namespace {

template <class T>
class SamplePrimitive : public testing::Test {};
TYPED_TEST_SUITE(SamplePrimitive, Scalars);

/// Threads take 2048 rows at a time.
const std::vector<Shape> shapes = {{0, 1, 1},    {1, 1, 1},    {33, 2, 1},   {2047, 1, 1},
                                   {2048, 1, 1}, {2049, 1, 1}, {4097, 1, 1}, {9000, 1, 1}};

TYPED_TEST(SamplePrimitive, EveryRowByADrawOfItsOwn) {
  Index chosen = 0, rows = 0;
  for_each_given<TypeParam>(shapes, [&](const Given<TypeParam>& given) {
    const auto tile = given.tile();
    const auto scale = given.mass_scale();
    std::uint64_t total = 1;
    for (Index i = 0; i < given.shape.n; ++i) total += scale(tile.w(i), given.d2[static_cast<std::size_t>(i)]);
    const detail::BernoulliTrial trial{50, total, {7, detail::Purpose::scalable, 1, 2, 0}};
    std::vector<Index> expected{-1};  // rows are added
    for (Index i = 0; i < given.shape.n; ++i) {
      detail::DrawAddress at = trial.address;
      at.index = tile.global(i);
      const std::uint64_t mass = scale(tile.w(i), given.d2[static_cast<std::size_t>(i)]);
      if (mass > 0 && detail::happens(detail::draw(at), detail::UInt128{50} * mass, total))
        expected.push_back(at.index);
    }
    chosen += static_cast<Index>(expected.size()) - 1;
    rows += given.shape.n;
    const auto check = [&](const auto& backend) {
      std::vector<Index> found{-1};
      backend.sample(tile, std::span<const double>(given.d2), scale, trial, found);
      ASSERT_EQ(found, expected);
    };
    check(Reference());
    for (const int threads : {1, 2, 3, 8}) check(Cpu{threads});
  });
  EXPECT_GT(chosen, 100);
  EXPECT_LT(chosen, rows / 2);
}

}  // namespace
}  // namespace lloyd::test
