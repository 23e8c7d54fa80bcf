// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/validate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/problem.hpp"

namespace lloyd::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

/// The text of the InvalidArgument that a call ends with; "" for none.
template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

template <class Change>
std::string refusal_with(const Change& change) {
  Options options;
  change(options);
  return refusal_of([&] { KMeans<Reference>{options}; });
}

TEST(Validate, EveryOptionByName) {
  EXPECT_EQ(refusal_with([](Options&) {}), "");
  EXPECT_EQ(refusal_with([](Options& o) { o.n_clusters = 0; }), "lloyd::KMeans: n_clusters 0 < 1");
  EXPECT_EQ(refusal_with([](Options& o) { o.n_clusters = -1; }), "lloyd::KMeans: n_clusters -1 < 1");
  EXPECT_EQ(refusal_with([](Options& o) { o.n_clusters = Index{1} << 31; }),
            "lloyd::KMeans: n_clusters 2147483648 > 2^31 - 1");
  EXPECT_EQ(refusal_with([](Options& o) { o.n_init = 0; }), "lloyd::KMeans: n_init 0 < 1");
  EXPECT_EQ(refusal_with([](Options& o) { o.n_init = Index{1} << 28; }), "lloyd::KMeans: n_init 268435456 >= 2^28");
  EXPECT_EQ(refusal_with([](Options& o) { o.max_iter = -1; }), "lloyd::KMeans: max_iter -1 < 0");
  EXPECT_EQ(refusal_with([](Options& o) { o.tol = -1; }), "lloyd::KMeans: tol -1, expected a finite number >= 0");
  EXPECT_EQ(refusal_with([](Options& o) { o.tol = nan; }), "lloyd::KMeans: tol nan, expected a finite number >= 0");
  EXPECT_EQ(refusal_with([](Options& o) { o.tol = infinity; }),
            "lloyd::KMeans: tol inf, expected a finite number >= 0");
  EXPECT_EQ(refusal_with([](Options& o) { o.init_size = -1; }), "lloyd::KMeans: init_size -1 < 0");
  EXPECT_EQ(refusal_with([](Options& o) { o.init_size = 7; }),
            "lloyd::KMeans: init_size 7 < n_clusters 8 (0 seeds from all rows)");
  EXPECT_EQ(refusal_with([](Options& o) { o.n_local_trials = -1; }), "lloyd::KMeans: n_local_trials -1 < 0");
  EXPECT_EQ(refusal_with([](Options& o) { o.init_rounds = -1; }), "lloyd::KMeans: init_rounds -1 < 0");
  EXPECT_EQ(refusal_with([](Options& o) { o.init_rounds = Index{1} << 28; }),
            "lloyd::KMeans: init_rounds 268435456 >= 2^28");
  EXPECT_EQ(refusal_with([](Options& o) { o.oversampling_factor = 0; }),
            "lloyd::KMeans: oversampling_factor 0, expected a finite number > 0");
  EXPECT_EQ(refusal_with([](Options& o) { o.oversampling_factor = nan; }),
            "lloyd::KMeans: oversampling_factor nan, expected a finite number > 0");
  EXPECT_EQ(refusal_with([](Options& o) { o.memory_budget = 0; }), "lloyd::KMeans: memory_budget 0 bytes");
  EXPECT_EQ(refusal_with([](Options& o) { o.batch_rows = -1; }), "lloyd::KMeans: batch_rows -1 < 0");
  EXPECT_EQ(refusal_with([](Options& o) { o.batch_centroids = -5; }), "lloyd::KMeans: batch_centroids -5 < 0");
}

TEST(Validate, UnknownChoices) {
  EXPECT_EQ(refusal_with([](Options& o) { o.init = static_cast<Init>(3); }), "lloyd::KMeans: unknown init 3");
  EXPECT_EQ(refusal_with([](Options& o) { o.empty_clusters = static_cast<EmptyClusters>(2); }),
            "lloyd::KMeans: unknown empty_clusters 2");
  EXPECT_EQ(refusal_with([](Options& o) { o.update = static_cast<CentroidUpdate>(9); }),
            "lloyd::KMeans: unknown update 9");
  EXPECT_EQ(refusal_with([](Options& o) { o.assignment = static_cast<Assignment>(255); }),
            "lloyd::KMeans: unknown assignment 255");
}

TEST(Validate, SeedsAndEndsOfTheRangeAreAccepted) {
  for (const std::uint64_t seed : {std::uint64_t{0}, ~std::uint64_t{0}})
    EXPECT_EQ(refusal_with([&](Options& o) { o.seed = seed; }), "");
  EXPECT_EQ(refusal_with([](Options& o) { o.max_iter = 0, o.tol = 0; }), "");
  EXPECT_EQ(refusal_with([](Options& o) { o.init_size = o.n_clusters; }), "");
}

/// fit on these rows, k = 2.
template <Real T>
std::string refusal_of_fit(const Matrix<T>& x, const std::vector<double>& w = {}, Index k = 2) {
  Options options;
  options.n_clusters = k;
  return refusal_of([&] { (void)KMeans<Reference>(options).fit(x, w); });
}

