// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "support/chi_square.hpp"
#include "support/problem.hpp"

namespace lloyd::test {
namespace {

using detail::Draw;
using detail::MassScale;
using detail::Sampler;

/// Masses 0 .. 9 for n rows: as values with scale 1.
std::vector<double> values_of(Index n, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) values.push_back(static_cast<double>(random.below(10)));
  values[static_cast<std::size_t>(random.below(n))] = 3;
  return values;
}

/// The smallest draw that falls on `target` of `total`.
Draw draw_of(std::uint64_t target, std::uint64_t total) {
  // ceil(target 2^128 / total), a word at a time
  const detail::UInt128 shifted = static_cast<detail::UInt128>(target) << 64;
  std::uint64_t high = static_cast<std::uint64_t>(shifted / total);
  const detail::UInt128 rest = shifted % total << 64;
  std::uint64_t low = static_cast<std::uint64_t>(rest / total);
  if (rest % total != 0 && ++low == 0) ++high;
  return {high, low};
}

TEST(PrefixSearch, FindsTheRowAndWhatIsLeft) {
  const std::vector<std::int64_t> masses{0, 3, 0, 2, 0};
  const std::vector<std::pair<std::size_t, std::uint64_t>> expected{{1, 0}, {1, 1}, {1, 2}, {3, 0}, {3, 1}};
  for (std::uint64_t target = 0; target < 5; ++target) {
    std::uint64_t left = target;
    EXPECT_EQ(detail::prefix_search(masses, left), expected[target].first);
    EXPECT_EQ(left, expected[target].second);
  }
}

TEST(Sampler, EveryChosenDrawFallsOnTheRowOfThePrefixSum) {
  for (const Index n : {1, 2, 1023, 1024, 1025, 2048, 3000}) {
    const Matrix<float> x(n, 1);
    Options options;
    options.n_clusters = 1;
    const Problem<float> problem(options, x);
    const auto values = values_of(n, static_cast<std::uint64_t>(n));
    const Sampler sampler(problem.problem, std::span<const double>(values), MassScale{1, true});
    std::vector<std::uint64_t> masses;
    for (const double v : values) masses.push_back(static_cast<std::uint64_t>(v));
    ASSERT_EQ(sampler.total(), std::accumulate(masses.begin(), masses.end(), std::uint64_t{0}));
    const std::uint64_t total = sampler.total(), step = total / 500 + 1;
    for (std::uint64_t target = 0; target < total; target += step) {
      const Index expected = row_at(masses, target);
      const Draw least = draw_of(target, total);
      ASSERT_EQ(sampler.draw(least), expected) << "n " << n << ", target " << target;
      if (target > 0) {  // a draw less falls one mass earlier
        const Draw before{least.low == 0 ? least.high - 1 : least.high, least.low - 1};
        ASSERT_EQ(sampler.draw(before), row_at(masses, target - 1));
      }
    }
    const std::uint64_t all_ones = ~std::uint64_t{0};
    ASSERT_EQ(sampler.draw({0, 0}), row_at(masses, 0)) << "the first row that has a mass";
    ASSERT_EQ(sampler.draw({all_ones, all_ones}), row_at(masses, total - 1)) << "the last row that has a mass";
  }
}

TEST(Sampler, NothingToDrawIsATotalOfZero) {
  const Matrix<float> x(5, 1);
  Options options;
  options.n_clusters = 1;
  const Problem<float> problem(options, x);
  const std::vector<double> zeros(5, 0.0);
  EXPECT_EQ((Sampler(problem.problem, std::span<const double>(zeros), MassScale{1, true}).total()), 0U);
}

TEST(Sampler, DrawsRowsAsOftenAsTheirMass) {
  // Three blocks of rows; two rows of three have no mass.
  const Index n = 2100;
  const Matrix<float> x(n, 1);
  Options options;
  options.n_clusters = 1;
  const Problem<float> problem(options, x);
  std::vector<double> values(static_cast<std::size_t>(n), 0.0);
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] = static_cast<double>(1 + i % 4);
  const Sampler sampler(problem.problem, std::span<const double>(values), MassScale::for_largest(4, n));
  std::vector<long> counts(values.size(), 0);
  for (Index i = 0; i < 60000; ++i)
    ++counts[static_cast<std::size_t>(sampler.draw(detail::draw({1, detail::Purpose::plus_plus, 0, 0, i})))];
  expect_drawn_from(values, counts);
}

/// Draws and samples of one problem, whoever hands out its rows.
template <class P>
std::vector<Index> drawn_by(const P& problem, const std::vector<double>& values) {
  const Sampler sampler(problem, std::span<const double>(values), MassScale::for_largest(9, problem.rows.n));
  std::vector<Index> rows;
  for (Index i = 0; i < 200; ++i) rows.push_back(sampler.draw(detail::draw({3, detail::Purpose::plus_plus, 0, 0, i})));
  const auto sampled = sampler.sample(40, {3, detail::Purpose::scalable, 0, 0, 0});
  rows.insert(rows.end(), sampled.begin(), sampled.end());
  return rows;
}

TEST(Sampler, TilesDoNotChangeWhatIsDrawn) {
  for (const Index n : {1000, 1024, 2049, 3333}) {
    const Matrix<double> x(n, 2);
    Options options;
    options.n_clusters = 1;
    const auto values = values_of(n, 5);
    const Problem<double> whole(options, x);
    const auto expected = drawn_by(whole.problem, values);
    for (const Index rows : {1, 7, 1000, 1024, 5000}) {
      const Problem<double, Tiled<double>> tiled(options, Tiled<double>(InMemory<double>(x.view()), rows));
      ASSERT_EQ(drawn_by(tiled.problem, values), expected) << n << " rows by " << rows;
    }
  }
}

TEST(Sampler, TheSampleHoldsEveryRowByItsOwnChance) {
  const Index n = 1500;
  const Matrix<float> x(n, 1);
  Options options;
  options.n_clusters = 1;
  const Problem<float> problem(options, x);
  std::vector<double> values(static_cast<std::size_t>(n), 1.0);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 5 == 0 ? 0 : 1.0 + static_cast<double>(i % 3);
  values[7] = 3000;  // certain
  const double total = std::accumulate(values.begin(), values.end(), 0.0);
  const Sampler sampler(problem.problem, std::span<const double>(values), MassScale::for_largest(3000, n));
  const long rounds = 2000;
  std::vector<long> counts(values.size(), 0);
  for (Index round = 0; round < rounds; ++round) {
    const auto rows = sampler.sample(20, {4, detail::Purpose::scalable, 0, round, 0});
    ASSERT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    for (const Index row : rows) ++counts[static_cast<std::size_t>(row)];
  }
  EXPECT_EQ(counts[7], rounds);
  EXPECT_EQ(counts[5], 0);
  // Rows of one chance are one sum of independent trials.
  for (const double value : {1.0, 2.0, 3.0}) {
    long times = 0, trials = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] == value) times += counts[i], trials += rounds;
    expect_happens(20 * value / total, times, trials);
  }
}

}  // namespace
}  // namespace lloyd::test
