// SPDX-License-Identifier: MIT
#include "lloyd/cpu/prepare.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/primitive.hpp"

namespace lloyd::test {
namespace {

template <class T>
class PreparePrimitive : public testing::Test {};
TYPED_TEST_SUITE(PreparePrimitive, Scalars);

TYPED_TEST(PreparePrimitive, ReferenceKeepsTheViews) {
  const Given<TypeParam> given(Kind::blobs, {10, 3, 4, 1}, Weighting::none, 1);
  const auto prepared = given.prepare(Reference(), {}, {});
  EXPECT_EQ(prepared.c.data(), given.c().data());
  EXPECT_EQ(prepared.o.data(), given.origin.data());
}

TYPED_TEST(PreparePrimitive, EqualCentroidsAreOneGroupOfTheLowest) {
  for_each_given<TypeParam>(small_shapes(), [](const Given<TypeParam>& given) {
    const auto c = given.c();
    std::vector<Label> lowest, distinct;
    for (Label j = 0; j < c.rows(); ++j) {
      Label first = 0;
      while (!std::equal(c.row(first), c.row(first) + c.cols(), c.row(j))) ++first;
      lowest.push_back(first);
      if (first == j) distinct.push_back(j);
    }
    for_each_variant([&](const Variant& variant) {
      const auto prepared = given.prepare(variant.cpu, variant.batching, variant.options);
      auto ascending = prepared.distinct;
      std::sort(ascending.begin(), ascending.end());
      ASSERT_EQ(ascending, distinct);
      for (std::size_t j = 0; j < lowest.size(); ++j) {
        const auto group = static_cast<std::size_t>(prepared.group[j]);
        ASSERT_EQ(prepared.distinct.at(group), lowest[j]);
        ASSERT_EQ(prepared.members.at(group), std::count(lowest.begin(), lowest.end(), lowest[j]));
      }
    });
  });
}

TYPED_TEST(PreparePrimitive, ZeroAndMinusZeroAreEqual) {
  auto c = rows_of<TypeParam>({{0.0, 1}, {-0.0, 1}, {0, -1}});
  const auto o = detail::mean_of(std::as_const(c).view());
  for_each_variant([&](const Variant& variant) {
    const auto prepared =
        variant.cpu.prepare(std::as_const(c).view(), std::span<const TypeParam>(o), variant.batching, variant.options);
    ASSERT_EQ(prepared.distinct, (std::vector<Label>{0, 2}));
  });
}

TYPED_TEST(PreparePrimitive, ChoosesTheFormThatIsAskedFor) {
  const Given<TypeParam> narrow(Kind::blobs, {10, 2, 4}, Weighting::none, 1),
      wide(Kind::blobs, {10, 200, 4}, Weighting::none, 1), few(Kind::blobs, {10, 64, 3}, Weighting::none, 1);
  Options options;
  EXPECT_EQ(few.prepare(Cpu(), {}, options).own.scoring, cpu::Scoring::features_in_lanes);
  options.assignment = Assignment::gram;
  EXPECT_EQ(narrow.prepare(Cpu(), {}, options).own.scoring, cpu::Scoring::matrix_product);
  EXPECT_EQ(few.prepare(Cpu(), {}, options).own.scoring, cpu::Scoring::matrix_product);
  options.assignment = Assignment::fused;
  EXPECT_EQ(wide.prepare(Cpu(), {}, options).own.scoring, cpu::Scoring::rows_in_lanes);
}

}  // namespace
}  // namespace lloyd::test
