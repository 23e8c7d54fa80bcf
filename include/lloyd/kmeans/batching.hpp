// SPDX-License-Identifier: MIT
/// @file
/// The shape of a tile: one rule for every backend.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "lloyd/error.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/options.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Rows by centroids of one tile of scores.
struct Batching {
  Index rows = 1, centroids = 1;
  std::size_t sums_budget = 0;                      ///< bytes for per-thread sums
  std::size_t tile_budget = std::size_t{1} << 20;   ///< bytes that a worker's tile may take
  int workers = (std::numeric_limits<int>::max)();  ///< at most so many have a tile
};

/// Bytes of scratch that one worker needs for a tile: rows, shifted and packed, in T and (where the filter in T is not
/// enough) once more and in double, their scores likewise, and what is kept of a row.
[[nodiscard]] inline std::size_t tile_bytes(Index rows, Index centroids, Index d, std::size_t scalar) {
  const auto values = static_cast<std::size_t>(d) + static_cast<std::size_t>(centroids);
  return static_cast<std::size_t>(rows) * (values * (2 * scalar + sizeof(double)) + 256);
}

/// Rows that a processor packs and computes at once, at most: three vectors of 64 bytes.
[[nodiscard]] constexpr Index rows_of_chunk(std::size_t scalar) { return static_cast<Index>(192 / scalar); }

/// The same of a processor, which packs whole chunks. In double it packs doubles
/// only; floats become double a vector of rows at a time.
[[nodiscard]] inline std::size_t packed_tile_bytes(Index rows, Index centroids, Index d, std::size_t scalar) {
  const auto in_chunks = [&](std::size_t of) {
    const Index chunk = rows_of_chunk(of);
    return static_cast<std::size_t>((rows + chunk - 1) / chunk * chunk);
  };
  constexpr std::size_t vector_of_doubles = 8, origin = 1;
  const std::size_t wide = scalar == sizeof(float) ? in_chunks(sizeof(double)) + vector_of_doubles + origin : 0;
  const auto values = static_cast<std::size_t>(d) + static_cast<std::size_t>(centroids);
  return values * (2 * scalar * in_chunks(scalar) + sizeof(double) * wide) + 256 * in_chunks(scalar);
}

/// Half of the budget goes to tiles, shared by the workers, half to their sums; a worker alone adds to the one set of
/// sums that there is, and may have all. A tile is made to fit a second-level cache (where a processor has to wait for
/// memory: not on a device, which a tile must keep busy) and cut to the budget; where it has room for few rows, fewer
/// workers have one. Sizes given by the user are taken as they are, or refused.
class BatchingRule {
 public:
  BatchingRule(const Options& options, Index n, Index d, Index k, std::size_t scalar, bool cached)
      : options_(&options), n_(n), d_(d), k_(k), scalar_(scalar), cached_(cached) {}

  [[nodiscard]] Batching for_workers(int workers) const {
    const bool free_rows = options_->batch_rows == 0, free_centroids = options_->batch_centroids == 0;
    Batching b{free_rows ? most_rows() : options_->batch_rows,
               (std::min)(k_, free_centroids ? most_centroids : options_->batch_centroids)};
    if (free_rows) {
      const Index worth_a_thread = least_work / (d_ * b.centroids) + 1;
      b.rows = (std::min)(b.rows, (std::max)({Index{32}, worth_a_thread, n_ / workers}));
    }
    b.rows = std::clamp(b.rows, Index{1}, (std::max)(n_, Index{1}));
    while (free_rows && b.rows > least_rows && bytes(b) > cache()) b.rows = (b.rows + 1) / 2;
    Batching least = b;
    if (free_rows) least.rows = (std::min)(b.rows, chunk());
    if (free_centroids) least.centroids = (std::min)(b.centroids, least_centroids);
    while (workers > 1 && bytes(least) > share(workers)) --workers;
    const auto less = [&](Index rows) { return rows > chunk() ? (std::max)((rows + 1) / 2, chunk()) : (rows + 1) / 2; };
    while (free_rows && b.rows > 1 && bytes(b) > share(workers)) b.rows = less(b.rows);
    while (free_centroids && b.centroids > 1 && bytes(b) > share(workers)) b.centroids = (b.centroids + 1) / 2;
    demand(bytes(b) <= share(workers), "KMeans: memory_budget ", options_->memory_budget,
           " bytes is too small: a tile of ", b.rows, " x ", b.centroids, " (d = ", d_, ") needs ",
           cached_ ? bytes(b) : 2 * bytes(b));
    b.workers = static_cast<int>((std::min)(Index{workers}, (std::max)((n_ + b.rows - 1) / b.rows, Index{1})));
    b.tile_budget = (std::max)(bytes(b), (std::min)(share(workers), cache()));
    b.sums_budget = (std::min)(options_->memory_budget / 2,
                               options_->memory_budget - b.tile_budget * static_cast<std::size_t>(workers));
    return b;
  }

 private:
  static constexpr Index least_work = Index{1} << 17;  // multiply-adds that are worth waking a thread for
  static constexpr Index least_rows = 144;             // fewer do not pay for fetching the centroids
  static constexpr Index least_centroids = 64, most_centroids = 512;

  /// A tile of fewer rows wastes work.
  [[nodiscard]] Index chunk() const { return rows_of_chunk(scalar_); }
  [[nodiscard]] Index most_rows() const { return cached_ ? 2048 : Index{1} << 20; }
  [[nodiscard]] std::size_t cache() const { return cached_ ? std::size_t{1} << 20 : options_->memory_budget; }
  [[nodiscard]] std::size_t share(int workers) const {
    return workers == 1 && cached_ ? options_->memory_budget
                                   : options_->memory_budget / 2 / static_cast<std::size_t>(workers);
  }
  /// A processor writes scores of the Gram assignment alone.
  [[nodiscard]] std::size_t bytes(const Batching& b) const {
    if (!cached_) return tile_bytes(b.rows, b.centroids, d_, scalar_);
    return packed_tile_bytes(b.rows, options_->assignment == Assignment::gram ? b.centroids : 0, d_, scalar_);
  }

  const Options* options_;
  Index n_, d_, k_;
  std::size_t scalar_;
  bool cached_;
};

[[nodiscard]] inline Batching choose_batching(const Options& options, Index n, Index d, Index k, int workers,
                                              std::size_t scalar, bool cached = true) {
  return BatchingRule(options, n, d, k, scalar, cached).for_workers(workers);
}

}  // namespace lloyd::inline LLOYD_ABI::detail
