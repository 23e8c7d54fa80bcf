// SPDX-License-Identifier: MIT
/// @file
/// Filter, certify, recheck: the exact nearest centroid of each row of a batch.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lloyd/cpu/filter.hpp"
#include "lloyd/cpu/prepare.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// One thread's tile. Rows that the filter certifies have their label; the others are filtered again by themselves (in
/// double where they are many), and D decides between the candidates that are left.
template <Real T, class Bound = Sound>
class AssignTile {
 public:
  AssignTile(const Prepared<T, Bound>& prepared, MatrixView<const T> x) : prepared_(&prepared), x_(x) {}

  /// Packs rows, a run of them or a list.
  void pack(const RowRun& rows) {
    own_.pack(prepared_->own, x_, prepared_->o, rows);
    list_.clear();
    first_ = rows.begin;
  }
  void pack(std::span<const Index> rows) {
    own_.pack(prepared_->own, x_, prepared_->o, rows);
    list_.assign(rows.begin(), rows.end());
  }
  /// Filters the packed rows.
  void reduce(const Sight& sight = {}) { own_.reduce(prepared_->own, prepared_->batching.centroids, sight); }

  /// labels[r] = argmin_j D(x_r, c_j) for packed row r. `decide(r, u, proven)` is asked first: whether the distinct
  /// centroid u that the filter found is proven to be the nearest of those that it saw. It returns the label, or -1
  /// where D has to decide between all.
  template <class Decide>
  void settle(std::span<Label> labels, const Decide& decide) {
    doubtful_.clear();
    own_.for_each_row(prepared_->own, [&](std::size_t r, Index u, bool proven) {
      labels[r] = decide(r, static_cast<Label>(u), proven);
      if (labels[r] < 0) doubtful_.push_back(r);
    });
    if (doubtful_.empty()) return;
    rechecked_ += static_cast<Index>(doubtful_.size());
    doubtful_rows_.clear();
    for (const std::size_t r : doubtful_) doubtful_rows_.push_back(row(r));
    nearest_.assign(doubtful_.size(), {0, -1});
    if constexpr (std::same_as<T, float>) {
      // Hostile rows: most of them cost a candidate in float and none in double.
      if (4 * static_cast<Index>(doubtful_.size()) > own_.rows().rows()) {
        recheck(wide_, prepared_->wide, true);
        return write(labels);
      }
    }
    recheck(again_, prepared_->own, false);
    write(labels);
  }
  /// The same where every row saw all centroids.
  void settle(std::span<Label> labels) {
    settle(labels, [&](std::size_t, Label u, bool proven) { return proven ? label_of(u) : Label{-1}; });
  }

  /// The lowest of a group of equal centroids.
  [[nodiscard]] Label label_of(Label u) const { return prepared_->distinct[static_cast<std::size_t>(u)]; }
  /// The row of x that was packed as row r.
  [[nodiscard]] Index row(std::size_t r) const { return list_.empty() ? first_ + static_cast<Index>(r) : list_[r]; }
  [[nodiscard]] Filter<T>& own() { return own_; }
  /// Rows that the filter could not certify, since the beginning.
  [[nodiscard]] Index rechecked() const { return rechecked_; }

 private:
  struct Nearest {
    double d2;
    Label u;
  };

  /// The nearest of the doubtful rows, by D among the candidates that the filter in F leaves, or the first filter.
  template <Real F>
  void recheck(Filter<F>& filter, const FilterCentroids<F>& centroids, bool reduce) {
    filter.pack(centroids, x_, prepared_->o, doubtful_rows_);
    const auto narrow = [&](std::size_t r, double least) {
      if (filter.rows().usable(centroids, r)) return filter.exclude_below(r, least);
      for (Index u = 0; u < centroids.k; ++u) evaluate(r, u);
    };
    if (reduce) {
      filter.reduce(centroids, prepared_->batching.centroids);
      filter.for_each_row(centroids, [&](std::size_t r, Index u, bool proven) {
        if (!proven) return narrow(r, filter.least_sum(r));
        nearest_[r].u = static_cast<Label>(u);
        filter.exclude_all(r);
      });
    } else {
      for (std::size_t r = 0; r < doubtful_.size(); ++r) narrow(r, own_.least_sum(doubtful_[r]));
    }
    filter.for_each_hit(centroids, prepared_->batching.centroids, [&](std::size_t r, Index u, F) { evaluate(r, u); });
  }

  void write(std::span<Label> labels) const {
    for (std::size_t r = 0; r < doubtful_.size(); ++r) labels[doubtful_[r]] = label_of(nearest_[r].u);
  }

  /// D decides, and the lower label where it ties, as all NaN do.
  void evaluate(std::size_t r, Index u) {
    const auto other = static_cast<Label>(u);
    const double d2 = prepared_->distance(x_.row(doubtful_rows_[r]), prepared_->c.row(label_of(other)), x_.cols());
    Nearest& nearest = nearest_[r];
    if (nearest.u < 0 || d2 < nearest.d2 || (!(d2 > nearest.d2) && label_of(other) < label_of(nearest.u)))
      nearest = {d2, other};
  }

  const Prepared<T, Bound>* prepared_;
  MatrixView<const T> x_;
  Filter<T> own_, again_;
  Filter<double> wide_;
  std::vector<Index> list_;  // of packed rows; empty: a run from the first
  Index first_ = 0;
  std::vector<Index> doubtful_rows_;
  std::vector<std::size_t> doubtful_;
  std::vector<Nearest> nearest_;
  Index rechecked_ = 0;
};

}  // namespace lloyd::inline LLOYD_ABI::cpu
