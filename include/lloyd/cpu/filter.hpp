// SPDX-License-Identifier: MIT
/// @file
/// The filter: rows against all distinct centroids, in F. It finds each row's best centroid and whether that is proven,
/// or hands out the (row, centroid) pairs that a limit for the row does not exclude.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "lloyd/cpu/aligned.hpp"
#include "lloyd/cpu/filter_centroids.hpp"
#include "lloyd/cpu/gram.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::cpu {

/// Rows begin, begin + 1, ... of a matrix.
struct RowRun {
  Index begin, count;

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(count); }
  [[nodiscard]] Index operator[](std::size_t r) const { return begin + static_cast<Index>(r); }
};

/// Scratch of one thread: rows, packed in chunks, and what is known of each. Sums are those of the kernels: the lower
/// bound of scale^2 (D - |x - o|^2) / 2, negated, without the row's own term.
template <Real F>
class Filter {
 public:
  /// Packs rows `rows[r]` of x, a run of them or a list. Nothing is excluded yet; but a row that is not usable is zero
  /// and nothing is found for it.
  template <Real T, class Rows>
  void pack(const FilterCentroids<F>& centroids, MatrixView<const T> x, std::span<const T> o, const Rows& rows) {
    const KernelSet<F>& kernels = centroids.kernels;
    const Index lanes = kernels.lanes, chunk = kernels.chunk();
    rows_ = static_cast<Index>(rows.size());
    const Index padded = (rows_ + chunk - 1) / chunk * chunk;
    for (auto* values : {&square_, &norm_, &best_, &second_, &margin_})
      values->resize(static_cast<std::size_t>(padded));
    at_.resize(static_cast<std::size_t>(padded));
    x_.resize(static_cast<std::size_t>(padded * (centroids.d + 1)));
    certified_.resize(static_cast<std::size_t>(padded / lanes));
    usable_.resize(certified_.size());
    threshold_.assign(static_cast<std::size_t>(padded), -std::numeric_limits<F>::infinity());
    all_usable_ = true;
    std::size_t group = 0;
    for (Index first = 0; first < padded; first += chunk)
      for (Index r = first; r < first + chunk; r += lanes)
        pack_group(centroids, x, o, rows, r, group++, chunk_of(centroids, first) + (r - first));
    for (Index r = rows_; r < padded; ++r) exclude_all(static_cast<std::size_t>(r));
  }

  /// Finds each row's best centroid, and which rows it is proven for.
  void reduce(const FilterCentroids<F>& centroids, Index tile, bool fused) {
    std::fill(best_.begin(), best_.end(), -std::numeric_limits<F>::infinity());
    std::fill(second_.begin(), second_.end(), -std::numeric_limits<F>::infinity());
    std::fill(at_.begin(), at_.end(), Place<F>{0});
    sum_up(centroids, tile, fused);
    const Index lanes = centroids.kernels.lanes, chunk = centroids.kernels.chunk();
    std::size_t group = 0;
    for (Index first = 0; first < static_cast<Index>(best_.size()); first += chunk) {
      const F* norm = chunk_of(centroids, first) + centroids.d * chunk - first;
      for (Index r = first; r < first + chunk; r += lanes, ++group)
        certified_[group] =
            usable_[group] &
            centroids.kernels.certify({best_.data() + r, second_.data() + r, norm + r, at_.data() + r,
                                       centroids.slope.data(), centroids.offset.data(),
                                       static_cast<F>(centroids.row_square), static_cast<F>(centroids.row_linear),
                                       static_cast<F>(centroids.row_constant), margin_.data() + r});
    }
  }
  /// Calls proven(r, j) or doubtful(r) for each row, ascending: whether its best centroid j is proven to be the argmin
  /// of D, every other centroid's lower bound being above its upper bound.
  template <class Proven, class Doubtful>
  void for_each_row(const FilterCentroids<F>& centroids, const Proven& proven, const Doubtful& doubtful) const {
    const Index lanes = centroids.kernels.lanes;
    std::size_t group = 0;
    for (Index first = 0; first < rows_; first += lanes) {
      std::uint32_t bits = certified_[group++];
      for (Index r = first; r < (std::min)(first + lanes, rows_); ++r, bits >>= 1) {
        const auto at = static_cast<std::size_t>(r);
        if ((bits & 1) != 0) {
          proven(at, Index{at_[at]});
        } else {
          doubtful(at);
        }
      }
    }
  }
  /// Whether a row is finite, and small enough for sums to be.
  [[nodiscard]] bool usable(const FilterCentroids<F>& centroids, std::size_t r) const {
    if (all_usable_) return true;
    const auto lanes = static_cast<std::size_t>(centroids.kernels.lanes);
    return (usable_[r / lanes] >> (r % lanes) & 1) != 0;
  }

