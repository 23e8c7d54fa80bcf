// SPDX-License-Identifier: MIT
#include "lloyd/cpu/distance.hpp"

#include <gtest/gtest.h>

#include "support/exact.hpp"
#include "support/primitive.hpp"

namespace lloyd::test {
namespace {

struct Distances {
  std::vector<double> d2;
  detail::ExactSum phi = some_sum();
};

template <Real T, class B>
Distances distances(const Given<T>& given, const B& backend) {
  Distances result{std::vector<double>(given.labels.size(), -1), some_sum()};
  backend.distance(given.tile(), given.c(), std::span<const Label>(given.labels), std::span(result.d2), &result.phi);
  return result;
}

template <class T>
class DistancePrimitive : public testing::Test {};
TYPED_TEST_SUITE(DistancePrimitive, Scalars);

/// Threads take 512 rows at a time.
const std::vector<Shape> shapes = {{511, 2, 5}, {512, 9, 3, 1}, {513, 3, 2}, {1025, 8, 40}, {2000, 15, 7, 2}};

TYPED_TEST(DistancePrimitive, ReferenceIsTheDefinition) {
  for_each_given<TypeParam>(small_shapes(), [](const Given<TypeParam>& given) {
    const Distances found = distances(given, Reference());
    Exact phi;
    phi.add(-12.375);
    for (std::size_t i = 0; i < given.labels.size(); ++i) {
      const auto row = static_cast<Index>(i);
      ASSERT_EQ(found.d2[i], squared_distance(given.x().row(row), given.c().row(given.labels[i]), given.shape.d));
      phi.add(given.tile().w(row), found.d2[i]);
    }
    ASSERT_TRUE(is_rounded(found.phi.value(), phi));
  });
}

TYPED_TEST(DistancePrimitive, CpuFindsTheSameBits) {
  const auto compare = [](const Given<TypeParam>& given) {
    const Distances expected = distances(given, Reference());
    for_each_variant([&](const Variant& variant) {
      const Distances found = distances(given, variant.cpu);
      ASSERT_EQ(found.d2, expected.d2);
      ASSERT_TRUE(same(found.phi, expected.phi));
    });
  };
  for_each_given<TypeParam>(small_shapes(), compare);
  for_each_given<TypeParam>(shapes, compare);
}

TYPED_TEST(DistancePrimitive, EitherOutputMayBeLeftOut) {
  const Given<TypeParam> given(Kind::blobs, {70, 3, 9}, Weighting::in_float, 5);
  const Distances expected = distances(given, Reference());
  const auto check = [&](const auto& backend) {
    detail::ExactSum phi = some_sum();
    backend.distance(given.tile(), given.c(), std::span<const Label>(given.labels), std::span<double>(), &phi);
    ASSERT_TRUE(same(phi, expected.phi));
    std::vector<double> d2(given.labels.size());
    backend.distance(given.tile(), given.c(), std::span<const Label>(given.labels), std::span(d2), nullptr);
    ASSERT_EQ(d2, expected.d2);
  };
  check(Reference());
  for_each_variant([&](const Variant& variant) { check(variant.cpu); });
}

}  // namespace
}  // namespace lloyd::test
