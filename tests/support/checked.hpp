// SPDX-License-Identifier: MIT
/// @file
/// Fits that are checked before a test looks at them: the result is verified from the definition, predict agrees with
/// the labels, nothing that was passed has changed, and every other way to the same result gives the same bits.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lloyd/lloyd.hpp"
#include "support/backends.hpp"
#include "support/refusal.hpp"
#include "support/tiled_source.hpp"
#include "support/verify.hpp"

namespace lloyd::test {

/// What a fit starts from: given centroids, or none to seed.
template <Real T>
struct Input {
  Matrix<T> x;
  std::vector<double> w = {};
  Matrix<T> c = {};

  [[nodiscard]] bool seeded() const { return c.rows() == 0; }
};

/// The bytes of an input, to see whether they have changed.
template <Real T>
[[nodiscard]] bool same_input(const Input<T>& a, const Input<T>& b) {
  const auto size = [](const auto& m) { return static_cast<std::size_t>(m.rows() * m.cols()); };
  return size(a.x) == size(b.x) && size(a.c) == size(b.c) && a.w.size() == b.w.size() &&
         same_bits(a.x.data(), b.x.data(), size(a.x)) && same_bits(a.c.data(), b.c.data(), size(a.c)) &&
         same_bits(a.w.data(), b.w.data(), a.w.size());
}

/// fit or fit_from, in memory.
template <class B, Real T>
[[nodiscard]] Clustering<T, B> fit_input(const KMeans<B>& kmeans, const Input<T>& input) {
  return input.seeded() ? kmeans.fit(input.x, input.w) : kmeans.fit_from(input.c, input.x, input.w);
}

/// fit or fit_from, the rows coming from any source.
template <class B, Real T, Source S>
[[nodiscard]] Clustering<T, B> fit_source(const KMeans<B>& kmeans, const Input<T>& input, const S& source) {
  return input.seeded() ? kmeans.fit(source) : kmeans.fit_from(input.c, source);
}

/// predict, in memory.
template <class B, Real T>
[[nodiscard]] std::vector<Label> predict(const KMeans<B>& kmeans, const Matrix<T>& c, const Matrix<T>& x) {
  return kmeans.predict(c, x);
}

/// Other ways to the same result, each compared bit for bit: the other backend, other threads, tiles and forced paths.
template <class Entry, Real T>
void expect_same_elsewhere(const Options& options, const Input<T>& input, const Outcome<T>& expected) {
  const auto compare = [&](const char* way, const auto& result) {
    EXPECT_EQ(difference(expected, outcome_of(result)), "") << way;
  };
  Options other = options;
  other.batch_rows = (std::max)(Index{1}, input.x.rows() / 3);
  other.batch_centroids = (std::max)(Index{1}, options.n_clusters / 2);
  other.assignment = Assignment::gram;
  other.update = CentroidUpdate::one_hot;
  compare("tiles, gram, one-hot", fit_input(kmeans_of<Entry>(other, 3), input));
  other = options;
  other.assignment = Assignment::fused;
  other.update = CentroidUpdate::scatter_add;
  const TiledSource<T> source(input.x, input.w, {1, 0, (input.x.rows() + 1) / 2, 3});
  compare("streamed, fused, scatter-add", fit_source(kmeans_of<Entry>(other, 1), input, source));
  if constexpr (!Entry::is_reference) {
    compare("the reference", fit_input(kmeans_of<On<Reference, T>>(options), input));
  }
}

/// Verifies a result that a backend has given for an input.
template <class Entry, Real T>
void expect_right(const Options& options, const Input<T>& input, const Clustering<T, typename Entry::Backend>& result) {
  const MatrixView<const T> x = input.x.view();
  EXPECT_EQ(verify(x, input.w, options, outcome_of(result)), "");
  EXPECT_EQ(predict(kmeans_of<Entry>(options), result.centroids, input.x), result.labels);
}

/// A fit of an entry's backend, checked every way above.
template <class Entry>
Clustering<typename Entry::Scalar, typename Entry::Backend> checked_fit(const Options& options,
                                                                        const Input<typename Entry::Scalar>& input) {
  using T = typename Entry::Scalar;
  const Input<T> before = input;
  auto result = fit_input(kmeans_of<Entry>(options), input);
  expect_right<Entry>(options, input, result);
  expect_same_elsewhere<Entry>(options, input, outcome_of(result));
  EXPECT_TRUE(same_input(before, input)) << "the fit has written to its input";
  return result;
}

/// Centroids in ascending order of their first column, then the second and so on: cluster numbers may be permuted where
/// the start is random.
template <Real T>
[[nodiscard]] std::vector<std::vector<double>> sorted_centroids(const Matrix<T>& c) {
  std::vector<std::vector<double>> rows;
  for (Index j = 0; j < c.rows(); ++j) rows.emplace_back(c.row(j), c.row(j) + c.cols());
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// How many different labels there are.
[[nodiscard]] inline Index count_distinct(std::vector<Label> labels) {
  std::sort(labels.begin(), labels.end());
  return std::unique(labels.begin(), labels.end()) - labels.begin();
}

/// Every way of seeding.
inline const std::vector<Init> every_init{Init::kmeans_plus_plus, Init::scalable_kmeans_plus_plus, Init::random};

}  // namespace lloyd::test