  /// How far below a row's best sum another is out of question: what is left of centroids by reduce().
  [[nodiscard]] double least_sum(std::size_t r) const {
    return static_cast<double>(best_[r]) - static_cast<double>(margin_[r]);
  }
  /// Row r sees only centroids whose sum is at least this.
  void exclude_below(std::size_t r, double sum) {
    const auto threshold = static_cast<F>(sum);
    // rounded down, so that the limit is not raised by rounding
    threshold_[r] = threshold - std::fabs(threshold) * std::numeric_limits<F>::epsilon();
  }
  /// Row r sees only centroids that may have D(x, c_j) < d2.
  void exclude_not_below(const FilterCentroids<F>& centroids, std::size_t r, double d2) {
    const double half = d2 / 2 * centroids.scale * centroids.scale;
    if (!(half > 0x1p-900 && half < 0x1p900)) return;  // infinite, or where the rounding of subnormals would count
    const auto square = static_cast<double>(square_[r]);
    // What a lower bound of D loses besides its pair's bound: ||X||^2 is known by its rounded x' only.
    const double lost = square / 2 * square_error<F>(centroids.d) + own_term(centroids, r);
    exclude_below(r, square / 2 - half - lost - (half + square) * 0x1p-48);
  }
  void exclude_all(std::size_t r) { threshold_[r] = std::numeric_limits<F>::infinity(); }

  /// Calls visit(r, j, low) for packed rows r and centroids j that are not excluded, j ascending for each row; `low` is
  /// the pair's lower bound. What visit excludes of a row counts from the next panel on.
  template <class Visit>
  void for_each_hit(const FilterCentroids<F>& centroids, Index tile, bool fused, const Visit& visit) {
    const int groups = centroids.kernels.groups, lanes = centroids.kernels.lanes, chunk = groups * lanes;
    run(centroids, tile, fused, Work::find, [&](const KernelTile<F>& t, Index row, int width) {
      for (int c = 0; c < width; ++c)
        for (int g = 0; g < groups; ++g)
          for (std::uint32_t found = t.found[c * groups + g]; found != 0; found &= found - 1) {
            const int r = g * lanes + std::countr_zero(found);
            if (t.place[c] < centroids.k)
              visit(static_cast<std::size_t>(row + r), Index{t.place[c]}, -t.sums[c * chunk + r]);
          }
    });
  }

  /// |x'|, rounded up.
  [[nodiscard]] double norm(std::size_t r) const { return static_cast<double>(norm_[r]); }
  /// What the bound of a row has in common for all centroids.
  [[nodiscard]] double own_term(const FilterCentroids<F>& centroids, std::size_t r) const {
    const double of = norm(r);
    return (centroids.row_square * of + centroids.row_linear) * of + centroids.row_constant;
  }

 private:
  [[nodiscard]] static std::uint32_t full(const FilterCentroids<F>& centroids) {
    return (std::uint32_t{1} << centroids.kernels.lanes) - 1;
  }
  /// The packed rows from the first of a chunk on.
  [[nodiscard]] F* chunk_of(const FilterCentroids<F>& centroids, Index first) {
    return x_.data() + first * (centroids.d + 1);
  }
  /// Packs one vector of rows; those past the last repeat it.
  template <Real T, class Rows>
  void pack_group(const FilterCentroids<F>& centroids, MatrixView<const T> x, std::span<const T> o, const Rows& rows,
                  Index r, std::size_t group, F* to) {
    const int lanes = centroids.kernels.lanes;
    const Index chunk = centroids.kernels.chunk(), d = centroids.d;
    PackTile<F> tile{{},
                     x.row_stride() * lanes,
                     nullptr,
                     static_cast<F>(centroids.scale),
                     d,
                     to,
                     chunk,
                     square_.data() + r,
                     static_cast<F>(1 + norm_error<F>(d)),
                     lost_to_underflow<F>(d),
                     centroids.usable ? largest_norm<F> : F{-1}};
    const auto row = [&](int l) { return x.row(rows[static_cast<std::size_t>((std::min)(r + l, rows_ - 1))]); };
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
    std::uint32_t& usable = usable_[group];
    usable = centroids.kernels.pack(tile);
    std::copy_n(to + d * chunk, lanes, norm_.data() + r);
    if (usable == full(centroids)) return;
    all_usable_ = false;
    for (int l = 0; l < lanes; ++l) {
      if ((usable >> l & 1) != 0) continue;
      exclude_all(static_cast<std::size_t>(r + l));
      for (Index q = 0; q <= d; ++q) to[q * chunk + l] = F{0};  // so that no sum of it is infinite, as its threshold is
    }
  }

  void sum_up(const FilterCentroids<F>& centroids, Index tile, bool fused) {
#if LLOYD_X86
    if constexpr (std::same_as<F, float>) {
      if (centroids.units) return reduce_by_unit(centroids);
    }
#endif
    run(centroids, tile, fused, Work::reduce, [](const KernelTile<F>&, Index, int) {});
  }

