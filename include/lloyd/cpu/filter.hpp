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
#include <utility>
#include <vector>

#include "lloyd/cpu/aligned.hpp"
#include "lloyd/cpu/filter_centroids.hpp"
#include "lloyd/cpu/gram.hpp"
#include "lloyd/cpu/packed_rows.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// What rows are compared with; by default with all centroids.
struct Sight {
  std::span<const Index> centroids{};     ///< by row: the first so many at least; not ascending
  std::span<const Index> panels{};        ///< or these panels of chunk i,
  std::span<const std::size_t> firsts{};  ///< from firsts[i] to firsts[i + 1]
};

/// Scratch of one thread: rows, packed in chunks, and what is known of each. Sums are those of the kernels: the lower
/// bound of scale^2 (D - |x - o|^2) / 2, negated, without the row's own term.
template <Real F>
class Filter {
 public:
  /// Packs rows `rows[r]` of x, a run of them or a list. Nothing is excluded yet; but nothing is ever found for a row
  /// that is not usable.
  template <Real T, class Rows>
  void pack(const FilterCentroids<F>& centroids, MatrixView<const T> x, std::span<const T> o, const Rows& rows) {
    packed_.pack(centroids, x, o, rows);
    const auto padded = static_cast<std::size_t>(packed_.padded());
    for (auto* values : {&best_, &second_, &margin_}) values->resize(padded);
    at_.resize(padded);
    certified_.resize(padded / static_cast<std::size_t>(centroids.kernels.lanes));
    threshold_.assign(padded, -std::numeric_limits<F>::infinity());
    for (auto r = static_cast<std::size_t>(packed_.rows()); r < padded; ++r) exclude_all(r);
    if (packed_.all_usable()) return;
    for (std::size_t r = 0; r < padded; ++r)
      if (!packed_.usable(centroids, r)) exclude_all(r);
  }

  /// Finds each row's best centroid of those that it is compared with, and which rows it is proven for. (Without the
  /// latter for a benchmark of what that costs.)
  template <bool Certified = true>
  void reduce(const FilterCentroids<F>& centroids, Index tile, const Sight& sight = {}) {
    std::fill(best_.begin(), best_.end(), -std::numeric_limits<F>::infinity());
    std::fill(second_.begin(), second_.end(), -std::numeric_limits<F>::infinity());
    std::fill(at_.begin(), at_.end(), Place<F>{0});
    see(centroids, sight);
    sum_up(centroids, tile);
    if constexpr (Certified) certify(centroids);
  }
  /// How many centroids row r was compared with.
  [[nodiscard]] Index seen(const FilterCentroids<F>& centroids, std::size_t r) const {
    const std::size_t panels = seen_[r / static_cast<std::size_t>(centroids.kernels.chunk())];
    return panels == centroids.panels.size() ? centroids.k : centroids.panels[panels].first;
  }

  /// Finds bounds of each row's distances to the centroids that it was compared with; lower ones up to `most_bound`.
  void bound(const FilterCentroids<F>& centroids, F most_bound) {
    for (auto* values : {&upper_, &floor_, &lower_}) values->resize(best_.size());
    const auto lanes = static_cast<std::size_t>(centroids.kernels.lanes);
    for (std::size_t r = 0; r < best_.size(); r += lanes)
      centroids.kernels.bound({best_.data() + r, second_.data() + r, margin_.data() + r, packed_.squares() + r,
                               static_cast<F>(square_error<F>(centroids.d)), static_cast<F>(1 / centroids.scale),
                               most_bound, upper_.data() + r, floor_.data() + r, lower_.data() + r});
  }
  /// ... of that to its best centroid, from above; to any, from below; to any but the best, from below.
  [[nodiscard]] F upper(std::size_t r) const { return upper_[r]; }
  [[nodiscard]] F floor(std::size_t r) const { return floor_[r]; }
  [[nodiscard]] F lower(std::size_t r) const { return lower_[r]; }

