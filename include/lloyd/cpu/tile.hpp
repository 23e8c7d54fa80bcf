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

namespace lloyd::cpu {

/// One thread's tile. Rows that the filter certifies have their label; the others are filtered again by themselves (in
/// double where they are many), and D decides between the candidates that are left.
template <Real T, class Bound = Sound>
class AssignTile {
 public:
  AssignTile(const Prepared<T, Bound>& prepared, MatrixView<const T> x) : prepared_(&prepared), x_(x) {}

  /// Packs rows begin .. begin + count - 1.
  void pack(Index begin, Index count) {
    rows_ = {begin, count};
    own_.pack(prepared_->own, x_, prepared_->o, rows_);
  }
  /// Filters the packed rows. `labels` are theirs so far (-1: none), which most of them keep, or it is empty.
  void reduce(std::span<const Label> labels = {}) {
    own_.reduce(prepared_->own, prepared_->batching.centroids, prepared_->fused, [&](std::size_t r) {
      return labels.empty() || labels[r] < 0 ? Index{-1} : Index{prepared_->group[static_cast<std::size_t>(labels[r])]};
    });
  }

  /// labels[r] = argmin_j D(x_r, c_j) for the filtered rows.
  void settle(std::span<Label> labels) {
    doubtful_.clear();
    own_.for_each_row(
        prepared_->own, [&](std::size_t r, Index u) { labels[r] = prepared_->distinct[static_cast<std::size_t>(u)]; },
        [&](std::size_t r) { doubtful_.push_back(r); });
    if (doubtful_.empty()) return;
    rechecked_ += static_cast<Index>(doubtful_.size());
    doubtful_rows_.clear();
    for (const std::size_t r : doubtful_) doubtful_rows_.push_back(rows_[r]);
    nearest_.assign(doubtful_.size(), {0, -1});
    if constexpr (std::same_as<T, float>) {
      // Hostile rows: most of them cost a candidate in float and none in double.
      if (4 * doubtful_.size() > rows_.size()) {
        recheck(wide_, prepared_->wide, true);
        return write(labels);
      }
    }
    recheck(again_, prepared_->own, false);
    write(labels);
  }

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
      filter.reduce(centroids, prepared_->batching.centroids, prepared_->fused, [](std::size_t) { return Index{-1}; });
      filter.for_each_row(
          centroids,
          [&](std::size_t r, Index u) {
            nearest_[r].u = static_cast<Label>(u);
            filter.exclude_all(r);
          },
          [&](std::size_t r) { narrow(r, filter.least_sum(r)); });
    } else {
      for (std::size_t r = 0; r < doubtful_.size(); ++r) narrow(r, own_.least_sum(doubtful_[r]));
    }
    filter.for_each_hit(centroids, prepared_->batching.centroids, prepared_->fused,
                        [&](std::size_t r, Index u, F) { evaluate(r, u); });
  }

  void write(std::span<Label> labels) const {
    for (std::size_t r = 0; r < doubtful_.size(); ++r)
      labels[doubtful_[r]] = prepared_->distinct[static_cast<std::size_t>(nearest_[r].u)];
  }

  /// D decides, ascending u: the first minimum stays.
  void evaluate(std::size_t r, Index u) {
    const Label c = prepared_->distinct[static_cast<std::size_t>(u)];
    const double d2 = prepared_->distance(x_.row(doubtful_rows_[r]), prepared_->c.row(c), x_.cols());
    if (nearest_[r].u < 0 || d2 < nearest_[r].d2) nearest_[r] = {d2, static_cast<Label>(u)};
  }

  const Prepared<T, Bound>* prepared_;
  MatrixView<const T> x_;
  Filter<T> own_, again_;
  Filter<double> wide_;
  RowRun rows_{0, 0};
  std::vector<Index> doubtful_rows_;
  std::vector<std::size_t> doubtful_;
  std::vector<Nearest> nearest_;
  Index rechecked_ = 0;
};

}  // namespace lloyd::cpu
