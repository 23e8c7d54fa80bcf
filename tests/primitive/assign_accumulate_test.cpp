// SPDX-License-Identifier: MIT
#include "lloyd/cpu/assign_accumulate.hpp"

#include <gtest/gtest.h>

#include "support/primitive.hpp"

namespace lloyd::test {
namespace {

/// What the pass of the loop writes.
struct Pass {
  std::vector<Label> labels;
  std::vector<std::int64_t> sums;
  detail::ExactSum scatter = some_sum(), inertia = some_sum();
};

/// A pass from labels of which some are -1 (no cluster), some right already and some wrong.
template <Real T, class B>
Pass pass(const Given<T>& given, const B& backend, const detail::Batching& batching, const Options& options) {
  Pass result{given.labels, given.some_sums(), some_sum(), some_sum()};
  for (std::size_t i = 0; i < result.labels.size(); i += 4) result.labels[i] = -1;
  const detail::SumsView sums(result.sums, given.sums_shape());
  backend.assign_accumulate(given.tile(), given.prepare(backend, batching, options), std::span(result.labels),
                            given.quanta, sums, &result.scatter, &result.inertia);
  sums.rechecked() = 0;  // the one number that a backend may have of its own
  return result;
}

template <class T>
class AssignAccumulatePrimitive : public testing::Test {};
TYPED_TEST_SUITE(AssignAccumulatePrimitive, Scalars);

TYPED_TEST(AssignAccumulatePrimitive, ReferenceIsAssignMoveAndTwoSums) {
  for_each_given<TypeParam>(small_shapes(), [](const Given<TypeParam>& given) {
    const Pass found = pass(given, Reference(), {}, {});
    std::vector<std::int64_t> expected = given.some_sums();
    const detail::SumsView sums(expected, given.sums_shape());
    detail::ExactSum scatter = some_sum(), inertia = some_sum();
    const auto tile = given.tile();
    for (Index i = 0; i < given.shape.n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const TypeParam* x = tile.x.row(i);
      const Nearest nearest = nearest_of(x, given.c());
      ASSERT_EQ(found.labels[at], nearest.label);
      const Label from = i % 4 == 0 ? -1 : given.labels[at];
      if (from != nearest.label) {
        if (from >= 0) detail::add_row(x, tile.w(i), -1, from, given.quanta, sums);
        detail::add_row(x, tile.w(i), 1, nearest.label, given.quanta, sums);
        ++sums.changed();
      }
      scatter.add_product(tile.w(i), squared_distance(x, given.origin.data(), given.shape.d));
      inertia.add_product(tile.w(i), nearest.d2);
    }
    sums.rechecked() = 0;
    ASSERT_EQ(found.sums, expected);
    ASSERT_TRUE(same(found.scatter, scatter));
    ASSERT_TRUE(same(found.inertia, inertia));
  });
}

TYPED_TEST(AssignAccumulatePrimitive, CpuWritesTheSameIntegers) {
  for_each_given<TypeParam>(small_shapes(), [](const Given<TypeParam>& given) {
    const Pass expected = pass(given, Reference(), {}, {});
    for_each_variant([&](const Variant& variant) {
      const Pass found = pass(given, variant.cpu, variant.batching, variant.options);
      ASSERT_EQ(found.labels, expected.labels);
      ASSERT_EQ(found.sums, expected.sums);
      ASSERT_TRUE(same(found.scatter, expected.scatter));
      ASSERT_TRUE(same(found.inertia, expected.inertia));
    });
  });
}

TYPED_TEST(AssignAccumulatePrimitive, ANullSumIsNotWanted) {
  const Given<TypeParam> given(Kind::blobs, {70, 3, 9}, Weighting::in_double, 5);
  const Pass expected = pass(given, Reference(), {}, {});
  for_each_variant([&](const Variant& variant) {
    std::vector<Label> labels = given.labels;
    for (std::size_t i = 0; i < labels.size(); i += 4) labels[i] = -1;
    auto values = given.some_sums();
    const detail::SumsView sums(values, given.sums_shape());
    variant.cpu.assign_accumulate(given.tile(), given.prepare(variant.cpu, variant.batching, variant.options),
                                  std::span(labels), given.quanta, sums, nullptr, nullptr);
    sums.rechecked() = 0;
    ASSERT_EQ(labels, expected.labels);
    ASSERT_EQ(values, expected.sums);
  });
}

}  // namespace
}  // namespace lloyd::test
