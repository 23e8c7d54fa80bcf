// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/lloyd.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/exact.hpp"
#include "support/problem.hpp"
#include "support/verify.hpp"

namespace lloyd::test {
namespace {

template <class T>
class Loop : public testing::Test {};
using LoopScalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Loop, LoopScalars);

/// One step of the paper: every row to its nearest centroid, every centroid to the mean of its rows.
template <Real T>
void expect_step(const Matrix<T>& x, const std::vector<double>& w, const Matrix<T>& from, const Matrix<T>& to) {
  for (Index j = 0; j < from.rows(); ++j)
    for (Index q = 0; q < x.cols(); ++q) {
      Exact sum, weight;
      for (Index i = 0; i < x.rows(); ++i) {
        if (nearest_of(x.row(i), from.view()).label != j) continue;
        const double w_i = w.empty() ? 1 : w[static_cast<std::size_t>(i)];
        sum.add(w_i, static_cast<double>(x(i, q)));
        weight.add(w_i);
      }
      if (weight.sign() == 0) {
        ASSERT_EQ(to(j, q), from(j, q)) << "an empty cluster keeps its centroid";
      } else {
        ASSERT_TRUE(is_rounded_quotient(to(j, q), sum, weight));
      }
    }
}

TYPED_TEST(Loop, EveryIterationIsTheStepOfThePaper) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto x = seed % 3 == 0 ? grid_rows<TypeParam>(80, 2, seed, 4) : normal_rows<TypeParam>(80, 3, seed);
    std::vector<double> w;
    for (Index i = 0; i < 80 && seed % 2 == 0; ++i) w.push_back(static_cast<double>(i % 5) / 7);
    Matrix<TypeParam> c = head(x, 6);
    for (Index iterations = 1; iterations < 6; ++iterations) {
      const Options options{.n_clusters = 6, .max_iter = iterations, .tol = 0, .empty_clusters = EmptyClusters::keep};
      const auto result = KMeans<Reference>(options).fit_from(head(x, 6), x, w);
      if (result.n_iter < iterations) break;
      expect_step(x, w, c, result.centroids);
      if (this->HasFatalFailure()) return;
      c = result.centroids;
    }
  }
}

TYPED_TEST(Loop, InertiaNeverRises) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto x = normal_rows<TypeParam>(200, 3, seed);
    double last = std::numeric_limits<double>::infinity();
    for (Index iterations = 0; iterations < 12; ++iterations) {
      const Options options{.n_clusters = 9, .max_iter = iterations, .tol = 0, .seed = seed};
      const double inertia = KMeans<Reference>(options).fit(x).inertia;
      ASSERT_LE(inertia, last * (1 + (std::is_same_v<TypeParam, float> ? 1e-6 : 1e-12)));
      last = inertia;
    }
  }
}

TYPED_TEST(Loop, FromAFixedPointItStopsAtOnce) {
  const auto x = blobs<TypeParam>(200, 2, 4, 3);
  const auto result = KMeans<Reference>({.n_clusters = 4, .tol = 0}).fit(x);
  ASSERT_EQ(result.stop_reason, StopReason::converged);
  const auto again = KMeans<Reference>({.n_clusters = 4, .tol = 0}).fit_from(result.centroids, x);
  EXPECT_LE(again.n_iter, 2) << "one to label the rows, one to see that none changes";
  EXPECT_EQ(again.centroids, result.centroids);
  EXPECT_EQ(again.labels, result.labels);
  EXPECT_EQ(again.inertia, result.inertia);
}

TYPED_TEST(Loop, TilesChangeNothing) {
  const auto x = grid_rows<TypeParam>(500, 3, 5, 5);
  for (const Index rows : {1, 3, 100, 499, 500, 1000})
    for (const Init init : {Init::kmeans_plus_plus, Init::scalable_kmeans_plus_plus, Init::random}) {
      std::vector<double> w;
      for (Index i = 0; i < 500 && rows != 3; ++i) w.push_back(static_cast<double>(i % 3));
      const KMeans<Reference> kmeans({.n_clusters = 8, .init = init, .init_size = rows == 100 ? 50 : 0});
      const InMemory<TypeParam> whole(x.view(), weights(w));
      ASSERT_EQ(difference(outcome_of(kmeans.fit(Tiled<TypeParam>(whole, rows))), outcome_of(kmeans.fit(whole))), "")
          << rows << " rows a tile";
    }
}

}  // namespace
}  // namespace lloyd::test
