// SPDX-License-Identifier: MIT
#include "lloyd/cpu/converge.hpp"

#include <gtest/gtest.h>

#include "support/exact.hpp"
#include "support/primitive.hpp"

namespace lloyd::test {
namespace {

template <class T>
class ConvergePrimitive : public testing::Test {};
TYPED_TEST_SUITE(ConvergePrimitive, Scalars);

TYPED_TEST(ConvergePrimitive, TheShiftIsAddedExactlyAndRoundedOnce) {
  // Threads take 1024 centroids at a time.
  for (const Index k : {1, 2, 33, 1023, 1024, 1025, 3000})
    for (const Index d : {1, 3, 8, 20}) {
      const auto c = mixed_scales<TypeParam>(k, d, static_cast<std::uint64_t>(k + d), 30);
      const auto next = mixed_scales<TypeParam>(k, d, static_cast<std::uint64_t>(k * d), 30);
      Exact shift;
      for (Index j = 0; j < k; ++j) shift.add(squared_distance(next.row(j), c.row(j), d));
      const double expected = Reference().converge(next.view(), c.view());
      ASSERT_TRUE(is_rounded(expected, shift));
      for_each_variant(
          [&](const Variant& variant) { ASSERT_EQ(variant.cpu.converge(next.view(), c.view()), expected); });
    }
}

TYPED_TEST(ConvergePrimitive, NoShiftIsZero) {
  const auto c = normal_rows<TypeParam>(50, 7, 1);
  EXPECT_EQ(Reference().converge(c.view(), c.view()), 0.0);
  EXPECT_EQ(Cpu{2}.converge(c.view(), c.view()), 0.0);
}

}  // namespace
}  // namespace lloyd::test
