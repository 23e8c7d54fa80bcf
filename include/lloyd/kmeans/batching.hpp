// SPDX-License-Identifier: MIT
/// @file
/// The shape of a tile: one rule for every backend.
#pragma once

#include <algorithm>
#include <cstddef>

#include "lloyd/error.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/options.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Rows by centroids of one tile of scores.
struct Batching {
  Index rows = 1, centroids = 1;
  std::size_t sums_budget = 0;  ///< bytes for per-thread sums
};

/// Bytes of scratch that one worker needs for a tile: rows, shifted and packed, in T and (where the filter in T is not
/// enough) once more and in double, their scores likewise, and what is kept of a row.
[[nodiscard]] inline std::size_t tile_bytes(Index rows, Index centroids, Index d, std::size_t scalar) {
  const auto values = static_cast<std::size_t>(d) + static_cast<std::size_t>(centroids);
  return static_cast<std::size_t>(rows) * (values * (2 * scalar + sizeof(double)) + 128);
}

/// Half of the budget goes to tiles, shared by the workers, half to their sums. A tile is made to fit a second-level
/// cache (where a processor has to wait for memory: not on a device, which a tile must keep busy) and cut to the
/// budget; sizes given by the user are taken as they are, or refused.
[[nodiscard]] inline Batching choose_batching(const Options& options, Index n, Index d, Index k, int workers,
                                              std::size_t scalar, bool cached = true) {
  const std::size_t cache = cached ? std::size_t{1} << 20 : options.memory_budget;
  constexpr Index least_work = Index{1} << 17;  // multiply-adds that are worth waking a thread for
  constexpr Index least_rows = 144;             // fewer do not pay for fetching the centroids
  const Index most_rows = cached ? 2048 : Index{1} << 20;
  constexpr Index most_centroids = 512;
  const std::size_t share = options.memory_budget / 2 / static_cast<std::size_t>(workers);
  const bool free_rows = options.batch_rows == 0, free_centroids = options.batch_centroids == 0;
  Batching batching{free_rows ? most_rows : options.batch_rows,
                    (std::min)(k, free_centroids ? most_centroids : options.batch_centroids),
                    options.memory_budget / 2};
  if (free_rows) {
    const Index worth_a_thread = least_work / (d * batching.centroids) + 1;
    batching.rows = (std::min)(batching.rows, (std::max)({Index{32}, worth_a_thread, n / workers}));
  }
  batching.rows = std::clamp(batching.rows, Index{1}, (std::max)(n, Index{1}));

  const auto bytes = [&] { return tile_bytes(batching.rows, batching.centroids, d, scalar); };
  while (free_rows && batching.rows > least_rows && bytes() > cache) batching.rows = (batching.rows + 1) / 2;
  while (free_rows && batching.rows > 1 && bytes() > share) batching.rows = (batching.rows + 1) / 2;
  while (free_centroids && batching.centroids > 1 && bytes() > share) batching.centroids = (batching.centroids + 1) / 2;
  demand(bytes() <= share, "KMeans: memory_budget ", options.memory_budget, " bytes is too small: a tile of ",
         batching.rows, " x ", batching.centroids, " (d = ", d, ", ", workers, " threads) needs ",
         2 * bytes() * static_cast<std::size_t>(workers));
  return batching;
}

}  // namespace lloyd::inline LLOYD_ABI::detail
