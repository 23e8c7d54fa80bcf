// SPDX-License-Identifier: MIT
/// @file
/// Draws rows with probability proportional to an integer mass, by exact prefix search: the blocks of rows first, then
/// the rows of one block. The same row is found for any tiling and any split over ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lloyd/kmeans/mass.hpp"
#include "lloyd/kmeans/random.hpp"
#include "lloyd/kmeans/workspace.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// The least i with m_0 + ... + m_i > target; `target` becomes what is left of it at i.
[[nodiscard]] inline std::size_t prefix_search(std::span<const std::int64_t> masses, std::uint64_t& target) {
  std::size_t i = 0;
  for (; target >= static_cast<std::uint64_t>(masses[i]); ++i) target -= static_cast<std::uint64_t>(masses[i]);
  return i;
}

/// Masses of the rows of a problem, from one value a row.
template <class P>
class Sampler {
 public:
  Sampler(const P& problem, std::span<const double> values, const MassScale& scale)
      : problem_(problem), values_(values), scale_(scale) {
    blocks_.assign(static_cast<std::size_t>((problem.rows.n + rows_per_block - 1) / rows_per_block), 0);
    masses_of(-1, blocks_);
    for (const std::int64_t block : blocks_) total_ += static_cast<std::uint64_t>(block);
  }

  /// The sum of all masses; 0: nothing can be drawn.
  [[nodiscard]] std::uint64_t total() const { return total_; }

  /// A global row. total() must be positive.
  [[nodiscard]] Index draw(const Draw& random) const {
    std::uint64_t target = below(random, total_);
    const std::size_t block = prefix_search(blocks_, target);
    std::vector<std::int64_t> masses(static_cast<std::size_t>(rows_per_block), 0);
    masses_of(static_cast<Index>(block), masses);
    return static_cast<Index>(block) * rows_per_block + static_cast<Index>(prefix_search(masses, target));
  }

  /// The rows of `count` draws whose addresses differ in their index, where a device makes them all at once; elsewhere
  /// none.
  [[nodiscard]] std::vector<Index> draw_ahead(const DrawAddress& first, Index count) const {
    std::vector<Index> rows;
    if constexpr (!on_host<typename P::Backend>) {
      if (!problem_.in_one_tile()) return rows;
      problem_.pass([&](const auto& tile) { rows = problem_.backend.draw(tile, values_, scale_, first, count); });
    }
    return rows;
  }

  /// Every row by a draw of its own, with probability min(1, expected * mass / total), in row order.
  [[nodiscard]] std::vector<Index> sample(std::uint64_t expected, const DrawAddress& address) const {
    const BernoulliTrial trial{expected, total_, address};
    std::vector<Index> rows;
    problem_.pass([&](const auto& tile) { problem_.backend.sample(tile, slice_of(tile), scale_, trial, rows); });
    return problem_.gather_sorted(rows);
  }

 private:
  [[nodiscard]] auto slice_of(const auto& tile) const {
    return Workspace<typename P::Scalar, typename P::Backend>::of(values_, tile);
  }

  void masses_of(Index block, std::span<std::int64_t> out) const {
    problem_.pass([&](const auto& tile) { problem_.backend.pick(tile, slice_of(tile), scale_, block, out); });
    problem_.ranks.sum(out);
  }

  const P& problem_;
  std::span<const double> values_;
  MassScale scale_;
  std::vector<std::int64_t> blocks_;
  std::uint64_t total_ = 0;
};

}  // namespace lloyd::inline LLOYD_ABI::detail
