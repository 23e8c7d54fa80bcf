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
using detail::tile_bytes;

std::string refusal_of(const Options& options, Index n, Index d, Index k, int workers, std::size_t scalar) {
  try {
    (void)choose_batching(options, n, d, k, workers, scalar);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Batching, TilesOfAllWorkersFitHalfTheBudget) {
  Random random(1);
  int refused = 0, fitted = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    Options options;
    options.memory_budget = std::size_t{1} << random.between(8, 30);
    const Index n = random.below(Index{1} << random.between(0, 24)),
                d = 1 + random.below(Index{1} << random.between(0, 12)),
                k = 1 + random.below(Index{1} << random.between(0, 14));
    const auto workers = static_cast<int>(random.between(1, 64));
    const std::size_t scalar = random.flip() ? 4 : 8;
    if (!refusal_of(options, n, d, k, workers, scalar).empty()) {
      // Refused only where one row by one centroid does not fit.
      ASSERT_GT(2 * static_cast<std::size_t>(workers) * tile_bytes(1, 1, d, scalar),
                options.memory_budget - 2 * static_cast<std::size_t>(workers));
      ++refused;
      continue;
    }
    const Batching batching = choose_batching(options, n, d, k, workers, scalar);
    ASSERT_LE(2 * static_cast<std::size_t>(workers) * tile_bytes(batching.rows, batching.centroids, d, scalar),
              options.memory_budget);
    ASSERT_LE(batching.sums_budget, options.memory_budget / 2);
    ASSERT_GE(batching.rows, 1);
    ASSERT_LE(batching.rows, std::max<Index>(n, 1));
    ASSERT_LE(batching.rows, 2048);
    ASSERT_GE(batching.centroids, 1);
    ASSERT_LE(batching.centroids, k);
    ++fitted;
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(fitted, 1000);
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

TEST(Batching, ABudgetTooSmallNamesWhatIsNeededAndGiven) {
  Options options;
  options.memory_budget = 3000;
  options.batch_rows = 10;
  options.batch_centroids = 4;
  const std::size_t needed = 2 * 2 * tile_bytes(10, 4, 50, 4);
  EXPECT_EQ(refusal_of(options, 100, 50, 8, 2, 4),
            "lloyd::KMeans: memory_budget 3000 bytes is too small: a tile of 10 x 4 (d = 50, 2 threads) needs " +
                std::to_string(needed));
  options.memory_budget = needed;
  EXPECT_EQ(refusal_of(options, 100, 50, 8, 2, 4), "") << "what it asks for is enough";
  options.memory_budget = needed - 1;
  EXPECT_NE(refusal_of(options, 100, 50, 8, 2, 4), "");
}

TEST(Batching, ABudgetTooSmallForOneRow) {
  Options options;
  options.memory_budget = 1000;
  const std::size_t needed = 2 * tile_bytes(1, 1, 300, 8);
  EXPECT_EQ(refusal_of(options, 100, 300, 8, 1, 8),
            "lloyd::KMeans: memory_budget 1000 bytes is too small: a tile of 1 x 1 (d = 300, 1 threads) needs " +
                std::to_string(needed));
  options.memory_budget = needed;
  EXPECT_EQ(refusal_of(options, 100, 300, 8, 1, 8), "");
}

}  // namespace
}  // namespace lloyd::test