  /// Calls visit(r, j, proven) for each row, ascending: its best centroid, and whether that is proven to be the argmin
  /// of D, the lower bound of every other that it was compared with being above its upper bound.
  template <class Visit>
  void for_each_row(const FilterCentroids<F>& centroids, const Visit& visit) const {
    const Index lanes = centroids.kernels.lanes;
    std::size_t group = 0;
    for (Index first = 0; first < packed_.rows(); first += lanes) {
      std::uint32_t bits = certified_[group++];
      for (Index r = first; r < (std::min)(first + lanes, packed_.rows()); ++r, bits >>= 1)
        visit(static_cast<std::size_t>(r), Index{at_[static_cast<std::size_t>(r)]}, (bits & 1) != 0);
    }
  }
  /// What is packed.
  [[nodiscard]] const PackedRows<F>& rows() const { return packed_; }

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
    const double square = packed_.square(r);
    // What a lower bound of D loses besides its pair's bound: ||X||^2 is known by its rounded x' only.
    const double lost = square / 2 * square_error<F>(centroids.d) + packed_.own_term(centroids, r);
    exclude_below(r, square / 2 - half - lost - (half + square) * 0x1p-48);
  }
  /// The same for all packed rows: d2[r] is that of row r.
  void exclude_not_below(const FilterCentroids<F>& centroids, std::span<const double> d2) {
    constexpr F infinity = std::numeric_limits<F>::infinity(), up = 1 + 2 * std::numeric_limits<F>::epsilon();
    constexpr double most = static_cast<double>((std::numeric_limits<F>::max)()) / 4;
    halves_of_d2_.assign(threshold_.size(), -infinity);
    for (std::size_t r = 0; r < d2.size(); ++r) {
      const double half = d2[r] / 2 * centroids.scale * centroids.scale;
      const F raised = static_cast<F>((std::min)(half, most)) * up + (std::numeric_limits<F>::min)();
      if (rows().usable(centroids, r)) halves_of_d2_[r] = half > 0x1p-900 && half < most ? raised : infinity;
    }
    const Index lanes = centroids.kernels.lanes, chunk = centroids.kernels.chunk();
    for (Index first = 0; first < static_cast<Index>(threshold_.size()); first += chunk) {
      const F* norm = packed_.norms(centroids, first) - first;
      for (Index r = first; r < first + chunk; r += lanes)
        centroids.kernels.limit({halves_of_d2_.data() + r, packed_.squares() + r, norm + r,
                                 static_cast<F>(square_error<F>(centroids.d)), static_cast<F>(centroids.row_square),
                                 static_cast<F>(centroids.row_linear), static_cast<F>(centroids.row_constant),
                                 threshold_.data() + r});
    }
  }
  void exclude_all(std::size_t r) { threshold_[r] = std::numeric_limits<F>::infinity(); }

  /// Calls visit(r, j, low) for packed rows r and centroids j that are not excluded, j ascending for each row; `low` is
  /// the pair's lower bound. What visit excludes of a row counts from the next panel on.
  template <class Visit>
  void for_each_hit(const FilterCentroids<F>& centroids, Index tile, const Visit& visit) {
    const int groups = centroids.kernels.groups, lanes = centroids.kernels.lanes, chunk = groups * lanes;
    see(centroids, {});
    run(centroids, tile, Work::find, [&](const KernelTile<F>& t, Index row, int width) {
      for (int c = 0; c < width; ++c)
        for (int g = 0; g < groups; ++g)
          for (std::uint32_t found = t.found[c * groups + g]; found != 0; found &= found - 1) {
            const int r = g * lanes + std::countr_zero(found);
            if (t.place[c] < centroids.k)
              visit(static_cast<std::size_t>(row + r), Index{t.place[c]}, -t.sums[c * chunk + r]);
          }
    });
  }

 private:
  /// Which rows' best centroid is proven: their second best is out of question.
  void certify(const FilterCentroids<F>& centroids) {
    const Index lanes = centroids.kernels.lanes, chunk = centroids.kernels.chunk();
    std::size_t group = 0;
    for (Index first = 0; first < static_cast<Index>(best_.size()); first += chunk) {
      const F* norm = packed_.norms(centroids, first) - first;
      for (Index r = first; r < first + chunk; r += lanes, ++group)
        certified_[group] =
            packed_.usable_bits(group) &
            centroids.kernels.certify({best_.data() + r, second_.data() + r, norm + r, at_.data() + r,
                                       centroids.slope.data(), centroids.offset.data(),
                                       static_cast<F>(centroids.row_square), static_cast<F>(centroids.row_linear),
                                       static_cast<F>(centroids.row_constant), margin_.data() + r});
    }
  }

  /// Sets how many panels each chunk is multiplied with.
  void see(const FilterCentroids<F>& centroids, const Sight& sight) {
    sight_ = sight;
    const auto chunk = static_cast<std::size_t>(centroids.kernels.chunk());
    seen_.assign(threshold_.size() / chunk, centroids.panels.size());
    if (sight.centroids.empty()) return;
    const Index whole = centroids.kernels.centroids,
                step = centroids.scoring == Scoring::matrix_unit ? MatrixUnit::centroids_a_call : whole;
    for (std::size_t i = 0; i < seen_.size(); ++i)
      seen_[i] =
          (std::min)(static_cast<std::size_t>((sight.centroids[i * chunk] + step - 1) / step * step / whole), seen_[i]);
  }

  void sum_up(const FilterCentroids<F>& centroids, Index tile) {
#if LLOYD_X86
    if constexpr (std::same_as<F, float>) {
      if (centroids.scoring == Scoring::matrix_unit) return reduce_by_unit(centroids);
    }
#endif
    run(centroids, tile, Work::reduce, [](const KernelTile<F>&, Index, int) {});
  }

  [[nodiscard]] std::span<const Index> panels_of(const FilterCentroids<F>& centroids, std::size_t chunk) const {
    if (sight_.firsts.empty()) return std::span(centroids.panel_numbers).first(seen_[chunk]);
    return sight_.panels.subspan(sight_.firsts[chunk], sight_.firsts[chunk + 1] - sight_.firsts[chunk]);
  }

  /// What a kernel reads and writes of a chunk.
  [[nodiscard]] KernelTile<F> tile_of(const FilterCentroids<F>& centroids, Index r) {
    KernelTile<F> t{};
    t.d = centroids.values_of_row() + 1;
    t.x = packed_.chunk(centroids, r);
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
  void run(const FilterCentroids<F>& centroids, Index tile, Work work, const Found& found) {
    const Index chunk = centroids.kernels.chunk(), whole = centroids.kernels.centroids;
    const Index step = (tile + whole - 1) / whole * whole;  // centroids of a product
    const bool multiplies = centroids.scoring == Scoring::matrix_product,
               multiplied = multiplies || centroids.scoring == Scoring::features_in_lanes;
    F sums[most_chunk * most_panel];
    std::uint32_t bits[most_chunk * most_panel];
    if (multiplies) products_.resize(static_cast<std::size_t>(step * chunk));
    if (multiplied) work = work == Work::reduce ? Work::reduce_products : Work::find_products;
    for (Index r = 0; r < static_cast<Index>(threshold_.size()); r += chunk) {
      KernelTile<F> t = tile_of(centroids, r);
      t.sums = sums, t.found = bits;
      const F* products = multiplies ? products_.data() : multiplied ? t.x : nullptr;
      Index present = -1;
      for (const Index at : panels_of(centroids, static_cast<std::size_t>(r / chunk))) {
        const Panel& panel = centroids.panels[static_cast<std::size_t>(at)];
        const Index first = multiplies ? panel.first / step * step : 0;
        if (multiplies && std::exchange(present, first) != first)
          gram(centroids.values.data() + first * centroids.d, t.x,
               (std::min)(step, static_cast<Index>(centroids.starts.size()) - first), chunk, centroids.d,
               products_.data());
        if (run(centroids, panel, work, products, first, t))
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
      cut_rows(packed_.chunk(centroids, r), centroids.d, 1 + static_cast<F>(norm_error<F>(centroids.d)),
               halves_.data() + r / chunk * size);
    for (Index first = 0; first < centroids.k; first += step) {
      const Index panel = first / centroids.kernels.centroids;
      const Index block = first / MatrixUnit::centroids;
      const Index blocks = (std::min)(step / MatrixUnit::centroids, centroids.blocks() - block);
      for (Index r = 0; r < rows && panel < static_cast<Index>(seen_[static_cast<std::size_t>(r / chunk)]);
           r += chunk) {
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

  PackedRows<F> packed_;
  Aligned<F> products_;
  Aligned<std::uint32_t> halves_;  // of all chunks, for the matrix unit
  Aligned<F> best_, second_, margin_, threshold_, upper_, floor_, lower_, halves_of_d2_;  // by row
  Aligned<Place<F>> at_;
  std::vector<std::uint32_t> certified_;  // by vector of rows
  Sight sight_;
  std::vector<std::size_t> seen_;  // by chunk: panels
};

}  // namespace lloyd::inline LLOYD_ABI::cpu
