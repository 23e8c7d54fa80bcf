// SPDX-License-Identifier: MIT
#include "lloyd/cpu/accumulate.hpp"

#include <gtest/gtest.h>

#include "support/primitive.hpp"

namespace lloyd::test {
namespace {

template <Real T, class B>
std::vector<std::int64_t> accumulate(const Given<T>& given, const B& backend, const Options& options) {
  auto values = given.some_sums();
  backend.accumulate(given.tile(), options, std::span<const Label>(given.labels), given.quanta,
                     detail::SumsView(values, given.sums_shape()));
  return values;
}

template <class T>
class AccumulatePrimitive : public testing::Test {};
TYPED_TEST_SUITE(AccumulatePrimitive, Scalars);

/// Threads take 2048 rows at a time.
const std::vector<Shape> shapes = {{2047, 2, 5}, {2048, 1, 3, 1}, {2049, 3, 2}, {4097, 2, 40}};

TYPED_TEST(AccumulatePrimitive, ReferenceAddsEveryRow) {
  for_each_given<TypeParam>(small_shapes(), [](const Given<TypeParam>& given) {
    auto expected = given.some_sums();
    const detail::SumsView sums(expected, given.sums_shape());
    for (Index i = given.shape.n - 1; i >= 0; --i)
      detail::add_row(given.x().row(i), given.tile().w(i), 1, given.labels[static_cast<std::size_t>(i)], given.quanta,
                      sums);
    ASSERT_EQ(accumulate(given, Reference(), {}), expected);
  });
}

TYPED_TEST(AccumulatePrimitive, CpuAddsTheSameIntegersBothWays) {
  const auto compare = [](const Given<TypeParam>& given) {
    const auto expected = accumulate(given, Reference(), {});
    for_each_variant([&](const Variant& variant) {
      Options options = variant.options;
      if (variant.batching.sums_budget == 0) options.memory_budget = 1;  // all threads add to the same sums
      for (const auto update : {CentroidUpdate::automatic, CentroidUpdate::scatter_add, CentroidUpdate::one_hot}) {
        options.update = update;
        ASSERT_EQ(accumulate(given, variant.cpu, options), expected) << "update " << static_cast<int>(update);
      }
    });
  };
  for_each_given<TypeParam>(small_shapes(), compare);
  for_each_given<TypeParam>(shapes, compare);
}

TYPED_TEST(AccumulatePrimitive, LargestLimbsStayExactInOneHotProducts) {
  // 2048 rows of one cluster whose limbs are all nearly 2^bits: sums of parts reach the 2^42 that one-hot allows.
  const TypeParam large = 2 - std::numeric_limits<TypeParam>::epsilon();
  for (const Index n : {2047, 2048, 4096, 4097}) {
    Matrix<TypeParam> x(n, 3);
    for (Index i = 0; i < n; ++i) x(i, 0) = large, x(i, 1) = -large, x(i, 2) = i % 2 == 0 ? large : -large;
    const Tile<TypeParam> tile{std::as_const(x).view(), {}, 0, 0, 1};
    const auto quanta = detail::choose_quanta(n, {{1, -60}, {1, -60}, {1, -60}});
    const detail::SumsShape shape(2, 3, quanta);
    const std::vector<Label> labels(static_cast<std::size_t>(n), 1);
    std::vector<std::int64_t> expected(static_cast<std::size_t>(shape.size()), 0), found = expected;
    Reference().accumulate(tile, {}, std::span<const Label>(labels), quanta, detail::SumsView(expected, shape));
    Options options;
    options.update = CentroidUpdate::one_hot;
    Cpu{1}.accumulate(tile, options, std::span<const Label>(labels), quanta, detail::SumsView(found, shape));
    ASSERT_EQ(found, expected);
  }
}

TYPED_TEST(AccumulatePrimitive, WeightsAloneHaveNoFeatures) {
  const Given<TypeParam> given(Kind::blobs, {100, 4, 6}, Weighting::in_double, 9);
  const auto quanta = detail::choose_quanta(100, {{1, -60}});
  const detail::SumsShape shape(6, 0, quanta);
  std::vector<std::int64_t> expected(static_cast<std::size_t>(shape.size()), 0);
  const std::span<const Label> labels(given.labels);
  Reference().accumulate(given.tile(), {}, labels, quanta, detail::SumsView(expected, shape));
  for_each_variant([&](const Variant& variant) {
    std::vector<std::int64_t> found(expected.size(), 0);
    variant.cpu.accumulate(given.tile(), variant.options, labels, quanta, detail::SumsView(found, shape));
    ASSERT_EQ(found, expected);
  });
}

}  // namespace
}  // namespace lloyd::test
