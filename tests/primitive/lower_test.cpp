// SPDX-License-Identifier: MIT
#include "lloyd/cpu/lower.hpp"

#include <gtest/gtest.h>

#include "support/exact.hpp"
#include "support/primitive.hpp"

namespace lloyd::test {
namespace {

constexpr Label first = 100;

struct Lowered {
  std::vector<double> d2;
  std::vector<Label> labels;
  detail::ExactSum phi = some_sum();
  double largest = 0;
};

/// Lowers what is there: `fresh` begins as seeding does, at infinity.
template <Real T, class B>
Lowered lower(const Given<T>& given, bool fresh, const B& backend, const detail::Batching& batching,
              const Options& options) {
  Lowered result{given.d2, given.labels, some_sum(), 0};
  if (fresh) std::fill(result.d2.begin(), result.d2.end(), std::numeric_limits<double>::infinity());
  result.largest = backend.lower(given.tile(), given.prepare(backend, batching, options), {}, first,
                                 std::span(result.d2), std::span(result.labels), &result.phi);
  return result;
}

template <class T>
class LowerPrimitive : public testing::Test {};
TYPED_TEST_SUITE(LowerPrimitive, Scalars);

TYPED_TEST(LowerPrimitive, ReferenceIsTheDefinition) {
  Index lowered = 0, kept = 0;
  for_each_given<TypeParam>(small_shapes(), [&](const Given<TypeParam>& given) {
    for (const bool fresh : {true, false}) {
      const Lowered found = lower(given, fresh, Reference(), {}, {});
      Exact phi;
      phi.add(-12.375);
      double largest = 0;
      for (std::size_t i = 0; i < given.d2.size(); ++i) {
        const auto row = static_cast<Index>(i);
        const Nearest nearest = nearest_of(given.x().row(row), given.c());
        const bool lowers = fresh || nearest.d2 < given.d2[i];
        ASSERT_EQ(found.d2[i], lowers ? nearest.d2 : given.d2[i]);
        ASSERT_EQ(found.labels[i], lowers ? first + nearest.label : given.labels[i]);
        phi.add(given.tile().w(row), found.d2[i]);
        largest = std::max(largest, given.tile().w(row) * found.d2[i]);
        lowered += lowers ? 1 : 0;
        kept += lowers ? 0 : 1;
      }
      ASSERT_EQ(found.largest, largest);
      ASSERT_TRUE(is_rounded(found.phi.value(), phi));
    }
  });
  EXPECT_GT(lowered, 100);
  EXPECT_GT(kept, 100);
}

TYPED_TEST(LowerPrimitive, CpuLowersTheSame) {
  for_each_given<TypeParam>(small_shapes(), [](const Given<TypeParam>& given) {
    for (const bool fresh : {true, false}) {
      const Lowered expected = lower(given, fresh, Reference(), {}, {});
      for_each_variant([&](const Variant& variant) {
        const Lowered found = lower(given, fresh, variant.cpu, variant.batching, variant.options);
        ASSERT_EQ(found.d2, expected.d2);
        ASSERT_EQ(found.labels, expected.labels);
        ASSERT_EQ(found.largest, expected.largest);
        ASSERT_TRUE(same(found.phi, expected.phi));
      });
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

// As GainPrimitive.SeedsChangeNothing.
TYPED_TEST(LowerPrimitive, SeedsChangeNothing) {
  Index lowered = 0;
  for_each_given<TypeParam>(small_shapes(), [&](const Given<TypeParam>& given) {
    if (given.x().rows() == 0) return;
    const auto seeds = given.x().slice(0, (std::min)(given.x().rows(), Index{5}));
    const std::vector<TypeParam> origin(static_cast<std::size_t>(given.shape.d), 0);
    Lowered start{given.d2, given.labels, some_sum(), 0};
    const Reference reference;
    reference.assign(given.tile(), reference.prepare(seeds, std::span<const TypeParam>(origin), {}, {}),
                     std::span(start.labels), std::span(start.d2), nullptr);
    const auto lower_from = [&](const auto& backend, const auto& prepared) {
      Lowered result = start;
      result.largest = backend.lower(given.tile(), prepared, seeds, first, std::span(result.d2),
                                     std::span(result.labels), &result.phi);
      return result;
    };
    const Lowered expected = lower_from(reference, given.prepare(reference, detail::Batching{}, Options{}));
    lowered += expected.d2 != start.d2 ? 1 : 0;
    for_each_variant([&](const Variant& variant) {
      const Lowered found = lower_from(variant.cpu, given.prepare(variant.cpu, variant.batching, variant.options));
      ASSERT_EQ(found.d2, expected.d2);
      ASSERT_EQ(found.labels, expected.labels);
      ASSERT_EQ(found.largest, expected.largest);
      ASSERT_TRUE(same(found.phi, expected.phi));
    });
  });
  EXPECT_GT(lowered, 20);
}

TYPED_TEST(LowerPrimitive, TwiceIsOnce) {
  const Given<TypeParam> given(Kind::grid, {90, 3, 6}, Weighting::none, 3);
  for_each_variant([&](const Variant& variant) {
    const Lowered once = lower(given, true, variant.cpu, variant.batching, variant.options);
    Lowered twice = once;
    detail::ExactSum phi = some_sum();
    const double largest =
        variant.cpu.lower(given.tile(), given.prepare(variant.cpu, variant.batching, variant.options), {}, Label{7},
                          std::span(twice.d2), std::span(twice.labels), &phi);
    ASSERT_EQ(twice.d2, once.d2);
    ASSERT_EQ(twice.labels, once.labels) << "an equal distance is not lower";
    ASSERT_EQ(largest, once.largest);
    ASSERT_TRUE(same(phi, once.phi));
    (void)variant.cpu.lower(given.tile(), given.prepare(variant.cpu, variant.batching, variant.options), {}, Label{7},
                            std::span(twice.d2), std::span<Label>(), nullptr);
  });
}

}  // namespace
}  // namespace lloyd::test
