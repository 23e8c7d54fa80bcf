// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/converge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lloyd/kmeans/lloyd.hpp"
#include "support/problem.hpp"
#include "support/verify.hpp"

namespace lloyd::test {
namespace {

/// sum_i w_i ||x_i - mean||^2 / (W d) in two passes of long double.
template <Real T>
long double variance_by_definition(const Matrix<T>& x, const std::vector<double>& w) {
  const auto weight = [&](Index i) {
    return w.empty() ? 1.0L : static_cast<long double>(w[static_cast<std::size_t>(i)]);
  };
  long double total = 0, sum = 0;
  for (Index i = 0; i < x.rows(); ++i) total += weight(i);
  for (Index q = 0; q < x.cols(); ++q) {
    long double mean = 0;
    for (Index i = 0; i < x.rows(); ++i) mean += weight(i) * static_cast<long double>(x(i, q)) / total;
    for (Index i = 0; i < x.rows(); ++i) {
      const long double t = static_cast<long double>(x(i, q)) - mean;
      sum += weight(i) * t * t;
    }
  }
  return sum / total / static_cast<long double>(x.cols());
}

/// Everything that an iteration knows: labels, sums and the scatter about the origin.
template <Real T>
struct Known {
  Known(const Problem<T>& problem, const Matrix<T>& c) : work(problem.workspace()), origin(detail::mean_of(c.view())) {
    work.c = c;
    std::fill(work.labels.begin(), work.labels.end(), Label{-1});
    const auto prepared = problem.backend.prepare(work.centroids(), std::span<const T>(origin), {}, problem.options);
    detail::ExactSum sum;
    problem.problem.pass([&](const auto& tile) {
      problem.backend.assign_accumulate(tile, prepared, {work.labels}, problem.problem.quanta, work.sums(), &sum,
                                        nullptr);
    });
    scatter = sum.value();
  }
  detail::Workspace<T, Reference> work;
  std::vector<T> origin;
  double scatter = 0;
};

template <class T>
class Converge : public testing::Test {};
using ConvergeScalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Converge, ConvergeScalars);

TYPED_TEST(Converge, VarianceAgainstLongDouble) {
  for (const double offset : {0.0, 100.0, 1e6})
    for (const bool weighted : {false, true})
      for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const auto x = shifted(normal_rows<TypeParam>(200, 5, seed), offset);
        std::vector<double> w;
        for (Index i = 0; i < 200 && weighted; ++i) w.push_back(i % 3 == 0 ? 0 : 1e-3 * static_cast<double>(i));
        Options options;
        options.n_clusters = 4;
        const Problem<TypeParam> problem(options, x, w);
        const auto c = head(x, 4);
        Known<TypeParam> known(problem, c);
        const auto mean = detail::mean_of_rows(known.work.sums(), problem.problem.quanta, problem.problem.rows);
        const std::span<const TypeParam> origin(known.origin);
        EXPECT_FALSE(detail::loses_variance(mean, origin, known.scatter));
        const double found = detail::mean_column_variance(mean, origin, known.scatter);
        const long double expected = variance_by_definition(x, w);
        // The origin lies among the rows, so little cancels, whatever the offset.
        EXPECT_NEAR(found, static_cast<double>(expected), 1e-9 * static_cast<double>(expected)) << "offset " << offset;
      }
}

TYPED_TEST(Converge, VarianceOfEqualRowsIsNotNegative) {
  Matrix<TypeParam> x(7, 3);
  for (Index i = 0; i < 7; ++i)
    for (Index q = 0; q < 3; ++q) x(i, q) = static_cast<TypeParam>(0.1);
  Options options;
  options.n_clusters = 1;
  const Problem<TypeParam> problem(options, x);
  Known<TypeParam> known(problem, head(x, 1));
  const auto mean = detail::mean_of_rows(known.work.sums(), problem.problem.quanta, problem.problem.rows);
  EXPECT_EQ(detail::mean_column_variance(mean, std::span<const TypeParam>(known.origin), known.scatter), 0.0);
}

