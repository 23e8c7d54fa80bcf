// SPDX-License-Identifier: MIT
#include "lloyd/cpu/survey.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/primitive.hpp"

namespace lloyd::test {
namespace {

template <class T>
class SurveyPrimitive : public testing::Test {};
TYPED_TEST_SUITE(SurveyPrimitive, Scalars);

/// Threads survey runs of 65536 / d rows.
const std::vector<Shape> shapes = {{64, 1000, 1}, {65, 1000, 1, 3}, {66, 1000, 1}, {131, 1000, 1}, {1, 70000, 1}};

TYPED_TEST(SurveyPrimitive, FindsTheLargestAndTheSmallest) {
  for_each_given<TypeParam>(small_shapes(), [](const Given<TypeParam>& given) {
    detail::Survey survey(given.shape.d);
    const auto tile = given.tile();
    Reference().survey(tile, survey.maxima());
    for (Index q = 0; q < given.shape.d; ++q) {
      double largest = 0, smallest = std::numeric_limits<double>::infinity();
      for (Index i = 0; i < given.shape.n; ++i) {
        const double size = std::fabs(static_cast<double>(tile.x(i, q)));
        largest = std::max(largest, size);
        if (size > 0) smallest = std::min(smallest, size);
      }
      ASSERT_EQ(survey.largest(q), largest);
      if (largest > 0) {
        ASSERT_EQ(survey.smallest(q), smallest);
      }
    }
    double weight = 0, least = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < given.shape.n && given.weighted(); ++i) {
      weight = std::max(weight, tile.w(i));
      if (tile.w(i) > 0) least = std::min(least, tile.w(i));
    }
    ASSERT_EQ(survey.largest_weight(), weight);
    if (weight > 0) {
      ASSERT_EQ(survey.smallest_weight(), least);
    }
  });
}

TYPED_TEST(SurveyPrimitive, CpuRaisesTheSameMaxima) {
  const auto compare = [](const Given<TypeParam>& given) {
    detail::Survey before(given.shape.d);  // of another tile: maxima are raised, never cleared
    detail::Survey::see(before.maxima(), given.shape.d, 0, 3.5);
    detail::Survey::see_weight(before.maxima(), 1.5);
    detail::Survey expected = before;
    Reference().survey(given.tile(), expected.maxima());
    for_each_variant([&](const Variant& variant) {
      detail::Survey found = before;
      variant.cpu.survey(given.tile(), found.maxima());
      ASSERT_TRUE(std::equal(found.maxima().begin(), found.maxima().end(), expected.maxima().begin()));
    });
  };
  for_each_given<TypeParam>(small_shapes(), compare);
  for_each_given<TypeParam>(shapes, compare);
}

TYPED_TEST(SurveyPrimitive, SeesZeroSubnormalAndWhatIsNotFinite) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const TypeParam hostile : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), Limits::denorm_min(),
                                  -Limits::denorm_min(), TypeParam(-0.0), Limits::max()}) {
    Matrix<TypeParam> x(200, 3);
    x(150, 1) = hostile;
    const Tile<TypeParam> tile{std::as_const(x).view(), {}, 0, 0, 1};
    detail::Survey expected(3);
    Reference().survey(tile, expected.maxima());
    EXPECT_EQ(expected.finite(), std::isfinite(hostile));
    for_each_variant([&](const Variant& variant) {
      detail::Survey found(3);
      variant.cpu.survey(tile, found.maxima());
      ASSERT_TRUE(std::equal(found.maxima().begin(), found.maxima().end(), expected.maxima().begin())) << hostile;
    });
  }
}

}  // namespace
}  // namespace lloyd::test