TEST(Validate, Rows) {
  EXPECT_EQ(refusal_of_fit(Matrix<float>(0, 3)), "lloyd::KMeans::fit: x has no rows");
  EXPECT_EQ(refusal_of_fit(Matrix<float>(3, 0)), "lloyd::KMeans::fit: x has no columns");
  EXPECT_EQ(refusal_of_fit(Matrix<float>(3, 1), {}, 4), "lloyd::KMeans::fit: n_clusters 4 > rows of x 3");
  for (const double hostile : {nan, infinity, -infinity}) {
    auto x = rows_of<float>({{1, 2}, {3, 4}, {5, 6}});
    x(2, 1) = static_cast<float>(hostile);
    EXPECT_EQ(refusal_of_fit(x), detail::text("lloyd::KMeans::fit: x(2, 1) is ", hostile, "; values must be finite"));
  }
  auto y = rows_of<double>({{1, 2}, {-1e151, 4}});
  EXPECT_EQ(refusal_of_fit(y),
            "lloyd::KMeans::fit: x(1, 0) is -1e+151; float64 values must be within 2^500 of zero (squared "
            "distances would overflow)");
  y(1, 0) = -0x1p500;
  EXPECT_EQ(refusal_of_fit(y), "");
  auto most = rows_of<float>({{1, 2}, {3, 4}});
  most(1, 1) = std::numeric_limits<float>::max();
  EXPECT_EQ(refusal_of_fit(most), "") << "float has no limit";
}

TEST(Validate, WeightsOfRows) {
  const auto x = rows_of<float>({{1, 2}, {3, 4}, {5, 6}});
  EXPECT_EQ(refusal_of_fit(x, {1, 1}), "lloyd::KMeans::fit: 2 weights, expected 3 (one a row) or none");
  EXPECT_EQ(refusal_of_fit(x, {1, 1, 1, 1}), "lloyd::KMeans::fit: 4 weights, expected 3 (one a row) or none");
  EXPECT_EQ(refusal_of_fit(x, {0, 0, 0}), "lloyd::KMeans::fit: all weights are zero");
  EXPECT_EQ(refusal_of_fit(x, {1, -2, 1}), "lloyd::KMeans::fit: weight 1 is -2; weights must be finite and >= 0");
  EXPECT_EQ(refusal_of_fit(x, {1, 2, nan}), "lloyd::KMeans::fit: weight 2 is nan; weights must be finite and >= 0");
  EXPECT_EQ(refusal_of_fit(x, {infinity, 2, 1}),
            "lloyd::KMeans::fit: weight 0 is inf; weights must be finite and >= 0");
  EXPECT_EQ(refusal_of_fit(x, {1, 0, 0}), "");
  EXPECT_EQ(refusal_of_fit(x, {-0.0, 1, 2}), "") << "a zero of either sign";
}

TEST(Validate, NoWeightsAreOnes) {
  // A vector without values may still point to memory: it must not be read.
  const auto x = blobs<double>(60, 2, 3, 1);
  std::vector<double> none(60, 0.0);
  none.clear();
  Options options;
  options.n_clusters = 3;
  const auto result = KMeans<Reference>(options).fit(x, none), expected = KMeans<Reference>(options).fit(x);
  EXPECT_EQ(result.centroids, expected.centroids);
  EXPECT_EQ(result.inertia, expected.inertia);
  EXPECT_EQ(result.n_empty, 0);
}

TEST(Validate, AnInertiaBeyondDouble) {
  const auto x = rows_of<double>({{0x1p499}, {-0x1p499}, {0}});
  EXPECT_NE(refusal_of_fit(x, {0x1p40, 1, 1}).find("have an inertia beyond the largest double"), std::string::npos);
  EXPECT_EQ(refusal_of_fit(x, {1, 1, 1}), "");
}

TEST(Validate, MoreTrialsThanRows) {
  const auto x = rows_of<float>({{1, 2}, {3, 4}, {5, 6}});
  const auto with = [&](Index trials) {
    return refusal_of([&] { (void)KMeans<Reference>({.n_clusters = 2, .n_local_trials = trials}).fit(x); });
  };
  EXPECT_EQ(with(3), "");
  EXPECT_EQ(with(4), "lloyd::KMeans::fit: n_local_trials 4 > rows of x 3");
  EXPECT_EQ(with(Index{1} << 45), "lloyd::KMeans::fit: n_local_trials 35184372088832 > rows of x 3");
  const KMeans<Reference> given({.n_clusters = 2, .n_local_trials = 4});
  EXPECT_EQ(given.fit_from(head(x, 2), x).n_empty, 0) << "where nothing is drawn there are no trials";
}