TYPED_TEST(Converge, InertiaIsEstimatedFromTheSums) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto x = blobs<TypeParam>(300, 4, 5, seed);
    Options options;
    options.n_clusters = 5;
    const Problem<TypeParam> problem(options, x);
    Known<TypeParam> known(problem, head(x, 5));
    problem.backend.divide(known.work.sums(), problem.problem.quanta, known.work.centroids(), known.work.next.view());
    long double inertia = 0;
    for (Index i = 0; i < x.rows(); ++i)
      inertia += direct_distance(x.row(i), known.work.next.row(known.work.labels[static_cast<std::size_t>(i)]), 4);
    const double found =
        detail::estimate_inertia(known.work.sums(), problem.problem.quanta, std::as_const(known.work.next).view(),
                                 std::span<const TypeParam>(known.origin), known.scatter);
    EXPECT_NEAR(found, static_cast<double>(inertia), 1e-12 * known.scatter);
  }
}

TYPED_TEST(Converge, StopsAtTheFirstShiftWithinTheTolerance) {
  int by_shift = 0, by_labels = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const double tol : {0.0, 1e-6, 1e-3, 0.1}) {
      const auto x = normal_rows<TypeParam>(400, 2, seed);
      std::vector<Iteration> seen;
      Options options;
      options.n_clusters = 9;
      options.tol = tol;
      options.seed = seed;
      options.callback = [&](const Iteration& iteration) {
        if (iteration.phase == Iteration::Phase::lloyd) seen.push_back(iteration);
        return true;
      };
      const auto result = KMeans<Reference>(options).fit(x);
      const double threshold = tol * static_cast<double>(variance_by_definition(x, {}));
      ASSERT_EQ(result.stop_reason, StopReason::converged);
      ASSERT_EQ(result.centroid_shift, seen.back().centroid_shift);
      for (const Iteration& iteration : seen) {
        const bool last = &iteration == &seen.back();
        const bool still = iteration.n_changed == 0, small = tol > 0 && iteration.centroid_shift <= threshold;
        ASSERT_EQ(still || small, last) << "iteration " << iteration.number << " of " << result.n_iter;
        by_shift += last && !still ? 1 : 0;
        by_labels += last && still ? 1 : 0;
      }
    }
  EXPECT_GT(by_shift, 10);
  EXPECT_GT(by_labels, 10);
}

TYPED_TEST(Converge, VarianceIsSummedAnewWhereTheOriginLiesFarFromTheRows) {
  for (const double offset : {1e5, 1e6})
    for (const bool weighted : {false, true}) {
      const auto x = shifted(normal_rows<TypeParam>(200, 5, 3), offset);
      std::vector<double> w;
      for (Index i = 0; i < 200 && weighted; ++i) w.push_back(i % 3 == 0 ? 0 : 1e-3 * static_cast<double>(i));
      Options options;
      options.n_clusters = 4;
      const Problem<TypeParam> problem(options, x, w);
      Known<TypeParam> known(problem, head(x, 4));
      const auto mean = detail::mean_of_rows(known.work.sums(), problem.problem.quanta, problem.problem.rows);
      const auto far = generate<TypeParam>(1, 5, [&](Index, Index) { return -offset; });
      detail::Scatter scatter(problem.problem, far.view());
      detail::ExactSum sum;
      for (Index i = 0; i < 200; ++i)
        sum.add_product(problem.source.weighted() ? w[static_cast<std::size_t>(i)] : 1.0,
                        detail::distance(x.row(i), far.row(0), 5));
      const double about_far = std::ldexp(sum.value(), -problem.problem.survey.weight_exponent());
      ASSERT_TRUE(detail::loses_variance(mean, scatter.origin(), about_far));
      const double variance = scatter.take(about_far, known.work.sums());
      EXPECT_NEAR(static_cast<double>(scatter.origin()[2]), mean.value[2], 0.1);
      ASSERT_FALSE(detail::loses_variance(mean, scatter.origin(), scatter.value()));
      const double expected = static_cast<double>(variance_by_definition(x, w));
      EXPECT_NEAR(variance, expected, 1e-9 * expected);
    }
}

}  // namespace
}  // namespace lloyd::test
