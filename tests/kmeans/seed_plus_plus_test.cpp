// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/seed_plus_plus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "support/chi_square.hpp"
#include "support/exact.hpp"
#include "support/problem.hpp"
#include "support/verify.hpp"

namespace lloyd::test {
namespace {

using detail::Purpose;

Options of_k(Index k, std::uint64_t seed = 0, Index trials = 0) {
  Options options;
  options.n_clusters = k;
  options.seed = seed;
  options.n_local_trials = trials;
  return options;
}

/// The rows that seeding takes, found by their values.
template <Real T>
std::vector<Index> seeded_rows(const Matrix<T>& x, const std::vector<double>& w, const Options& options,
                               Index init = 0) {
  const Problem<T> problem(options, x, w);
  auto work = problem.workspace();
  EXPECT_TRUE(detail::seed_plus_plus(problem.problem, work, init));
  std::vector<Index> rows;
  for (Index j = 0; j < work.c.rows(); ++j) rows.push_back(find_row(x, work.c.row(j)));
  return rows;
}

TEST(LocalTrials, TwoPlusTheFloorOfTheLogarithm) {
  for (Index k = 1; k < 200000; k = k < 3000 ? k + 1 : k + 97)
    ASSERT_EQ(detail::local_trials(of_k(k)), 2 + static_cast<Index>(std::floor(std::log(static_cast<double>(k))))) << k;
  EXPECT_EQ(detail::local_trials(of_k(std::numeric_limits<Label>::max())), 23);
  EXPECT_EQ(detail::local_trials(of_k(1000, 0, 1)), 1);
  EXPECT_EQ(detail::local_trials(of_k(1000, 0, 50)), 50);
}

TEST(SeedPlusPlus, TheFirstRowByWeight) {
  const auto x = column_of<float>({0, 1, 2, 3, 4, 5});
  for (const std::vector<double>& w :
       {std::vector<double>{1, 1, 1, 1, 1, 1}, std::vector<double>{1, 2, 3, 0, 0.5, 9}}) {
    std::vector<long> counts(w.size(), 0);
    for (std::uint64_t seed = 0; seed < 20000; ++seed)
      ++counts[static_cast<std::size_t>(seeded_rows(x, w, of_k(1, seed))[0])];
    expect_drawn_from(w, counts);
  }
}

TEST(SeedPlusPlus, TheSecondRowByWeightTimesD) {
  const std::vector<double> at{0, 1, 3, 3.5, 7, 12}, w{1, 2, 3, 0, 0.5, 1.5};
  const auto x = column_of<float>(at);
  std::vector<double> p;
  std::vector<long> counts(36, 0);
  const double total = std::accumulate(w.begin(), w.end(), 0.0);
  for (std::size_t a = 0; a < 6; ++a) {
    double potential = 0;
    for (std::size_t b = 0; b < 6; ++b) potential += w[b] * (at[a] - at[b]) * (at[a] - at[b]);
    for (std::size_t b = 0; b < 6; ++b)
      p.push_back(w[a] / total * w[b] * (at[a] - at[b]) * (at[a] - at[b]) / potential);
  }
  for (std::uint64_t seed = 0; seed < 60000; ++seed) {
    const auto rows = seeded_rows(x, w, of_k(2, seed, 1));
    ++counts[static_cast<std::size_t>(rows[0] * 6 + rows[1])];
  }
  // Outcomes of an expectation below 5 are one.
  std::vector<double> joined_p{0};
  std::vector<long> joined{0};
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] == 0) {
      EXPECT_EQ(counts[i], 0);
    } else if (p[i] * 60000 < 5) {
      joined_p[0] += p[i], joined[0] += counts[i];
    } else {
      joined_p.push_back(p[i]), joined.push_back(counts[i]);
    }
  }
  if (joined_p[0] * 60000 < 5) joined_p[1] += joined_p[0], joined[1] += joined[0], joined_p[0] = 0, joined[0] = 0;
  expect_drawn_from(joined_p, joined);
}

