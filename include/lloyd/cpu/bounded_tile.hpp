// SPDX-License-Identifier: MIT
/// @file
/// The exact nearest centroid of each row of a batch, by what is known of the row. Few features: it is compared with
/// the centroids near its label's alone. Many: by its bounds of the pass before it is not read, or is compared with the
/// centroids that came farthest since, or with all.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "lloyd/cpu/bounds.hpp"
#include "lloyd/cpu/space_order.hpp"
#include "lloyd/cpu/tile.hpp"
#include "lloyd/kmeans/row_state.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// One thread's tile of the loop.
template <Real T, class Bound = Sound>
class BoundedTile {
 public:
  /// @param bounded  whether what `rows` kept in the pass before is made use of
  BoundedTile(const Prepared<T, Bound>& prepared, MatrixView<const T> x, bool bounded)
      : prepared_(&prepared), x_(x), tile_(prepared, x), bounded_(bounded) {}

  /// Whether bounds are to be kept.
  [[nodiscard]] static bool keeps(const Prepared<T, Bound>& prepared, const detail::RowState& rows) {
    return !rows.kept.empty() && !prepared.space.known() && keeps_bounds(prepared.c.rows(), prepared.c.cols());
  }
  /// Whether those kept exclude enough: by some of the rows.
  [[nodiscard]] static bool pays(const Prepared<T, Bound>& prepared, MatrixView<const T> x,
                                 const detail::RowState& rows) {
    if (!prepared.drift.known() || !keeps(prepared, rows)) return false;
    constexpr Index most_rows = 256;
    const Index n = x.rows(), step = (std::max)(n / most_rows, Index{1});
    const BoundedTile tile(prepared, x, true);
    Index seen = 0, sampled = 0;
    for (Index i = 0; i < n; i += step, ++sampled) {
      const auto r = static_cast<std::size_t>(i);
      seen += tile.look(i, rows.labels[r], Bounds::from_bits(rows.kept[r])).panels;
    }
    const double share = static_cast<double>(seen) / static_cast<double>(sampled * Index{prepared.drift.all()});
    return 1 - share > 0.35 + 512 / static_cast<double>(prepared.c.rows() * prepared.c.cols());
  }

  /// rows.labels[r] = argmin_j D(x_i, c_j) for rows i = begin + r; calls changed(i, from, to) where a label is another
  /// than before. Takes and leaves bounds in rows.kept.
  template <class Changed>
  void assign(Index begin, const detail::RowState& rows, const Changed& changed) {
    const auto n = static_cast<Index>(rows.labels.size());
    if (prepared_->space.known()) {
      order_.arrange(*prepared_, x_, begin, rows.labels);
      tile_.pack(order_.rows());
      tile_.reduce({{}, order_.panels(), order_.firsts()});
      skipped_ += order_.skipped();
      return settle(begin, rows, changed);
    }
    if (!bounded_) {
      tile_.pack(RowRun{begin, n});
      tile_.reduce();
      return settle(begin, rows, changed);
    }
    choose(begin, rows);
    const auto step = static_cast<std::size_t>(prepared_->batching.rows);
    for (std::size_t r = 0; r < rows_.size(); r += step) {
      const std::size_t count = (std::min)(step, rows_.size() - r);
      tile_.pack(std::span<const Index>(rows_).subspan(r, count));
      tile_.reduce({std::span<const Index>(seen_).subspan(r, count)});
      settle(begin, rows, changed);
    }
  }

  [[nodiscard]] Index rechecked() const { return tile_.rechecked(); }
  /// Pairs of a row and a distinct centroid that were never compared, since the beginning.
  [[nodiscard]] Index skipped() const { return skipped_; }

 private:
  /// Multiply-adds a row from which the distance to its own centroid is evaluated before others are excluded.
  static constexpr Index worth_own = 8192;

  struct Look {
    Bounds bounds;
    std::uint32_t panels;  ///< that have to be seen
  };
  /// What is left to see of a row, by its bounds of the pass before; the lower bound stays that unless nothing is.
  [[nodiscard]] Look look(Index row, Label own, Bounds bounds) const {
    const Drift& drift = prepared_->drift;
    const float came = drift.of(own), nearest = bounds.upper - came;
    bounds.upper = (bounds.upper + came) * (1 + Bounds::outwards);
    std::uint32_t panels = drift.seen(drift.gap(bounds.upper, bounds.lower));
    // evaluated if it helps where its own centroid came straight towards the row
    if (panels > 0 && prepared_->own.k * x_.cols() >= worth_own &&
        drift.seen(drift.gap(nearest, bounds.lower)) < drift.all()) {
      bounds.upper = distance_to_own(row, own).upper;
      panels = drift.seen(drift.gap(bounds.upper, bounds.lower));
    }
    if (panels == 0) bounds.lower = excluded(bounds.lower, 0);
    return {bounds, panels};
  }

