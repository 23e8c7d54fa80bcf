// SPDX-License-Identifier: MIT
// K2. Sums, counts, weights or the objective kept in few bits: they stop growing, drift or overflow.
#include "handed/suite.hpp"

namespace lloyd::test {
namespace {

TYPED_TEST(Handed, H2_1_mean_of_identical_large_values) {
  using T = typename TypeParam::Scalar;
  for (const Index n : {256, 4096, 4097}) {
    for (const double value : {3000001.0, -3000001.0, 0.1, 1e-30, 16777215.0}) {
      const auto x = generate<T>(n, 1, [&](Index, Index) { return value; });
      for (const double weight : {0.0, 0.3, 7e11}) {
        const std::vector<double> w(static_cast<std::size_t>(weight > 0 ? n : 0), weight);
        const auto result = checked_fit<TypeParam>({.n_clusters = 1}, {x, w});
        EXPECT_EQ(result.centroids(0, 0), T(value));
        EXPECT_EQ(result.inertia, 0);
      }
    }
  }
}

// H2.2 is tests/memory/rows_test.cpp, H2.3 is refused at compile time: docs/handed.md.

/// The potential that seeding shows after its first centroid: sum_i D(x_i, c_0).
template <class Entry, Real T>
[[nodiscard]] double first_potential(Options options, const Input<T>& input, Matrix<T>& seed) {
  double potential = -1;
  options.max_iter = 0;
  options.callback = [&](const Iteration& at) {
    if (at.phase == Iteration::Phase::seeding && at.done == 1) potential = at.inertia;
    return true;
  };
  seed = fit_input(kmeans_of<Entry>(options), input).centroids;
  return potential;
}

// Rows are of another generator than the case's; the right values are direct float64 sums over the same rows.
TYPED_TEST(Handed, H2_4_backends_and_types_agree_on_the_objective) {
  using T = typename TypeParam::Scalar;
  const auto single = uniform_rows<float>(100000, 4, 7);
  const auto x = generate<T>(single.rows(), 4, [&](Index i, Index q) { return single(i, q); });
  const Options options{.n_clusters = 8, .max_iter = 1};
  const auto plain = fit_input(kmeans_of<TypeParam>(options), Input<T>{x, {}, head(x, 8)});
  const auto weighted = fit_input(kmeans_of<TypeParam>(options),
                                  Input<T>{x, std::vector<double>(static_cast<std::size_t>(x.rows()), 1), head(x, 8)});
  EXPECT_EQ(plain.inertia, weighted.inertia);
  EXPECT_EQ(plain.labels, weighted.labels);
  long double direct = 0;
  for (Index i = 0; i < x.rows(); ++i)
    direct += direct_distance(x.row(i), plain.centroids.row(plain.labels[static_cast<std::size_t>(i)]), 4);
  expect_close(plain.inertia, static_cast<double>(direct), 1e-10);
  const auto other = KMeans<Reference>(options).fit_from(head(uniform_rows<double>(100000, 4, 7), 8),
                                                         uniform_rows<double>(100000, 4, 7));
  expect_close(plain.inertia, other.inertia, 1e-5);

  Matrix<T> seeds;
  const double potential = first_potential<TypeParam>({.n_clusters = 1, .seed = 7}, Input<T>{x}, seeds);
  direct = 0;
  for (Index i = 0; i < x.rows(); ++i) direct += direct_distance(x.row(i), seeds.row(0), 4);
  expect_close(potential, static_cast<double>(direct), 1e-10);
}

}  // namespace
}  // namespace lloyd::test
