// SPDX-License-Identifier: MIT
#include "support/generator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "support/tasks.hpp"
#include "support/work.hpp"

namespace bench {
namespace {

/// The bytes of every task, once and for all: another value here means that results can no longer be compared.
const std::map<std::string, std::uint64_t>& known_checksums() {
  static const std::map<std::string, std::uint64_t> known = {
      {"k3-d1000", 0xe03bff8908075521ULL},       {"k17-d180", 0xfecd1ec81c0d1915ULL},
      {"k100-d32", 0x3b5c3e47881400a4ULL},       {"k550-d6", 0x4da6678aa8f25491ULL},
      {"k3000-d2", 0x31b442ee28a8f1c6ULL},       {"susy-like", 0x4688ada2b6e2068eULL},
      {"wine-size", 0x4fcca2b47f9cc3dfULL},      {"normal", 0xc4a9d7d613225bc6ULL},
      {"embedding-weak", 0x8f82e6154a6d7861ULL}, {"embedding-separated", 0x55654a89569786eaULL},
      {"large-k", 0xf0a62affbe0a31e3ULL},
  };
  return known;
}

TEST(Generator, GivesTheSameBytesEverywhere) {
  for (const Task& task : all_tasks()) {
    const Rows rows(task.recipe, 300, task.d, 2);
    EXPECT_EQ(checksum(rows.view()), known_checksums().at(std::string(task.name))) << task.name;
  }
  EXPECT_EQ(known_checksums().size(), all_tasks().size());
}

TEST(Generator, ARowDependsOnItsNumberAlone) {
  const Recipe recipe{Shape::clusters, 5, 200, 9};
  const Rows few(recipe, 300, 7, 1), many(recipe, 3000, 7, 3);
  EXPECT_EQ(checksum(few.view()), checksum(many.view().slice(0, 300)));
}

TEST(Generator, BellsHaveTheirMeanAndDeviation) {
  const Rows rows({Shape::normal, 1, 0, 1}, 20'000, 5, 2);
  double sum = 0, squares = 0;
  for (Index i = 0; i < 20'000; ++i)
    for (Index q = 0; q < 5; ++q) {
      const double value = static_cast<double>(rows.view()(i, q)) * 32768 / bell_sd;
      sum += value;
      squares += value * value;
    }
  EXPECT_NEAR(sum / 1e5, 0, 0.02);
  EXPECT_NEAR(squares / 1e5, 1, 0.02);
}

TEST(Generator, UnitRowsHaveLengthOne) {
  const Rows rows({Shape::unit, 10, 90, 3}, 100, 64, 1);
  for (Index i = 0; i < 100; ++i) {
    double square = 0;
    for (Index q = 0; q < 64; ++q) square += std::pow(static_cast<double>(rows.view()(i, q)), 2);
    EXPECT_NEAR(square, 1, 1e-6);
  }
}

TEST(Generator, RootsAreRoundedDown) {
  for (std::uint64_t root : {0ULL, 1ULL, 2ULL, 3ULL, 65'535ULL, 1'000'003ULL, 2'147'483'648ULL}) {
    EXPECT_EQ(integer_root(root * root), root);
    EXPECT_EQ(integer_root(root * root + 2 * root), root);
    EXPECT_EQ(integer_root((root + 1) * (root + 1) - 1), root);
  }
}

TEST(StartRows, AreDistinctAndOfTheirSeed) {
  for (const Index k : {1, 5, 99, 100}) {
    const auto rows = start_rows(100, k, 0);
    EXPECT_EQ(std::set<Index>(rows.begin(), rows.end()).size(), static_cast<std::size_t>(k));
    for (const Index row : rows) EXPECT_TRUE(row >= 0 && row < 100);
  }
  EXPECT_NE(start_rows(1'000'000, 10, 0), start_rows(1'000'000, 10, 1));
  std::vector<int> met(10);
  for (std::uint64_t seed = 0; seed < 10'000; ++seed)
    for (const Index row : start_rows(10, 3, seed)) ++met[static_cast<std::size_t>(row)];
  for (const int times : met) EXPECT_NEAR(times, 3000, 250);
}

TEST(Tasks, ShrinkWithTheirScale) {
  for (const Task& task : all_tasks()) {
    const Task small = scaled(task, 0.001);
    EXPECT_GE(small.n, 178);
    EXPECT_LE(small.n, task.n);
    EXPECT_LE(2 * small.k, small.n);
    EXPECT_EQ(scaled(task, 1).k, task.k);
  }
}

TEST(Work, CountsWhatItSays) {
  const Task task{"t", 100, 10, 8, 12, true, {}};
  EXPECT_EQ(greedy_trials(8), 4);  // 2 + floor(ln 8)
  EXPECT_EQ(useful_work(task, "rows", "b", 12).flops, 2.0 * 100 * 10 * 8 * 12);
  EXPECT_EQ(useful_work(task, "rows", "b", 12).bytes, 4.0 * 100 * 10 * 12);
  EXPECT_EQ(useful_work(task, "greedy", "c", 0).bytes, 4.0 * 100 * 10 * 8);
  EXPECT_EQ(useful_work(task, "r4-o2", "c", 0).flops, 2.0 * 100 * 10 * (1 + 4 * 2 * 8));
  EXPECT_EQ(useful_work(task, "random", "c", 0).flops, 0);
}

}  // namespace
}  // namespace bench
