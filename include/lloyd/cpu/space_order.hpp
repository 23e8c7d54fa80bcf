// SPDX-License-Identifier: MIT
/// @file
/// Rows of few features in the order of the centroids that they are near to, with the panels that each chunk of them
/// has to see.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "lloyd/cpu/prepare.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// Scratch of one thread.
template <Real T, class Bound>
class SpaceOrder {
 public:
  /// Orders rows begin, begin + 1, ..., whose labels so far (-1: none) are given, and lists panels.
  void arrange(const Prepared<T, Bound>& prepared, MatrixView<const T> x, Index begin, std::span<const Label> labels) {
    ends_.assign(prepared.distinct.size() + 1, 0);
    guesses_.resize(labels.size());
    for (std::size_t r = 0; r < labels.size(); ++r) {
      const T* row = x.row(begin + static_cast<Index>(r));
      const Label u =
          labels[r] < 0 ? nearest_in_panel(prepared, row) : prepared.group[static_cast<std::size_t>(labels[r])];
      guesses_[r] = {square(prepared, row, u), u};
      ++ends_[static_cast<std::size_t>(u)];
    }
    rows_.resize(labels.size());
    squares_.resize(labels.size());
    std::size_t end = 0;
    for (std::size_t& at : ends_) at = std::exchange(end, end + at);
    for (std::size_t r = 0; r < labels.size(); ++r) {
      const std::size_t to = ends_[static_cast<std::size_t>(guesses_[r].u)]++;
      rows_[to] = begin + static_cast<Index>(r);
      squares_[to] = guesses_[r].square;
    }
    list_panels(prepared, x);
  }

  [[nodiscard]] std::span<const Index> rows() const { return rows_; }
  /// Those of chunk i are firsts()[i] .. firsts()[i + 1] - 1 of panels().
  [[nodiscard]] std::span<const Index> panels() const { return panels_; }
  [[nodiscard]] std::span<const std::size_t> firsts() const { return firsts_; }
  /// Pairs of a row and a centroid that are in none of its panels.
  [[nodiscard]] Index skipped() const { return skipped_; }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  struct Guess {
    double square;
    Label u;
  };

  void list_panels(const Prepared<T, Bound>& prepared, MatrixView<const T> x) {
    const auto chunk = static_cast<std::size_t>(prepared.own.kernels.chunk());
    panels_.clear();
    firsts_.assign(1, 0);
    skipped_ = 0;
    for (std::size_t r = 0; r < rows_.size(); r += chunk) {
      const std::size_t end = (std::min)(r + chunk, rows_.size());
      Box box;
      double most = 0;
      for (std::size_t i = r; i < end; ++i) {
        box.extend(x.row(rows_[i]), x.cols());
        // of a row that is not finite every panel is seen
        most = squares_[i] < infinity ? (std::max)(most, squares_[i]) : infinity;
      }
      prepared.space.list(box, most, panels_);
      const auto seen = static_cast<Index>(panels_.size() - firsts_.back()) * prepared.own.kernels.centroids;
      skipped_ += static_cast<Index>(end - r) * (std::max)(prepared.own.k - seen, Index{0});
      firsts_.push_back(panels_.size());
    }
  }

  [[nodiscard]] static double square(const Prepared<T, Bound>& prepared, const T* row, Label u) {
    const T* c = prepared.c.row(prepared.distinct[static_cast<std::size_t>(u)]);
    double sum = 0;
    for (Index q = 0; q < prepared.c.cols(); ++q) {
      const double t = static_cast<double>(row[q]) - static_cast<double>(c[q]);
      sum += t * t;
    }
    return sum;
  }
  /// The nearest of the centroids in the panel that a row falls into, about.
  [[nodiscard]] static Label nearest_in_panel(const Prepared<T, Bound>& prepared, const T* row) {
    const Index width = prepared.own.kernels.centroids, first = prepared.space.panel_of(row) * width;
    Guess best{infinity, static_cast<Label>(first)};
    for (Index u = first; u < (std::min)(first + width, static_cast<Index>(prepared.distinct.size())); ++u) {
      const double candidate = square(prepared, row, static_cast<Label>(u));
      if (candidate < best.square) best = {candidate, static_cast<Label>(u)};
    }
    return best.u;
  }

  std::vector<Guess> guesses_;
  std::vector<std::size_t> ends_;
  std::vector<Index> rows_, panels_;
  std::vector<double> squares_;
  std::vector<std::size_t> firsts_;
  Index skipped_ = 0;
};

}  // namespace lloyd::inline LLOYD_ABI::cpu
