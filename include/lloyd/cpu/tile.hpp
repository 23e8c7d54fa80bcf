// SPDX-License-Identifier: MIT
/// @file
/// Filter, certify, recheck: the exact nearest centroid of each row of a batch.
#pragma once

#include <cstddef>
#include <numeric>
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
    rows_.resize(static_cast<std::size_t>(count));
    std::iota(rows_.begin(), rows_.end(), begin);
    own_.pack(prepared_->own, x_, prepared_->o, std::span<const Index>(rows_));
  }
  /// Filters the packed rows.
  void reduce() { own_.reduce(prepared_->own, prepared_->batching.centroids, prepared_->fused); }

  /// labels[r] = argmin_j D(x_r, c_j) for the filtered rows of which not all is excluded and wanted(r) holds.
  template <class Wanted>
  void settle(std::span<Label> labels, const Wanted& wanted) {
    doubtful_.clear();
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (!wanted(r)) continue;
      if (Filter<T>::certified(own_.states()[r]))
        labels[r] = prepared_->distinct[static_cast<std::size_t>(own_.states()[r].best)];
      else
        doubtful_.push_back(r);
    }
    if (doubtful_.empty()) return;
    rechecked_ += static_cast<Index>(doubtful_.size());
    doubtful_rows_.clear();
    for (const std::size_t r : doubtful_) doubtful_rows_.push_back(rows_[r]);
    if constexpr (std::same_as<T, float>) {
      // Hostile rows: most of them cost a candidate in float and none in double.
      if (4 * doubtful_.size() > rows_.size()) return recheck(wide_, prepared_->wide, labels);
    }
    recheck(again_, prepared_->own, labels);
  }
  void settle(std::span<Label> labels) {
    settle(labels, [](std::size_t) { return true; });
  }

  [[nodiscard]] Filter<T>& own() { return own_; }
  /// Rows that the filter could not certify, since the beginning.
  [[nodiscard]] Index rechecked() const { return rechecked_; }

 private:
  struct Nearest {
    double d2;
    Label u;
  };

  /// Labels of the doubtful rows, by a filter in F and then by D.
  template <Real F>
  void recheck(Filter<F>& filter, const FilterCentroids<F>& centroids, std::span<Label> labels) {
    filter.pack(centroids, x_, prepared_->o, std::span<const Index>(doubtful_rows_));
    filter.reduce(centroids, prepared_->batching.centroids, prepared_->fused);
    nearest_.assign(doubtful_.size(), {0, -1});
    for (std::size_t r = 0; r < doubtful_.size(); ++r) {
      const auto& state = filter.states()[r];
      if (Filter<F>::certified(state)) {
        nearest_[r].u = state.best;
        filter.exclude_all(r);
      } else if (state.usable) {
        filter.exclude_above(r, state.bound + 2 * state.own_term);
      } else {
        for (Index u = 0; u < centroids.k; ++u) evaluate(r, u);
      }
    }
    filter.for_each_hit(centroids, prepared_->batching.centroids, prepared_->fused,
                        [&](std::size_t r, Index u, F) { evaluate(r, u); });
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
  std::vector<Index> rows_, doubtful_rows_;
  std::vector<std::size_t> doubtful_;
  std::vector<Nearest> nearest_;
  Index rechecked_ = 0;
};

}  // namespace lloyd::cpu
