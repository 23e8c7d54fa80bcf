// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/survey.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/problem.hpp"

namespace lloyd::test {
namespace {

using detail::Span;
using detail::Survey;

Survey survey_of(std::initializer_list<double> values, std::initializer_list<double> w = {}) {
  Survey survey(1);
  for (const double value : values) Survey::see(survey.maxima(), 1, 0, value);
  for (const double weight : w) Survey::see_weight(survey.maxima(), weight);
  return survey;
}

TEST(Survey, KeepsTheLargestAndTheSmallestThatIsNotZero) {
  const Survey survey = survey_of({0, -3, 0.5, -0.0, 2});
  EXPECT_EQ(survey.largest(0), 3);
  EXPECT_EQ(survey.smallest(0), 0.5);
  EXPECT_TRUE(survey.finite());
  EXPECT_EQ(survey_of({0, -0.0}).largest(0), 0);
  EXPECT_EQ(survey_of({-4e-320, 1}).smallest(0), 4e-320);
}

TEST(Survey, FindsWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const double hostile : {infinity, -infinity, nan, -nan}) {
    EXPECT_FALSE(survey_of({1, hostile, 2}).finite());
    EXPECT_FALSE(survey_of({hostile}).finite());
  }
  EXPECT_TRUE(survey_of({std::numeric_limits<double>::max()}).finite());
}

TEST(Survey, ANegativeOrBadWeightShows) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(survey_of({1}, {1, 3, 2}).largest_weight(), 3);
  EXPECT_LT(survey_of({1}, {1, -1e-300, 2}).largest_weight(), 0);
  EXPECT_FALSE(survey_of({1}, {1, nan}).largest_weight() <= std::numeric_limits<double>::max());
  EXPECT_EQ(survey_of({1}, {0, -0.0}).largest_weight(), 0);
  EXPECT_EQ(survey_of({1}, {0, 3, 0.25, 2}).smallest_weight(), 0.25);
  EXPECT_EQ(survey_of({1}, {3, 4e-320}).smallest_weight(), 4e-320);
}

TEST(Survey, WeightsAreScaledTo1To2) {
  for (const double w : {1.0, 1.99, 5.0, 1e-300, 1e300, 0x1p-1060})
    for (const double factor : {1.0, 0x1p-20}) {
      const Survey survey = survey_of({1}, {w, w * factor, 0});
      const double scaled = std::ldexp(w, -survey.weight_exponent());
      if (w > 0x1p-1000) {
        EXPECT_GE(scaled, 1) << w;
        EXPECT_LT(scaled, 2) << w;
      }
      EXPECT_TRUE(std::isfinite(std::ldexp(1, -survey.weight_exponent())));
      EXPECT_GT(std::ldexp(1, -survey.weight_exponent()), 0);
    }
  EXPECT_EQ(survey_of({1}).weight_exponent(), 0);
}

TEST(Survey, SpansHoldEveryTerm) {
  Random random(4);
  for (int repeat = 0; repeat < 3000; ++repeat) {
    const bool weighted = random.flip();
    Survey survey(1);
    std::vector<double> x, w;
    for (Index i = random.between(1, 8); i > 0; --i) {
      const auto e = static_cast<int>(random.between(-200, 200));
      x.push_back(random.below(6) == 0 ? 0 : std::ldexp(random.uniform(-2, 2), e));
      w.push_back(weighted ? std::ldexp(random.uniform(0, 2), static_cast<int>(random.between(-100, 100))) : 1);
      Survey::see(survey.maxima(), 1, 0, x.back());
      if (weighted) Survey::see_weight(survey.maxima(), w.back());
    }
    const auto spans = survey.columns(53, -1074);
    ASSERT_EQ(spans.size(), weighted && survey.largest_weight() > 0 ? 2U : 1U);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double scaled = std::ldexp(w[i], -survey.weight_exponent());
      if (x[i] == 0 || scaled == 0) continue;
      ASSERT_LT(std::fabs(scaled * x[i]), std::ldexp(1, spans[0].high));
      ASSERT_GE(detail::lowest_set_bit(x[i]) + detail::lowest_set_bit(scaled), spans[0].low);
      if (spans.size() < 2) continue;
      ASSERT_LT(scaled, std::ldexp(1, spans[1].high));
      ASSERT_GE(detail::lowest_set_bit(scaled), spans[1].low);
    }
  }
}

TEST(Survey, FloatsReachDownToTheirSubnormals) {
  const double least = static_cast<double>(std::numeric_limits<float>::denorm_min());
  const auto spans = survey_of({1, least}).columns(24, -149);
  EXPECT_EQ(spans[0].high, 1);
  EXPECT_EQ(spans[0].low, -149);
  EXPECT_GE(survey_of({0, 0}).columns(24, -149)[0].low, survey_of({0, 0}).columns(24, -149)[0].high) << "all zero";
}

TEST(SurveyOfAProblem, FillsInWhatTheRowsTell) {
  const auto x = mixed_scales<double>(500, 3, 1, 20);
  Options options;
  options.n_clusters = 4;
  const Problem<double> problem(options, x, std::vector<double>(500, 3.0));
  EXPECT_TRUE(problem.surveyed);
  EXPECT_EQ(problem.problem.rows.n, 500);
  EXPECT_EQ(problem.problem.rows.local, 500);
  EXPECT_EQ(problem.problem.rows.d, 3);
  EXPECT_EQ(problem.problem.rows.first, 0);
  EXPECT_EQ(problem.problem.quanta.columns(), 4) << "the last is the weight";
  EXPECT_EQ(problem.problem.survey.weight_exponent(), 1);
  EXPECT_GE(problem.problem.batching.rows, 1);
}

}  // namespace
}  // namespace lloyd::test
