// SPDX-License-Identifier: MIT
// Laws: what must come out the same, bit for bit, when the same problem is put in another way; and what may differ only
// within a bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "support/backends.hpp"
#include "support/checked.hpp"
#include "support/data.hpp"
#include "support/verify.hpp"

namespace lloyd::test {
namespace {

template <class Entry>
class Laws : public testing::Test {};
TYPED_TEST_SUITE(Laws, EveryBackend, BackendNames);

/// A problem from given centroids, by number: plain and hostile rows, with and without weights.
template <Real T>
[[nodiscard]] Input<T> problem(std::uint64_t number) {
  Random random(1000 + number);
  const Index n = random.between(20, 150), d = random.between(1, 12), k = random.between(2, 9);
  Input<T> input;
  switch (number % 6) {
    case 0:
      input.x = blobs<T>(n, d, k, number);
      break;
    case 1:
      input.x = grid_rows<T>(n, d, number);
      break;
    case 2:
      input.x = duplicated_rows<T>(n, d, k + 3, number);
      break;
    case 3:
      input.x = mixed_scales<T>(n, d, number, 20);
      break;
    case 4:
      input.x = shifted(blobs<T>(n, d, k, number), 1e6);
      break;
    default:
      input.x = mirrored_rows<T>(n, d, number);
      break;
  }
  if (random.flip()) {
    for (Index i = 0; i < n; ++i) input.w.push_back(random.below(5) == 0 ? 0 : random.uniform(0.1, 3));
    input.w[0] = 1;
  }
  input.c = rows_at(input.x, permutation(n, number));
  input.c = head(input.c, k);
  return input;
}
constexpr std::uint64_t problems = 30;

/// Options of a problem. Clusters that run empty are kept: relocation breaks ties by row number, and so depends on
/// order.
template <Real T>
[[nodiscard]] Options options_of(const Input<T>& input, std::uint64_t number) {
  Options options{.n_clusters = input.c.rows(), .tol = number % 2 == 0 ? 0 : 1e-3};
  options.empty_clusters = EmptyClusters::keep;
  return options;
}

template <class Entry>
[[nodiscard]] Outcome<typename Entry::Scalar> run(const Options& options, const Input<typename Entry::Scalar>& input) {
  return outcome_of(fit_input(kmeans_of<Entry>(options), input));
}

TYPED_TEST(Laws, RowsPermuted) {
  for (std::uint64_t number = 0; number < problems; ++number) {
    const auto input = problem<typename TypeParam::Scalar>(number);
    const auto order = permutation(input.x.rows(), number + 5);
    auto permuted = input;
    permuted.x = rows_at(input.x, order);
    for (std::size_t i = 0; i < input.w.size(); ++i) permuted.w[i] = input.w[static_cast<std::size_t>(order[i])];
    auto expected = run<TypeParam>(options_of(input, number), input);
    const auto labels = expected.labels;
    for (std::size_t i = 0; i < labels.size(); ++i) expected.labels[i] = labels[static_cast<std::size_t>(order[i])];
    EXPECT_EQ(difference(expected, run<TypeParam>(options_of(input, number), permuted)), "") << "problem " << number;
  }
}

TYPED_TEST(Laws, ARowTwiceIsWeightTwo) {
  for (std::uint64_t number = 0; number < problems; ++number) {
    auto once = problem<typename TypeParam::Scalar>(number);
    if (once.w.empty()) once.w.assign(static_cast<std::size_t>(once.x.rows()), 1);
    auto twice = once;
    std::vector<Index> rows(static_cast<std::size_t>(once.x.rows()));
    std::iota(rows.begin(), rows.end(), Index{0});
    for (Index i = 0; i < once.x.rows(); i += 3) {
      rows.push_back(i);
      twice.w.push_back(once.w[static_cast<std::size_t>(i)]);
      once.w[static_cast<std::size_t>(i)] *= 2;
    }
    twice.x = rows_at(once.x, rows);
    const auto expected = run<TypeParam>(options_of(once, number), once);
    auto result = run<TypeParam>(options_of(once, number), twice);
    result.labels.resize(static_cast<std::size_t>(once.x.rows()));
    result.cluster_sizes = expected.cluster_sizes;
    EXPECT_EQ(difference(expected, result), "") << "problem " << number;
  }
}

TYPED_TEST(Laws, RowsOfWeightZeroMoveNothing) {
  using T = typename TypeParam::Scalar;
  for (std::uint64_t number = 0; number < problems; ++number) {
    auto input = problem<T>(number);
    if (input.w.empty()) input.w.assign(static_cast<std::size_t>(input.x.rows()), 1);
    auto more = input;
    more.x = Matrix<T>(input.x.rows() + 10, input.x.cols());
    for (Index i = 0; i < more.x.rows(); ++i)
      for (Index q = 0; q < more.x.cols(); ++q) more.x(i, q) = i < input.x.rows() ? input.x(i, q) : T(1e5) * T(i);
    more.w.resize(static_cast<std::size_t>(more.x.rows()), 0);
    auto expected = run<TypeParam>(options_of(input, number), input);
    auto result = run<TypeParam>(options_of(input, number), more);
    result.labels.resize(expected.labels.size());
    result.cluster_sizes = expected.cluster_sizes;
    if (options_of(input, number).tol == 0) {
      // Without tol the fit goes on until no label changes, and rows of weight 0 have labels too.
      EXPECT_GE(result.n_iter, expected.n_iter);
      result.n_iter = expected.n_iter;
      result.centroid_shift = expected.centroid_shift;
    }
    EXPECT_EQ(difference(expected, result), "") << "problem " << number;
  }
}

TYPED_TEST(Laws, ScaledByAPowerOfTwo) {
  for (std::uint64_t number = 0; number < problems; ++number) {
    const auto input = problem<typename TypeParam::Scalar>(number);
    for (const double factor : {0x1p-30, 0x1p3, 0x1p40}) {
      auto other = input;
      other.x = scaled(input.x, factor);
      other.c = scaled(input.c, factor);
      auto expected = run<TypeParam>(options_of(input, number), input);
      expected.centroids = scaled(expected.centroids, factor);
      expected.inertia *= factor * factor;
      expected.centroid_shift *= factor * factor;
      EXPECT_EQ(difference(expected, run<TypeParam>(options_of(input, number), other)), "") << "problem " << number;
    }
  }
}

TYPED_TEST(Laws, WeightsScaledByAPowerOfTwo) {
  for (std::uint64_t number = 0; number < problems; ++number) {
    auto input = problem<typename TypeParam::Scalar>(number);
    if (input.w.empty()) input.w.assign(static_cast<std::size_t>(input.x.rows()), 1);
    for (const double factor : {0x1p-900, 0x1p-1, 0x1p700}) {
      auto other = input;
      for (double& w : other.w) w *= factor;
      auto expected = run<TypeParam>(options_of(input, number), input);
      expected.inertia *= factor;
      for (double& w : expected.cluster_weights) w *= factor;
      EXPECT_EQ(difference(expected, run<TypeParam>(options_of(input, number), other)), "") << "problem " << number;
    }
  }
}

// Equal weights are no weights: only their sums are other numbers.
TYPED_TEST(Laws, EqualWeightsAreNone) {
  for (std::uint64_t number = 0; number < problems; ++number) {
    auto input = problem<typename TypeParam::Scalar>(number);
    input.w = std::vector<double>();
    auto other = input;
    other.w.assign(static_cast<std::size_t>(input.x.rows()), 0.25);
    auto expected = run<TypeParam>(options_of(input, number), input);
    expected.inertia *= 0.25;
    for (double& w : expected.cluster_weights) w *= 0.25;
    EXPECT_EQ(difference(expected, run<TypeParam>(options_of(input, number), other)), "") << "problem " << number;
  }
}

// No weights are no weights, whatever the vector held before.
TYPED_TEST(Laws, AClearedVectorIsNoWeights) {
  auto input = problem<typename TypeParam::Scalar>(0);
  input.w = std::vector<double>();
  auto cleared = input;
  cleared.w.assign(static_cast<std::size_t>(input.x.rows()), 2);
  cleared.w.clear();
  const auto options = options_of(input, 0);
  EXPECT_EQ(difference(run<TypeParam>(options, input), run<TypeParam>(options, cleared)), "");
}

// A constant column adds 0 to one lane of every D between rows and means. (With tol > 0 it changes the mean variance.)
TYPED_TEST(Laws, ConstantColumnsChangeNothing) {
  using T = typename TypeParam::Scalar;
  for (std::uint64_t number = 0; number < problems; ++number) {
    const auto input = problem<T>(number);
    const Index d = input.x.cols();
    const auto widened = [&](const Matrix<T>& x) {
      return generate<T>(x.rows(), d + 9, [&](Index i, Index q) { return q < d ? x(i, q) : T(-0.37 * double(q)); });
    };
    Options options = options_of(input, number);
    options.tol = 0;
    auto result = run<TypeParam>(options, {widened(input.x), input.w, widened(input.c)});
    result.centroids = generate<T>(input.c.rows(), d, [&](Index j, Index q) { return result.centroids(j, q); });
    EXPECT_EQ(difference(run<TypeParam>(options, input), result), "") << "problem " << number;
  }
}

// Numbering the centroids differently numbers the clusters differently, where no row is as near to two of them.
TYPED_TEST(Laws, CentroidsPermuted) {
  using T = typename TypeParam::Scalar;
  for (std::uint64_t number = 0; number < problems; ++number) {
    const auto x = normal_rows<T>(100, 5, number);
    const Input<T> input{x, {}, head(x, 7)};
    const auto order = permutation(7, number + 1);
    const Options options{.n_clusters = 7, .tol = 0};
    const auto expected = run<TypeParam>(options, input);
    const auto result = run<TypeParam>(options, {x, {}, rows_at(input.c, order)});
    EXPECT_EQ(result.inertia, expected.inertia);
    EXPECT_EQ(result.n_iter, expected.n_iter);
    EXPECT_EQ(result.centroids, rows_at(expected.centroids, order));
    for (std::size_t i = 0; i < 100; ++i)
      EXPECT_EQ(order[static_cast<std::size_t>(result.labels[i])], expected.labels[i]) << "problem " << number;
  }
}

TYPED_TEST(Laws, ThreadsTilesAndSources) {
  using T = typename TypeParam::Scalar;
  for (std::uint64_t number = 0; number < problems; ++number) {
    const auto given = problem<T>(number);
    for (const bool seeded : {false, true}) {
      const Input<T> input = seeded ? Input<T>{given.x, given.w} : given;
      Options options = options_of(given, number);
      options.empty_clusters = EmptyClusters::relocate;
      options.init = every_init[number % 3];
      options.seed = number;
      const auto expected = run<TypeParam>(options, input);
      for (const Index batch : {1, 5, 32, 1000}) {
        Options other = options;
        other.batch_rows = batch;
        other.batch_centroids = batch % 4 + 1;
        const int threads = static_cast<int>(batch % 7) + 1;
        EXPECT_EQ(difference(expected, outcome_of(fit_input(kmeans_of<TypeParam>(other, threads), input))), "")
            << "problem " << number << ", " << batch << " rows a tile, " << threads << " threads";
        const TiledSource<T> source(input.x, input.w, {batch, 0, 3 * batch + 1});
        EXPECT_EQ(difference(expected, outcome_of(fit_source(kmeans_of<TypeParam>(options), input, source))), "")
            << "problem " << number << ", streamed by " << batch;
      }
    }
  }
}

// Whole numbers and a whole offset are exact in either type, so D and the partition of clean groups do not change; the
// means round to the spacing of T at 1e6.
TYPED_TEST(Laws, ShiftedByAMillion) {
  using T = typename TypeParam::Scalar;
  const double offset = 1e6, spacing = std::is_same_v<T, float> ? 0x1p-4 : 0x1p-33;
  for (std::uint64_t number = 0; number < problems; ++number) {
    auto x = grid_rows<T>(120, 3, number, 4);
    for (Index i = 0; i < 120; ++i) x(i, i % 3) += T(40) * T(i % 4);
    const Input<T> here{x, {}, head(x, 10)}, there{shifted(x, offset), {}, shifted(here.c, offset)};
    const Options options{.n_clusters = 10, .max_iter = 1};
    // One iteration from centroids that are shifted exactly: the same labels in it, so the same means but for rounding.
    EXPECT_EQ(predict(kmeans_of<TypeParam>(options), here.c, here.x),
              predict(kmeans_of<TypeParam>(options), there.c, there.x));
    const auto a = run<TypeParam>(options, here), b = run<TypeParam>(options, there);
    for (Index j = 0; j < 10; ++j)
      for (Index q = 0; q < 3; ++q)
        EXPECT_NEAR(double(b.centroids(j, q)) - offset, double(a.centroids(j, q)), spacing) << "problem " << number;
  }
}

// Rows nearer to another mean move there, means minimise the squares of their rows: the inertia of the centroids after
// t iterations never rises, but for the rounding of D (1e-12) and of the means to T.
TYPED_TEST(Laws, InertiaNeverRises) {
  using T = typename TypeParam::Scalar;
  for (std::uint64_t number = 0; number < problems; ++number) {
    const auto input = problem<T>(number);
    for (const auto policy : {EmptyClusters::keep, EmptyClusters::relocate}) {
      Options options = options_of(input, number);
      options.tol = 0;
      options.empty_clusters = policy;
      double largest = 0, weight = 0;
      for (Index i = 0; i < input.x.rows(); ++i) {
        for (Index q = 0; q < input.x.cols(); ++q) largest = (std::max)(largest, std::fabs(double(input.x(i, q))));
        weight += input.w.empty() ? 1 : input.w[static_cast<std::size_t>(i)];
      }
      const double rounding = std::numeric_limits<T>::epsilon() / 2 * largest;
      const double slack = weight * static_cast<double>(input.x.cols()) * rounding * rounding;
      double before = std::numeric_limits<double>::infinity();
      for (options.max_iter = 0; options.max_iter < 8; ++options.max_iter) {
        const double inertia = run<TypeParam>(options, input).inertia;
        EXPECT_LE(inertia, before * (1 + 1e-12) + slack) << "problem " << number << ", t " << options.max_iter;
        before = inertia;
      }
    }
  }
}

// 6 rows: limbs of 61 - 3 bits, six of them, less 60 bits that are left of the smallest weight.
TYPED_TEST(Laws, WeightsThatSpanMoreThanSumsKeepAreRefused) {
  using T = typename TypeParam::Scalar;
  const auto x = column_of<T>({1, 2, 1000, 1002, 5000, 5003}), c = column_of<T>({1, 1000, 5000});
  for (const double scale : {1.0, 3.0, 0x1p-700, 0x1p700}) {
    const auto weights = [&](double large, double small) {
      return std::vector<double>{large * scale, large * scale, small * scale,
                                 small * scale, small * scale, small * scale};
    };
    for (const double small : {0.0, 0x1p-288, 0x1p-100}) {
      const auto result =
          run<TypeParam>({.n_clusters = 3, .empty_clusters = EmptyClusters::keep}, {x, weights(1, small), c});
      EXPECT_EQ(result.centroids, small == 0 ? column_of<T>({1.5, 1000, 5000}) : column_of<T>({1.5, 1001, 5001.5}));
      for (const Init init : every_init)
        EXPECT_EQ(run<TypeParam>({.n_clusters = 3, .init = init}, {x, weights(1, small)}).labels.size(), 6U);
    }
    for (const auto& w : {weights(1, 0x1p-289), weights(1 + 0x1p-52, 0x1p-288), weights(1, 1e-107)}) {
      bool worked = false;
      Options options{.n_clusters = 3};
      options.callback = [&](const Iteration&) { return worked = true; };
      const auto message = refusal_of([&] { (void)run<TypeParam>(options, {x, w, c}); });
      EXPECT_NE(message.find("of 6 rows at most 2^288 is kept (set such small weights to 0)"), std::string::npos)
          << message;
      EXPECT_NE(refusal_of([&] { (void)run<TypeParam>(options, {x, w}); }), "");
      const TiledSource<T> source(x, w, {1});
      EXPECT_EQ(refusal_of([&] {
                  (void)fit_source(kmeans_of<TypeParam>(options), Input<T>{x, w, c}, source);
                }),
                message);
      EXPECT_FALSE(worked);
    }
  }
  const std::vector<double> w{1, 1, 1, 0x1p-300, 0, 1};
  EXPECT_EQ(refusal_of([&] {
              (void)run<TypeParam>({.n_clusters = 3}, {x, w, c});
            }),
            "lloyd::KMeans::fit_from: the largest weight 1 is 2^300 times the smallest positive one 4.90909e-91; of 6 "
            "rows at most 2^288 is kept (set such small weights to 0)");
}

TYPED_TEST(Laws, RowsThatAreNotFiniteScoreAsSuch) {
  using T = typename TypeParam::Scalar;
  const T infinity = std::numeric_limits<T>::infinity();
  const auto kmeans = kmeans_of<TypeParam>({.check_finite = false});
  const auto c = column_of<T>({0, 1});
  const auto score = [&](T hostile, const std::vector<double>& w) {
    Matrix<T> y = column_of<T>({1, 4, 3});
    y(1, 0) = hostile;
    return kmeans.score(c, y, w);
  };
  for (const double weight : {1.0, 0.3, 1e-200}) {
    EXPECT_EQ(score(infinity, {1, weight, 1}), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(score(-infinity, {1, weight, 1}), -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(score(std::numeric_limits<T>::quiet_NaN(), {1, weight, 1})));
  }
  EXPECT_EQ(score(infinity, {}), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(score(infinity, {1, 0, 1}), -4) << "a row of weight 0 adds nothing";
  EXPECT_EQ(score(4, {}), -13);
  Matrix<T> y = column_of<T>({1, 4});
  y(1, 0) = infinity;
  EXPECT_EQ(kmeans.assign(c, y).distances, (std::vector<double>{0, std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(kmeans.transform(c, y)(1, 1), std::numeric_limits<double>::infinity());
}

/// A fit on both backends.
[[nodiscard]] Outcome<double> run_both(const Options& options, const Input<double>& input) {
  const auto result = run<On<Cpu, double>>(options, input);
  EXPECT_EQ(difference(run<On<Reference, double>>(options, input), result), "");
  return result;
}

// Scatter about the mean of such centroids exceeds that about the mean of the rows by more than double has digits.
TEST(FarCentroids, TolIsOfTheVarianceOfTheRows) {
  const double offset = 1.7e9;
  const auto x = generate<double>(600, 1, [&](Index i, Index) { return offset + static_cast<double>(i) / 60; });
  const double variance = (600.0 * 600 - 1) / 12 / 3600;
  for (const double first : {0.0, -1e15, offset + 20})
    for (const auto empty : {EmptyClusters::relocate, EmptyClusters::keep}) {
      Options options{.n_clusters = 6, .empty_clusters = empty};
      double estimate = 0, shift_before = 1e300;
      options.callback = [&](const Iteration& it) {
        if (it.phase != Iteration::Phase::lloyd) return true;
        EXPECT_GT(shift_before, 1e-4 * variance * (1 + 1e-6)) << "went on after " << it.number;
        shift_before = it.centroid_shift;
        estimate = it.inertia;
        return true;
      };
      auto c = generate<double>(6, 1, [&](Index j, Index) { return offset + static_cast<double>(j) / 10; });
      c(0, 0) = first;
      const auto result = outcome_of(fit_input(KMeans<Cpu>(options), Input<double>{x, {}, c}));
      EXPECT_EQ(result.stop_reason, StopReason::converged);
      EXPECT_LE(result.centroid_shift, 1e-4 * variance * (1 + 1e-6));
      EXPECT_GT(result.n_iter, 3);
      EXPECT_NEAR(estimate, result.inertia, 0.1 * result.inertia) << "of the iteration before the last labels";
      options.callback = {};
      EXPECT_EQ(difference(run_both(options, {x, {}, c}), result), "");
    }
}

TEST(FarCentroids, AnOffsetChangesNoIteration) {
  const auto input = [](double offset) {
    auto c = generate<double>(6, 1, [&](Index j, Index) { return offset + static_cast<double>(j); });
    c(0, 0) = offset - 0x1p43;
    return Input<double>{
        generate<double>(600, 1, [&](Index i, Index) { return offset + static_cast<double>(i); }), {}, c};
  };
  for (const double tol : {1e-2, 1e-4, 1e-6}) {
    const Options options{.n_clusters = 6, .tol = tol};
    const auto expected = run_both(options, input(0));
    EXPECT_GT(expected.n_iter, 3);
    for (const double offset : {0x1p20, 0x1p30, 0x1p36, 0x1p40})
      EXPECT_EQ(run_both(options, input(offset)).n_iter, expected.n_iter) << "offset " << offset << ", tol " << tol;
  }
}

}  // namespace
}  // namespace lloyd::test