  /// What a kernel reads and writes of a chunk.
  [[nodiscard]] KernelTile<F> tile_of(const FilterCentroids<F>& centroids, Index r) {
    KernelTile<F> t{};
    t.d = centroids.d + 1;
    t.x = chunk_of(centroids, r);
    t.best = best_.data() + r, t.second = second_.data() + r, t.at = at_.data() + r;
    t.threshold = threshold_.data() + r;
    return t;
  }
  /// Runs a kernel on a panel; `products` are those of centroids first, first + 1, ..., or null: it multiplies itself.
  [[nodiscard]] static bool run(const FilterCentroids<F>& centroids, const Panel& panel, Work work, const F* products,
                                Index first, KernelTile<F>& t) {
    const Index j = panel.first;
    t.start = centroids.starts.data() + j;
    t.place = centroids.places.data() + j;
    t.panel = products == nullptr ? centroids.values.data() + j * t.d : centroids.slope.data() + j;
    t.products = products + (products == nullptr ? 0 : (j - first) * centroids.kernels.chunk());
    const auto at = static_cast<std::size_t>(work);
    return (panel.half ? centroids.kernels.half[at] : centroids.kernels.whole[at])(t);
  }

  /// Every chunk by every panel; calls found(tile, first row, width) where a kernel returns true.
  template <class Found>
  void run(const FilterCentroids<F>& centroids, Index tile, bool fused, Work work, const Found& found) {
    const Index chunk = centroids.kernels.chunk(), whole = centroids.kernels.centroids;
    const Index step = (tile + whole - 1) / whole * whole;  // centroids of a product
    F sums[most_chunk * most_panel];
    std::uint32_t bits[most_chunk * most_panel];
    if (!fused) products_.resize(static_cast<std::size_t>(step * chunk));
    if (!fused) work = work == Work::reduce ? Work::reduce_products : Work::find_products;
    for (Index r = 0; r < static_cast<Index>(threshold_.size()); r += chunk) {
      KernelTile<F> t = tile_of(centroids, r);
      t.sums = sums, t.found = bits;
      for (const Panel& panel : centroids.panels) {
        const Index first = panel.first / step * step;
        if (!fused && panel.first == first)
          gram(centroids.values.data() + first * centroids.d, t.x,
               (std::min)(step, static_cast<Index>(centroids.starts.size()) - first), chunk, centroids.d,
               products_.data());
        if (run(centroids, panel, work, fused ? nullptr : products_.data(), first, t))
          found(t, r, static_cast<int>(panel.half ? whole / 2 : whole));
      }
    }
  }

#if LLOYD_X86
  /// Every chunk by every panel, with the matrix unit's products. Some centroids stay in the cache for all chunks.
  void reduce_by_unit(const FilterCentroids<F>& centroids) requires std::same_as<F, float> {
    constexpr Index step = MatrixUnit::centroids_a_call, words = MatrixUnit::words;
    const Index chunk = centroids.kernels.chunk(), steps = MatrixUnit::steps(centroids.d);
    const Index rows = static_cast<Index>(threshold_.size()), size = MatrixUnit::groups * steps * 2 * words;
    halves_.resize(static_cast<std::size_t>(rows / chunk * size));
    products_.resize(static_cast<std::size_t>(step * chunk));
    for (Index r = 0; r < rows; r += chunk)
      cut_rows(chunk_of(centroids, r), centroids.d, 1 + static_cast<F>(norm_error<F>(centroids.d)),
               halves_.data() + r / chunk * size);
    for (Index first = 0; first < centroids.k; first += step) {
      const Index block = first / MatrixUnit::centroids;
      const Index blocks = (std::min)(step / MatrixUnit::centroids, centroids.blocks() - block);
      for (Index r = 0; r < rows; r += chunk) {
        multiply_tiles({halves_.data() + r / chunk * size, centroids.tiles.data() + block * steps * 2 * words, steps,
                        blocks, products_.data()});
        KernelTile<F> t = tile_of(centroids, r);
        const Index end = (std::min)(first + step, static_cast<Index>(centroids.starts.size()));
        for (Index j = first; j < end; j += centroids.kernels.centroids)
          (void)run(centroids, {j, false}, Work::reduce_products, products_.data(), first, t);
      }
    }
  }
#endif

  Index rows_ = 0;
  bool all_usable_ = true;
  Aligned<F> x_, products_, widened_;
  Aligned<std::uint32_t> halves_;                                  // of a chunk, for the matrix unit
  Aligned<F> square_, norm_, best_, second_, margin_, threshold_;  // by row
  Aligned<Place<F>> at_;
  std::vector<std::uint32_t> certified_, usable_;  // by vector of rows
};

}  // namespace lloyd::cpu
