// SPDX-License-Identifier: MIT
#include "lloyd/cpu/move.hpp"

#include <gtest/gtest.h>

#include "support/primitive.hpp"

namespace lloyd::test {
namespace {

template <class T>
class MovePrimitive : public testing::Test {};
TYPED_TEST_SUITE(MovePrimitive, Scalars);

TYPED_TEST(MovePrimitive, SumsAreThoseOfTheNewLabels) {
  for_each_given<TypeParam>(small_shapes(), [](const Given<TypeParam>& given) {
    const auto check = [&](const auto& backend) {
      auto labels = given.labels;
      auto values = given.some_sums();
      const detail::SumsView sums(values, given.sums_shape());
      backend.accumulate(given.tile(), Options(), std::span<const Label>(labels), given.quanta, sums);
      for (Index i = 0; i < given.shape.n; i += 2) {
        const auto to = static_cast<Label>((labels[static_cast<std::size_t>(i)] + 1) % given.shape.k);
        backend.move(given.tile(), i, to, std::span(labels), given.quanta, sums);
        ASSERT_EQ(labels[static_cast<std::size_t>(i)], to);
      }
      auto expected = given.some_sums();
      const detail::SumsView fresh(expected, given.sums_shape());
      Reference().accumulate(given.tile(), Options(), std::span<const Label>(labels), given.quanta, fresh);
      fresh.changed() += (given.shape.n + 1) / 2;
      ASSERT_EQ(values, expected);
    };
    check(Reference());
    check(Cpu{2});
  });
}

}  // namespace
}  // namespace lloyd::test
