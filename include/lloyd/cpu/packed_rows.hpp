// SPDX-License-Identifier: MIT
/// @file
/// Rows in lanes, ready for a filter: shifted, scaled, in chunks of as many as a kernel takes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "lloyd/cpu/aligned.hpp"
#include "lloyd/cpu/filter_centroids.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// Rows begin, begin + 1, ... of a matrix.
struct RowRun {
  Index begin, count;

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(count); }
  [[nodiscard]] Index operator[](std::size_t r) const { return begin + static_cast<Index>(r); }
};

/// Rows of x, packed for some centroids, and what is known of each.
template <Real F>
class PackedRows {
 public:
  /// Packs rows `rows[r]` of x. A row that is not usable is zero.
  template <Real T, class Rows>
  void pack(const FilterCentroids<F>& centroids, MatrixView<const T> x, std::span<const T> o, const Rows& rows) {
    const int lanes = centroids.kernels.lanes;
    const Index chunk_rows = centroids.kernels.chunk(), values = centroids.values_of_row();
    rows_ = static_cast<Index>(rows.size());
    padded_ = (rows_ + chunk_rows - 1) / chunk_rows * chunk_rows;
    for (auto* of : {&square_, &norm_}) of->resize(static_cast<std::size_t>(padded_));
    x_.resize(static_cast<std::size_t>(padded_ * (values + 1)));
    usable_.resize(static_cast<std::size_t>(padded_ / lanes));
    all_usable_ = true;
    PackTile<F> tile = describe(centroids, o);
    std::size_t group = 0;
    for (Index first = 0; first < padded_; first += chunk_rows)
      for (Index r = first; r < first + chunk_rows; r += lanes, ++group) {
        place(x, rows, r, lanes, tile);
        tile.to = chunk(centroids, first) + (r - first);
        tile.square = square_.data() + r;
        usable_[group] = score(centroids, tile);
        std::copy_n(tile.to + values * chunk_rows, lanes, norm_.data() + r);
        if (usable_[group] != (std::uint32_t{1} << lanes) - 1) clear(tile, usable_[group], lanes);
      }
  }

  [[nodiscard]] Index rows() const { return rows_; }
  /// With those that fill the last chunk.
  [[nodiscard]] Index padded() const { return padded_; }
  /// The chunk whose first row is r: (d + 1) x chunk, |x'| being the last feature; or products in place of features.
  [[nodiscard]] F* chunk(const FilterCentroids<F>& centroids, Index r) {
    return x_.data() + r * (centroids.values_of_row() + 1);
  }
  /// Of that chunk, |x'|.
  [[nodiscard]] const F* norms(const FilterCentroids<F>& centroids, Index r) {
    return chunk(centroids, r) + centroids.values_of_row() * centroids.kernels.chunk();
  }

  /// |x'|, rounded up.
  [[nodiscard]] double norm(std::size_t r) const { return static_cast<double>(norm_[r]); }
  /// |x'|^2, about.
  [[nodiscard]] double square(std::size_t r) const { return static_cast<double>(square_[r]); }
  [[nodiscard]] const F* squares() const { return square_.data(); }
  /// What the bound of a row has in common for all centroids.
  [[nodiscard]] double own_term(const FilterCentroids<F>& centroids, std::size_t r) const {
    return (centroids.row_square * norm(r) + centroids.row_linear) * norm(r) + centroids.row_constant;
  }

  /// Whether a row is finite, and small enough for sums to be.
  [[nodiscard]] bool usable(const FilterCentroids<F>& centroids, std::size_t r) const {
    const auto lanes = static_cast<std::size_t>(centroids.kernels.lanes);
    return all_usable_ || (usable_[r / lanes] >> (r % lanes) & 1) != 0;
  }
  [[nodiscard]] bool all_usable() const { return all_usable_; }
  /// A bit for each row of a vector.
  [[nodiscard]] std::uint32_t usable_bits(std::size_t group) const { return usable_[group]; }

 private:
  /// What packing is told of all rows.
  template <Real T>
  [[nodiscard]] PackTile<F> describe(const FilterCentroids<F>& centroids, std::span<const T> o) {
    PackTile<F> tile{};
    tile.d = centroids.d, tile.values = centroids.values_of_row(), tile.width = centroids.kernels.chunk();
    tile.scale = static_cast<F>(centroids.scale);
    tile.raise = static_cast<F>(1 + norm_error<F>(centroids.d)), tile.tiny = lost_to_underflow<F>(centroids.d);
    tile.largest = centroids.usable ? largest_norm<F> : F{-1};
    if constexpr (std::same_as<T, F>) {
      tile.o = o.data();
    } else {
      widened_.resize((static_cast<std::size_t>(centroids.kernels.lanes) + 1) * o.size());
      std::copy(o.begin(), o.end(), widened_.begin());
      tile.o = widened_.data();
    }
    if (centroids.scoring == Scoring::features_in_lanes)
      tile.centroids = centroids.values.data(), tile.k = centroids.k, tile.stride = centroids.stride;
    return tile;
  }

  /// Row r and on, one a lane, past the last that again; and those after them, which the next call begins with or the
  /// next group.
  template <Real T, class Rows>
  void place(MatrixView<const T> x, const Rows& rows, Index r, int lanes, PackTile<F>& tile) {
    const auto row = [&](Index at) { return x.row(rows[static_cast<std::size_t>((std::min)(at, rows_ - 1))]); };
    if constexpr (std::same_as<T, F>) {
      const bool known = r > 0 && r + lanes <= rows_;
      for (int l = 0; l < lanes; ++l) {
        tile.row[l] = known ? tile.row[lanes + l] : row(r + l);
        const Index ahead = r + lanes + l, past = ahead - rows_ + 1;
        tile.row[lanes + l] = past > 0 ? x.row((std::min)(rows[rows.size() - 1] + past, x.rows() - 1)) : row(ahead);
      }
    } else {
      for (int l = 0; l < lanes; ++l) {
        F* const to = widened_.data() + (l + 1) * tile.d;
        std::copy_n(row(r + l), tile.d, to);
        tile.row[l] = tile.row[lanes + l] = to;
      }
    }
  }

  /// Zeros in lanes that are not usable, so that no sum of them is infinite, as their threshold is.
  void clear(const PackTile<F>& tile, std::uint32_t usable, int lanes) {
    all_usable_ = false;
    for (int l = 0; l < lanes; ++l) {
      if ((usable >> l & 1) != 0) continue;
      for (Index q = 0; q <= tile.values; ++q) tile.to[q * tile.width + l] = F{0};
    }
  }

  [[nodiscard]] static std::uint32_t score(const FilterCentroids<F>& centroids, const PackTile<F>& tile) {
    return centroids.scoring == Scoring::features_in_lanes ? centroids.kernels.multiply(tile)
                                                           : centroids.kernels.pack(tile);
  }

  Index rows_ = 0, padded_ = 0;
  bool all_usable_ = true;
  Aligned<F> x_, square_, norm_, widened_;
  std::vector<std::uint32_t> usable_;  // by vector of rows
};

}  // namespace lloyd::inline LLOYD_ABI::cpu
