// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/batching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "support/data.hpp"

namespace lloyd::test {
namespace {

using detail::Batching;
using detail::choose_batching;
using detail::packed_tile_bytes;

std::string refusal_of(const Options& options, Index n, Index d, Index k, int workers, std::size_t scalar) {
  try {
    (void)choose_batching(options, n, d, k, workers, scalar);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

/// What a tile of a processor takes: scores only where the Gram assignment writes them.
std::size_t bytes_of(const Options& options, const Batching& batching, Index d, std::size_t scalar) {
  return packed_tile_bytes(batching.rows, options.assignment == Assignment::gram ? batching.centroids : 0, d, scalar);
}

TEST(Batching, TilesAndSumsOfAllWorkersFitTheBudget) {
  Random random(1);
  int refused = 0, fitted = 0, fewer = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    Options options;
    options.memory_budget = std::size_t{1} << random.between(8, 30);
    if (random.flip()) options.assignment = Assignment::gram;
    const Index n = random.below(Index{1} << random.between(0, 24)),
                d = 1 + random.below(Index{1} << random.between(0, 16)),
                k = 1 + random.below(Index{1} << random.between(0, 14));
    const auto workers = static_cast<int>(random.between(1, 64));
    const std::size_t scalar = random.flip() ? 4 : 8;
    if (!refusal_of(options, n, d, k, workers, scalar).empty()) {
      // Refused only where one chunk of rows by one centroid does not fit.
      ASSERT_GT(bytes_of(options, {1, 1}, d, scalar), options.memory_budget);
      ++refused;
      continue;
    }
    const Batching batching = choose_batching(options, n, d, k, workers, scalar);
    const auto used = static_cast<std::size_t>(batching.workers);
    ASSERT_LE(used * bytes_of(options, batching, d, scalar) + batching.sums_budget, options.memory_budget);
    ASSERT_LE(bytes_of(options, batching, d, scalar), batching.tile_budget);
    ASSERT_LE(batching.sums_budget, options.memory_budget / 2);
    ASSERT_GE(batching.rows, 1);
    ASSERT_LE(batching.rows, std::max<Index>(n, 1));
    ASSERT_LE(batching.rows, 2048);
    ASSERT_GE(batching.centroids, 1);
    ASSERT_LE(batching.centroids, k);
    ASSERT_GE(batching.workers, 1);
    ASSERT_LE(batching.workers, workers);
    if (batching.workers < workers && batching.workers * batching.rows < n) {
      ++fewer;  // only where a chunk for each does not fit
      const Index chunk = scalar == 4 ? 48 : 24;
      ASSERT_GT((used + 1) * bytes_of(options, {chunk, std::min<Index>(k, 64)}, d, scalar), options.memory_budget / 2);
    }
    ++fitted;
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(fitted, 1000);
  EXPECT_GT(fewer, 1000);
}

// The tiles of many threads are no smaller than those of two: fewer threads have one.
TEST(Batching, ManyWorkersDoNotShareAChunk) {
  EXPECT_EQ(choose_batching({}, 100000, 768, 1000, 2, 4).workers, 2);
  const Batching many = choose_batching({}, 100000, 768, 1000, 256, 4);
  EXPECT_GE(many.rows, 48);
  EXPECT_GE(many.workers, 40);
  EXPECT_EQ(choose_batching({}, 100000, 60000, 3, 256, 4).workers, 1);
  EXPECT_EQ(choose_batching({}, 6, 1, 3, 256, 4).workers, 1) << "one batch has all rows";
}

TEST(Batching, RowsArePackedByChunks) {
  const std::size_t one = packed_tile_bytes(1, 0, 100, 4);
  EXPECT_EQ(one, 48U * (100 * 8 + 256) + (24 + 9) * 100 * 8);
  EXPECT_EQ(packed_tile_bytes(24, 0, 100, 4), one);
  EXPECT_EQ(packed_tile_bytes(48, 0, 100, 4), one + 24 * 100 * 8);
  EXPECT_EQ(packed_tile_bytes(24, 10, 100, 8), 24U * (110 * 16 + 256));
  EXPECT_EQ(packed_tile_bytes(25, 10, 100, 8), 48U * (110 * 16 + 256));
}

TEST(Batching, SizesThatAreGivenAreTaken) {
  Options options;
  options.batch_rows = 17;
  options.batch_centroids = 3;
  const Batching batching = choose_batching(options, 1000, 5, 10, 4, 4);
  EXPECT_EQ(batching.rows, 17);
  EXPECT_EQ(batching.centroids, 3);
  EXPECT_EQ(choose_batching(options, 9, 5, 2, 4, 4).rows, 9) << "no more than there are";
  EXPECT_EQ(choose_batching(options, 9, 5, 2, 4, 4).centroids, 2);
  EXPECT_EQ(choose_batching(options, 0, 5, 2, 4, 4).rows, 1);
}

void expect_named(Options options, Index d, Index k, int workers, std::size_t scalar, const std::string& tile,
                  std::size_t needed) {
  EXPECT_EQ(refusal_of(options, 100, d, k, workers, scalar),
            "lloyd::KMeans: memory_budget " + std::to_string(options.memory_budget) +
                " bytes is too small: a tile of " + tile + " (d = " + std::to_string(d) + ") needs " +
                std::to_string(needed));
  options.memory_budget = needed;
  EXPECT_EQ(refusal_of(options, 100, d, k, workers, scalar), "") << "what it asks for is enough";
  options.memory_budget = needed - 1;
  EXPECT_NE(refusal_of(options, 100, d, k, workers, scalar), "");
}

TEST(Batching, ABudgetTooSmallNamesWhatIsNeededAndGiven) {
  expect_named({.memory_budget = 3000, .batch_rows = 50, .batch_centroids = 4}, 50, 8, 2, 4, "50 x 4",
               packed_tile_bytes(50, 0, 50, 4));
  expect_named({.assignment = Assignment::gram, .memory_budget = 3000, .batch_rows = 10, .batch_centroids = 4}, 50, 8,
               2, 4, "10 x 4", packed_tile_bytes(10, 4, 50, 4));
  expect_named({.memory_budget = 1000}, 300, 8, 1, 8, "1 x 1", packed_tile_bytes(1, 0, 300, 8));
}

}  // namespace
}  // namespace lloyd::test
