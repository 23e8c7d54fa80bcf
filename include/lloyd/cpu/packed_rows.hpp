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
    const Index lanes = centroids.kernels.lanes, chunk_rows = centroids.kernels.chunk();
    rows_ = static_cast<Index>(rows.size());
    padded_ = (rows_ + chunk_rows - 1) / chunk_rows * chunk_rows;
    for (auto* values : {&square_, &norm_}) values->resize(static_cast<std::size_t>(padded_));
    x_.resize(static_cast<std::size_t>(padded_ * (centroids.values_of_row() + 1)));
    usable_.resize(static_cast<std::size_t>(padded_ / lanes));
    all_usable_ = true;
    std::size_t group = 0;
    for (Index first = 0; first < padded_; first += chunk_rows)
      for (Index r = first; r < first + chunk_rows; r += lanes)
        pack_group(centroids, x, o, rows, r, group++, chunk(centroids, first) + (r - first));
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
  /// Packs one vector of rows; those past the last repeat it.
  template <Real T, class Rows>
  void pack_group(const FilterCentroids<F>& centroids, MatrixView<const T> x, std::span<const T> o, const Rows& rows,
                  Index r, std::size_t group, F* to) {
    const int lanes = centroids.kernels.lanes;
    const Index width = centroids.kernels.chunk(), d = centroids.d, values = centroids.values_of_row();
    PackTile<F> tile{{},
                     0,
                     nullptr,
                     static_cast<F>(centroids.scale),
                     d,
                     to,
                     values,
                     width,
                     square_.data() + r,
                     static_cast<F>(1 + norm_error<F>(d)),
                     lost_to_underflow<F>(d),
                     centroids.usable ? largest_norm<F> : F{-1}};
    Index last = 0;
    const auto row = [&](int l) {
      const Index i = rows[static_cast<std::size_t>((std::min)(r + l, rows_ - 1))];
      last = (std::max)(last, i);
      return x.row(i);
    };
    if constexpr (std::same_as<T, F>) {
      tile.o = o.data();
      for (int l = 0; l < lanes; ++l) tile.row[l] = row(l);
    } else {
      widened_.resize(static_cast<std::size_t>((lanes + 1) * d));
      std::copy(o.begin(), o.end(), widened_.begin() + lanes * d);
      tile.o = widened_.data() + lanes * d;
      for (int l = 0; l < lanes; ++l) {
        std::copy_n(row(l), d, widened_.begin() + l * d);
        tile.row[l] = widened_.data() + l * d;
      }
    }
    if (std::same_as<T, F> && last + lanes < x.rows()) tile.ahead = x.row_stride() * lanes;
    std::uint32_t& usable = usable_[group];
    usable = score(centroids, tile);
    std::copy_n(to + values * width, lanes, norm_.data() + r);
    if (usable == (std::uint32_t{1} << lanes) - 1) return;
    all_usable_ = false;
    for (int l = 0; l < lanes; ++l) {
      if ((usable >> l & 1) != 0) continue;
      for (Index q = 0; q <= values; ++q)
        to[q * width + l] = F{0};  // so that no sum of it is infinite, as its threshold is
    }
  }

  std::uint32_t score(const FilterCentroids<F>& centroids, PackTile<F>& tile) {
    if (centroids.scoring != Scoring::features_in_lanes) return centroids.kernels.pack(tile);
    tile.centroids = centroids.values.data();
    tile.k = centroids.k, tile.stride = centroids.stride;
    return centroids.kernels.multiply(tile);
  }

  Index rows_ = 0, padded_ = 0;
  bool all_usable_ = true;
  Aligned<F> x_, square_, norm_, widened_;
  std::vector<std::uint32_t> usable_;  // by vector of rows
};

}  // namespace lloyd::inline LLOYD_ABI::cpu