TEST(Validate, Scores) {
  const KMeans<Reference> kmeans({});
  const auto c = rows_of<double>({{0, 0}, {1, 1}});
  EXPECT_FALSE(std::signbit(kmeans.score(c, c))) << "0, not -0";
  EXPECT_FALSE(std::signbit(kmeans.score(c, Matrix<double>(0, 2))));
  Matrix<double> y(1 << 12, 200);
  for (Index i = 0; i < y.rows(); ++i)
    for (Index q = 0; q < y.cols(); ++q) y(i, q) = 0x1p500;
  EXPECT_EQ(refusal_of([&] { (void)kmeans.score(Matrix<double>(1, 200), y); }),
            "lloyd::KMeans::score: values up to 3.27339e+150 with weights up to 1 have an inertia beyond the largest "
            "double");
}

TEST(Validate, SizesOfAnyIntegralType) {
  const std::vector<float> values(6);
  EXPECT_EQ(MatrixView(values.data(), char{2}, wchar_t{3}).cols(), 3);
  EXPECT_EQ(MatrixView(values, char32_t{2}, char8_t{1}, char16_t{5}).row_stride(), 5);
  EXPECT_EQ(Matrix<float>(static_cast<unsigned char>(2), 3ULL).rows(), 2);
  EXPECT_EQ(refusal_of([&] { (void)Matrix<float>(static_cast<signed char>(-2), 1); }),
            "lloyd::Matrix: rows -2, expected 0 .. 2^63 - 1");
}

TEST(Validate, AMatrixThatWasMovedFromIsEmpty) {
  Matrix<float> a(3, 2);
  a(2, 1) = 7;
  Matrix<float> b = std::move(a);
  EXPECT_EQ(a, Matrix<float>());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(b(2, 1), 7);
  Matrix<float> c(1, 1);
  c = std::move(b);
  EXPECT_EQ(b, Matrix<float>());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(c(2, 1), 7);
  EXPECT_EQ(refusal_of_fit(b), "lloyd::KMeans::fit: x has no rows");
}

TEST(Validate, Centroids) {
  const auto x = rows_of<float>({{1, 2}, {3, 4}, {5, 6}});
  const KMeans<Reference> kmeans({.n_clusters = 2});
  const auto from = [&](const Matrix<float>& c) { return refusal_of([&] { (void)kmeans.fit_from(c, x); }); };
  EXPECT_EQ(from(Matrix<float>(3, 2)), "lloyd::KMeans::fit_from: 3 centroids, n_clusters is 2");
  EXPECT_EQ(from(Matrix<float>(2, 1)), "lloyd::KMeans::fit_from: centroids have 1 columns, the rows have 2");
  auto c = rows_of<float>({{0, 0}, {0, 0}});
  c(1, 0) = std::numeric_limits<float>::infinity();
  EXPECT_EQ(from(c), "lloyd::KMeans::fit_from: centroids(1, 0) is inf; values must be finite");
  const auto with =
      refusal_of([&] { (void)KMeans<Reference>({.n_clusters = 2, .n_init = 2}).fit_from(head(x, 2), x); });
  EXPECT_EQ(with, "lloyd::KMeans::fit_from: n_init 2, expected 1 with given centroids");
}

TEST(Validate, RowsToPredict) {
  const KMeans<Reference> kmeans({});
  const auto c = rows_of<double>({{0, 0}, {1, 1}});
  EXPECT_EQ(refusal_of([&] {
              (void)kmeans.predict(c, rows_of<double>({{1, 2, 3}}));
            }),
            "lloyd::KMeans::predict: centroids have 2 columns, the rows have 3");
  EXPECT_EQ(refusal_of([&] {
              (void)kmeans.predict(Matrix<double>(0, 2), rows_of<double>({{1, 2}}));
            }),
            "lloyd::KMeans::predict: centroids have no rows");
  EXPECT_EQ(refusal_of([&] {
              (void)kmeans.transform(c, rows_of<double>({{1, 2}, {1, nan}}));
            }),
            "lloyd::KMeans::transform: y(1, 1) is nan; values must be finite");
  EXPECT_EQ(refusal_of([&] {
              (void)kmeans.assign(c, rows_of<double>({{1, infinity}}));
            }),
            "lloyd::KMeans::assign: y(0, 1) is inf; values must be finite");
  EXPECT_EQ(refusal_of([&] {
              (void)kmeans.score(c, rows_of<double>({{1, 1}}), std::vector<double>{-1});
            }),
            "lloyd::KMeans::score: weight 0 is -1; weights must be finite and >= 0");
  EXPECT_EQ(refusal_of([&] { (void)kmeans.assign(c, Matrix<double>(0, 0)); }),
            "lloyd::KMeans::assign: the rows have no columns");
  EXPECT_TRUE(kmeans.predict(c, Matrix<double>(0, 2)).empty());
}

TEST(Validate, ARefusedCallLeavesTheObjectUsable) {
  const KMeans<Reference> kmeans({.n_clusters = 2});
  EXPECT_THROW((void)kmeans.fit(Matrix<float>(1, 2)), InvalidArgument);
  EXPECT_EQ(kmeans.fit(rows_of<float>({{0, 0}, {1, 1}})).inertia, 0.0);
}

}  // namespace
}  // namespace lloyd::test