  /// Keeps the labels of rows that nothing can be nearer to, and lists the others, those with most to see first.
  void choose(Index begin, const detail::RowState& rows) {
    const std::uint32_t all = prepared_->drift.all();
    const Index k = prepared_->own.k, width = prepared_->own.kernels.centroids;
    const std::size_t n = rows.labels.size();
    panels_.resize(n);
    ends_.assign(all + 1, 0);
    for (std::size_t r = 0; r < n; ++r) {
      const Look found = look(begin + static_cast<Index>(r), rows.labels[r], Bounds::from_bits(rows.kept[r]));
      rows.kept[r] = found.bounds.bits();
      panels_[r] = found.panels;
      ++ends_[all - found.panels];
    }
    skipped_ += static_cast<Index>(ends_[all]) * k;
    rows_.resize(n);
    seen_.resize(n);
    std::size_t end = 0;
    for (std::size_t& at : ends_) at = std::exchange(end, end + at);
    for (std::size_t r = 0; r < n; ++r) {
      const std::size_t to = ends_[all - panels_[r]]++;
      rows_[to] = begin + static_cast<Index>(r);
      seen_[to] = panels_[r] == all ? k : Index{panels_[r]} * width;
    }
    const std::size_t listed = ends_[all - 1];
    rows_.resize(listed);
    seen_.resize(listed);
  }

  /// Labels and bounds of the rows that are packed.
  template <class Changed>
  void settle(Index begin, const detail::RowState& rows, const Changed& changed) {
    labels_.resize(static_cast<std::size_t>(tile_.own().rows().rows()));
    if (keeps(*prepared_, rows)) {
      tile_.own().bound(prepared_->own, static_cast<T>(Bounds::most));
      tile_.settle(labels_, [&](std::size_t r, Label u, bool proven) {
        const auto at = static_cast<std::size_t>(tile_.row(r) - begin);
        const Index seen = tile_.own().seen(prepared_->own, r);
        if (seen == prepared_->own.k) return compared_with_all(r, u, proven, rows.kept[at]);
        skipped_ += prepared_->own.k - seen;
        return compared_with_some(r, u, proven, seen, rows.labels[at], rows.kept[at]);
      });
    } else {
      tile_.settle(labels_);
    }
    for (std::size_t r = 0; r < labels_.size(); ++r) {
      const Index i = tile_.row(r);
      Label& label = rows.labels[static_cast<std::size_t>(i - begin)];
      if (labels_[r] == label) continue;
      changed(i, label, labels_[r]);
      label = labels_[r];
    }
  }

  /// The label of a row that saw all centroids, u being the nearest.
  [[nodiscard]] Label compared_with_all(std::size_t r, Label u, bool proven, double& kept) {
    if (!proven) {
      kept = Bounds().bits();
      return -1;
    }
    return keep(u, bounds_of(tile_.own().upper(r), tile_.own().lower(r)), kept);
  }

  /// That of a row that saw the first `seen`, u being the nearest of these. The others are farther than its own.
  [[nodiscard]] Label compared_with_some(std::size_t r, Label u, bool proven, Index seen, Label label, double& kept) {
    const Drift& drift = prepared_->drift;
    const Bounds old = Bounds::from_bits(kept), found = bounds_of(tile_.own().upper(r), tile_.own().lower(r));
    const float floor = bounds_of(0, tile_.own().floor(r)).lower,
                others = excluded(old.lower, static_cast<std::uint32_t>(seen / prepared_->own.kernels.centroids));
    const Label own = prepared_->group[static_cast<std::size_t>(label)];
    const auto but = [&](float lower) { return (std::min)(lower, others); };
    if (u != own && drift.gap(old.upper, floor) > 0) return keep(own, {old.upper, but(floor)}, kept);
    if (Index{own} < seen) {
      if (proven) return keep(u, {found.upper, but(found.lower)}, kept);
    } else {
      const Bounds to_own = distance_to_own(tile_.row(r), label);
      if (drift.gap(to_own.upper, floor) > 0) return keep(own, {to_own.upper, but(floor)}, kept);
      if (proven && drift.gap(found.upper, to_own.lower) > 0)
        return keep(u, {found.upper, but((std::min)(found.lower, to_own.lower))}, kept);
    }
    kept = Bounds().bits();
    return -1;
  }

  /// Bounds that were found with a row's new label. Equal centroids are as near as its own, and may come apart.
  [[nodiscard]] Label keep(Label u, const Bounds& bounds, double& kept) const {
    kept = (prepared_->members[static_cast<std::size_t>(u)] == 1 ? bounds : Bounds()).bits();
    return tile_.label_of(u);
  }
  /// A lower bound for the centroids of panels p and on, after they came so far.
  [[nodiscard]] float excluded(float lower, std::uint32_t p) const {
    return (std::max)(lower - prepared_->drift.from(p), 0.0F) * (1 - Bounds::outwards);
  }
  /// Bounds of one distance.
  [[nodiscard]] Bounds distance_to_own(Index row, Label own) const {
    const auto d2 = static_cast<double>(prepared_->own.kernels.distance(x_.row(row), prepared_->c.row(own), x_.cols()));
    const double d = std::sqrt(d2), error = quick_distance_error<T>(x_.cols());
    return d2 > 0x1p-90 ? Bounds::of(d * (1 + error), d * (1 - error)) : Bounds();
  }
  [[nodiscard]] static Bounds bounds_of(T upper, T lower) {
    if constexpr (std::same_as<T, float>) return {upper, lower};
    return Bounds::of(upper, lower);
  }

  const Prepared<T, Bound>* prepared_;
  MatrixView<const T> x_;
  AssignTile<T, Bound> tile_;
  SpaceOrder<T, Bound> order_;
  bool bounded_;
  std::vector<std::uint32_t> panels_;  // by row
  std::vector<std::size_t> ends_;      // by number of panels
  std::vector<Index> rows_, seen_;     // listed
  std::vector<Label> labels_;          // of packed rows
  Index skipped_ = 0;
};

}  // namespace lloyd::inline LLOYD_ABI::cpu