TEST(SeedPlusPlus, CoveredRowsAreNotDrawnWhileOthersRemain) {
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const Index trials : {0, 1}) {
      const auto x = duplicated_rows<double>(200, 2, 12, seed / 10);
      std::set<std::vector<double>> distinct;
      for (Index i = 0; i < x.rows(); ++i) distinct.insert({x(i, 0), x(i, 1)});
      const auto k = static_cast<Index>(distinct.size());
      const auto rows = seeded_rows(x, {}, of_k(k, seed, trials));
      ASSERT_EQ(std::set<Index>(rows.begin(), rows.end()).size(), distinct.size()) << "seed " << seed;
      // One cluster more than there are distinct rows repeats the first.
      const auto more = seeded_rows(x, {}, of_k(k + 2, seed, trials));
      ASSERT_EQ(std::set<Index>(more.begin(), more.end()).size(), distinct.size());
      ASSERT_EQ(more[static_cast<std::size_t>(k)], more[0]);
      ASSERT_EQ(more[static_cast<std::size_t>(k + 1)], more[0]);
    }
}

TEST(SeedPlusPlus, AnUncoveredRowIsDrawnHoweverNearItLies) {
  // Next to the heap of the others, one row at a distance that float64 hardly tells.
  const auto x = column_of<double>({1, 1, 1, 1, 1, 1 + 0x1p-52, 1e100});
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto rows = seeded_rows(x, {}, of_k(3, seed));
    ASSERT_EQ(std::set<Index>(rows.begin(), rows.end()), (std::set<Index>{0, 5, 6}));
  }
}

TEST(SeedPlusPlus, ARowWithoutWeightIsNeverASeed) {
  Random random(3);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto x = normal_rows<float>(40, 2, seed);
    std::vector<double> w(40, 0.0);
    for (int i = 0; i < 8; ++i) w[static_cast<std::size_t>(random.below(40))] = random.uniform(0.01, 2);
    const auto k = static_cast<Index>(std::count_if(w.begin(), w.end(), [](double v) { return v > 0; }));
    for (const Index row : seeded_rows(x, w, of_k(k, seed))) ASSERT_GT(w[static_cast<std::size_t>(row)], 0.0);
  }
}

/// Greedy k-means++ by its definition, with the library's draws and masses and nothing else of it: all potentials are
/// added exactly and compared exactly.
template <Real T>
class BruteForce {
 public:
  BruteForce(const Matrix<T>& x, const std::vector<double>& w, const Options& options)
      : x_(x),
        w_(w),
        options_(options),
        d2_(static_cast<std::size_t>(x.rows()), std::numeric_limits<double>::infinity()) {}

  std::vector<Index> run(Index init, Index first) {
    std::vector<Index> rows{first};
    cover(first);
    for (Index step = 1; step < options_.n_clusters; ++step) {
      double largest = 0;
      for (Index i = 0; i < x_.rows(); ++i) largest = std::max(largest, weight(i) * d2(i));
      const auto scale = detail::MassScale::for_largest(largest, x_.rows());
      std::vector<std::uint64_t> masses;
      for (Index i = 0; i < x_.rows(); ++i) masses.push_back(scale(weight(i), d2(i)));
      const auto total = std::accumulate(masses.begin(), masses.end(), std::uint64_t{0});
      Index best = -1;
      Exact least;
      for (Index t = 0; t < detail::local_trials(options_); ++t) {
        const auto draw = detail::draw({options_.seed, Purpose::plus_plus, init, step, t});
        const Index row = row_at(masses, detail::below(draw, total));
        Exact potential = potential_with(row), difference = potential;
        difference.add_scaled(least, -1);
        if (best < 0 || difference.sign() < 0) best = row, least = potential;
        ties += best >= 0 && best != row && difference.sign() == 0 ? 1 : 0;
        later += best == row && t > 0 ? 1 : 0;
      }
      rows.push_back(best);
      cover(best);
    }
    return rows;
  }

  int ties = 0, later = 0;

