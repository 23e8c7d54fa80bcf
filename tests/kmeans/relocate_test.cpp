// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/relocate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <utility>
#include <vector>

#include "support/problem.hpp"
#include "support/verify.hpp"

namespace lloyd::test {
namespace {

/// A workspace whose labels and sums are those of given centroids.
template <Real T>
class Assigned {
 public:
  Assigned(const Problem<T>& problem, const Matrix<T>& c) : problem_(problem), work(problem.workspace()) {
    work.c = c;
    std::fill(work.labels.begin(), work.labels.end(), Label{-1});
    const std::vector<T> o(static_cast<std::size_t>(c.cols()), T{0});
    const auto prepared = problem.backend.prepare(work.centroids(), std::span<const T>(o), {}, problem.options);
    problem.problem.pass([&](const auto& tile) {
      problem.backend.assign_accumulate(tile, prepared, {work.labels}, problem.problem.quanta, work.sums(), nullptr,
                                        nullptr);
    });
  }
  Index relocate() { return detail::relocate(problem_.problem, work); }

 private:
  const Problem<T>& problem_;

 public:
  detail::Workspace<T, Reference> work;
};

/// The rule, on plain lists: empty clusters in order; rows by D, farthest first, ties to the lowest row; a donor keeps
/// one row of positive weight; no row at D = 0 or without weight.
template <Real T>
Index relocate_by_the_rule(const Matrix<T>& x, const std::vector<double>& w, const Matrix<T>& c,
                           std::vector<Label>& labels) {
  const auto weight = [&](std::size_t i) { return w.empty() ? 1.0 : w[i]; };
  std::vector<Index> occupied(static_cast<std::size_t>(c.rows()), 0);
  for (std::size_t i = 0; i < labels.size(); ++i)
    occupied[static_cast<std::size_t>(labels[i])] += weight(i) > 0 ? 1 : 0;
  std::vector<std::pair<double, std::size_t>> rows;
  for (std::size_t i = 0; i < labels.size(); ++i)
    rows.emplace_back(-squared_distance(x.row(static_cast<Index>(i)), c.row(labels[i]), x.cols()), i);
  std::sort(rows.begin(), rows.end());
  const auto was_empty = occupied;
  auto next = rows.begin();
  Index moved = 0;
  for (std::size_t j = 0; j < occupied.size(); ++j) {
    if (was_empty[j] != 0) continue;
    for (; next != rows.end(); ++next) {
      const auto donor = static_cast<std::size_t>(labels[next->second]);
      if (next->first < 0 && weight(next->second) > 0 && occupied[donor] > 1) break;
    }
    if (next == rows.end()) break;
    --occupied[static_cast<std::size_t>(labels[next->second])];
    labels[next->second] = static_cast<Label>(j);
    ++occupied[j];
    ++next;
    ++moved;
  }
  return moved;
}

template <Real T>
void expect_the_rule(const Matrix<T>& x, const std::vector<double>& w, const Matrix<T>& c, Index& total) {
  Options options;
  options.n_clusters = c.rows();
  const Problem<T> problem(options, x, w);
  Assigned<T> assigned(problem, c);
  auto labels = assigned.work.labels;
  const Index moved = relocate_by_the_rule(x, w, c, labels);
  ASSERT_EQ(assigned.relocate(), moved);
  ASSERT_EQ(assigned.work.labels, labels);
  total += moved;
  // The sums are those of the new labels, integer by integer.
  std::vector<std::int64_t> values(assigned.work.sum_values.size(), 0);
  const detail::SumsView sums(values, assigned.work.shape);
  problem.problem.pass([&](const auto& tile) {
    problem.backend.accumulate(tile, options, std::span<const Label>(labels), problem.problem.quanta, sums);
  });
  sums.changed() = assigned.work.sums().changed();
  sums.rechecked() = assigned.work.sums().rechecked();
  sums.skipped() = assigned.work.sums().skipped();
  ASSERT_EQ(assigned.work.sum_values, values);
}

TEST(Relocate, FollowsTheRuleOnRandomRows) {
  Index total = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    const Index n = random.between(2, 40), k = random.between(2, std::min<Index>(n, 12));
    // Whole numbers tie in D; many centroids stand on rows or far from all.
    const auto x = grid_rows<float>(n, 2, seed, 3);
    auto c = grid_rows<float>(k, 2, seed + 1, 4);
    for (Index j = 0; j < k; ++j)
      if (random.flip()) c(j, 0) += 100;
    std::vector<double> w;
    if (random.flip()) {
      for (Index i = 0; i < n; ++i) w.push_back(random.below(3) == 0 ? 0 : random.uniform(0.1, 3));
      w[static_cast<std::size_t>(random.below(n))] = 1;
    }
    expect_the_rule(x, w, c, total);
    if (HasFatalFailure()) return;
  }
  std::cout << "  " << total << " rows moved\n";
  EXPECT_GT(total, 400);
}

TEST(Relocate, TiesTakeTheLowestRow) {
  const auto x = column_of<double>({5, -5, 5, -5, 0});
  Index total = 0;
  const auto c = column_of<double>({0, 100, 200});
  expect_the_rule(x, {}, c, total);
  Options options;
  options.n_clusters = 3;
  const Problem<double> problem(options, x);
  Assigned<double> assigned(problem, c);
  EXPECT_EQ(assigned.relocate(), 2);
  EXPECT_EQ(assigned.work.labels, (std::vector<Label>{1, 2, 0, 0, 0}));
}

TEST(Relocate, ADonorKeepsARow) {
  // Rows 0 and 1 are alone in their clusters, and far from them; only cluster 2 can give, and of its two rows of
  // positive weight only one.
  const auto x = column_of<double>({-90, 90, 1, 2, 0.5});
  Options options;
  options.n_clusters = 5;
  const Problem<double> problem(options, x, {1, 1, 1, 1, 0});
  Assigned<double> assigned(problem, column_of<double>({-50, 50, 0, 1000, 2000}));
  EXPECT_EQ(assigned.relocate(), 1);
  EXPECT_EQ(assigned.work.labels, (std::vector<Label>{0, 1, 2, 3, 2}));
  EXPECT_EQ(assigned.work.sums().occupancy(4), 0) << "nobody is left to give";
}

TEST(Relocate, ARowOfNoWeightNeitherMovesNorKeepsACluster) {
  const auto x = column_of<double>({0, 1, 9, 50});
  Options options;
  options.n_clusters = 2;
  const Problem<double> problem(options, x, {1, 1, 0, 0});
  Assigned<double> assigned(problem, column_of<double>({0, 50}));
  // Cluster 1 has a row, but none of positive weight: it is empty, and takes row 1 rather than row 2.
  EXPECT_EQ(assigned.relocate(), 1);
  EXPECT_EQ(assigned.work.labels, (std::vector<Label>{0, 1, 0, 1}));
}

TEST(Relocate, NothingMovesWhenNoneIsEmptyOrAllAreCovered) {
  const auto x = column_of<double>({0, 1, 0, 1});
  Options options;
  options.n_clusters = 3;
  const Problem<double> problem(options, x);
  Assigned<double> covered(problem, column_of<double>({0, 1, 7}));
  EXPECT_EQ(covered.relocate(), 0) << "every row lies on its centroid";
  Assigned<double> full(problem, column_of<double>({0, 1, 1.5}));
  full.work.sums().occupancy(2) = 1;
  EXPECT_EQ(full.relocate(), 0);
}

TEST(Relocate, KeepLeavesThemEmpty) {
  const auto x = column_of<double>({0, 1, 2, 30, 40});
  Options options;
  options.n_clusters = 3;
  options.empty_clusters = EmptyClusters::keep;
  const auto c = column_of<double>({0, 100, 200});
  const auto result = KMeans<Reference>(options).fit_from(c, x);
  EXPECT_EQ(result.n_empty, 2);
  EXPECT_EQ(result.centroids(1, 0), 100.0);
  EXPECT_EQ(result.centroids(2, 0), 200.0);
  EXPECT_EQ(result.cluster_sizes, (std::vector<Index>{5, 0, 0}));
}

}  // namespace
}  // namespace lloyd::test
