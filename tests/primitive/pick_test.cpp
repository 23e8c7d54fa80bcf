// SPDX-License-Identifier: MIT
#include "lloyd/cpu/pick.hpp"

#include <gtest/gtest.h>

#include "support/primitive.hpp"

namespace lloyd::test {
namespace {

template <class T>
class PickPrimitive : public testing::Test {};
TYPED_TEST_SUITE(PickPrimitive, Scalars);

/// Rows 1000, 1003, ..: a third of a block of 1024 each; threads take eight blocks at a time.
const std::vector<Shape> shapes = {{8, 1, 1}, {9, 1, 1}, {340, 1, 1}, {351, 2, 1, 1}, {1000, 1, 1}, {2800, 1, 1}};

template <Real T, class B>
std::vector<std::int64_t> pick(const Given<T>& given, const B& backend, Index block, std::size_t count) {
  std::vector<std::int64_t> masses(count, 5);  // masses are added
  backend.pick(given.tile(), std::span<const double>(given.d2), given.mass_scale(), block, std::span(masses));
  return masses;
}

TYPED_TEST(PickPrimitive, MassesOfRowsAndOfBlocks) {
  for_each_given<TypeParam>(shapes, [](const Given<TypeParam>& given) {
    const auto tile = given.tile();
    const auto per_block = static_cast<std::size_t>(detail::rows_per_block);
    const auto blocks = static_cast<std::size_t>(tile.global(given.shape.n) / detail::rows_per_block + 2);
    std::vector<std::int64_t> of_blocks(blocks, 5);
    std::vector<std::vector<std::int64_t>> of_rows(blocks, std::vector<std::int64_t>(per_block, 5));
    for (Index i = 0; i < given.shape.n; ++i) {
      const auto mass = static_cast<std::int64_t>(given.mass_scale()(tile.w(i), given.d2[static_cast<std::size_t>(i)]));
      of_blocks[static_cast<std::size_t>(tile.global(i)) / per_block] += mass;
      of_rows[static_cast<std::size_t>(tile.global(i)) / per_block]
             [static_cast<std::size_t>(tile.global(i)) % per_block] += mass;
    }
    const auto check = [&](const auto& backend) {
      ASSERT_EQ(pick(given, backend, -1, blocks), of_blocks);
      for (std::size_t b = 0; b < blocks; ++b)
        ASSERT_EQ(pick(given, backend, static_cast<Index>(b), per_block), of_rows[b]) << "block " << b;
    };
    check(Reference());
    for (const int threads : {1, 2, 8}) check(Cpu{threads});
  });
}

TYPED_TEST(PickPrimitive, NoRowsHaveNoMass) {
  const Given<TypeParam> given(Kind::blobs, {0, 2, 1}, Weighting::none, 1);
  EXPECT_EQ(pick(given, Reference(), -1, 4), pick(given, Cpu{2}, -1, 4));
  EXPECT_EQ(pick(given, Reference(), 1, 1024), pick(given, Cpu{2}, 1, 1024));
}

}  // namespace
}  // namespace lloyd::test