 private:
  [[nodiscard]] double weight(Index i) const { return w_.empty() ? 1 : w_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] double& d2(Index i) { return d2_[static_cast<std::size_t>(i)]; }
  void cover(Index row) {
    for (Index i = 0; i < x_.rows(); ++i) d2(i) = std::min(d2(i), squared_distance(x_.row(i), x_.row(row), x_.cols()));
  }
  Exact potential_with(Index row) {
    Exact potential;
    for (Index i = 0; i < x_.rows(); ++i)
      potential.add(weight(i), std::min(d2(i), squared_distance(x_.row(i), x_.row(row), x_.cols())));
    return potential;
  }

  const Matrix<T>& x_;
  const std::vector<double>& w_;
  const Options& options_;
  std::vector<double> d2_;
};

TEST(SeedPlusPlus, TheTrialOfLeastPotentialIsTakenAsByBruteForce) {
  int ties = 0, later = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed)
    for (const bool weighted : {false, true}) {
      // Random rows, and small grids whose potentials tie.
      const auto x = seed % 2 == 0 ? normal_rows<double>(80, 3, seed) : grid_rows<double>(60, 2, seed, 6);
      std::vector<double> w;
      for (Index i = 0; i < x.rows() && weighted; ++i) w.push_back(i % 6 == 0 ? 0 : 1 + static_cast<double>(i % 4) / 4);
      const Options options = of_k(6, seed, seed % 3 == 0 ? 7 : 0);
      const auto found = seeded_rows(x, w, options, 2);
      BruteForce<double> brute(x, w, options);
      // Weights reach to 1.75: as a fit scales them they stay as they are.
      const auto expected = brute.run(2, found[0]);
      for (std::size_t j = 0; j < expected.size(); ++j)
        ASSERT_EQ(found[j], find_row(x, x.row(expected[j]))) << "seed " << seed << ", centroid " << j;
      ties += brute.ties, later += brute.later;
    }
  std::cout << "  " << ties << " ties of trials, " << later << " times a later trial was better\n";
  EXPECT_GT(ties, 0);
  EXPECT_GT(later, 50);
}

TEST(SeedPlusPlus, MoreTrialsLowerThePotential) {
  const auto x = blobs<float>(600, 2, 12, 4);
  const auto potential = [&](Index trials) {
    double sum = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      Options options = of_k(12, seed, trials);
      options.max_iter = 0;
      sum += KMeans<Reference>(options).fit(x).inertia;
    }
    return sum;
  };
  EXPECT_LT(potential(0), 0.9 * potential(1));
}

TEST(Coverage, SaysWhatIsCovered) {
  const auto x = column_of<float>({0, 1, 5, 9});
  const Problem<float> problem(of_k(2), x, {1, 1, 1, 0});
  auto work = problem.workspace();
  detail::Coverage coverage(problem.problem, work, true);
  const auto c = column_of<float>({0, 6});
  ASSERT_TRUE(coverage.lower(c.view().slice(0, 1), 0));
  EXPECT_EQ(work.d2, (std::vector<double>{0, 1, 25, 81}));
  ASSERT_TRUE(coverage.lower(c.view().slice(1, 1), 1));
  EXPECT_EQ(work.d2, (std::vector<double>{0, 1, 1, 9}));
  EXPECT_EQ(work.labels, (std::vector<Label>{0, 0, 1, 1}));
  const auto trials = column_of<float>({9, 1, 5});
  EXPECT_EQ(coverage.best_of(trials.view()), 1) << "1 and 5 gain as much: the lower";
  ASSERT_TRUE(coverage.lower_to_trial(1, trials.view().slice(1, 1), 2, c.view()));
  EXPECT_EQ(work.d2, (std::vector<double>{0, 0, 1, 9}));
  EXPECT_EQ(work.labels, (std::vector<Label>{0, 2, 1, 1}));
  EXPECT_EQ(coverage.largest(), 1) << "a row of no weight does not count";
  EXPECT_EQ(coverage.potential(), 1);
  coverage.reset();
  EXPECT_EQ(work.d2[0], std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace lloyd::test
