// SPDX-License-Identifier: MIT
/// @file
/// Centroids of few features in the order of space: panels of neighbours, each in its box, so that rows which lie
/// together see only the panels near them.
/// @see Bentley (1975), Multidimensional binary search trees used for associative searching, CACM 18.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// Up to so many features boxes are compact.
inline constexpr Index most_in_space = 4;

/// Whether it pays (docs/decisions/0014).
[[nodiscard]] constexpr bool pays_in_space(Index k, Index d) { return d <= most_in_space && k >= Index{80} << d; }

/// An interval of each feature.
struct Box {
  std::array<double, most_in_space> low, high;

  Box() {
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
  }
  template <Real T>
  void extend(const T* x, Index d) {
    for (Index q = 0; q < d; ++q) extend(static_cast<std::size_t>(q), static_cast<double>(x[q]));
  }
  void extend(std::size_t q, double x) {
    low[q] = (std::min)(low[q], x);
    high[q] = (std::max)(high[q], x);
  }
  void extend(const Box& other, Index d) {
    for (std::size_t q = 0; q < static_cast<std::size_t>(d); ++q) extend(q, other.low[q]), extend(q, other.high[q]);
  }
  /// The square of the least distance from a point of this box to one of the other, about.
  [[nodiscard]] double distance(const Box& other, Index d) const {
    double sum = 0;
    for (std::size_t q = 0; q < static_cast<std::size_t>(d); ++q) {
      const double gap = (std::max)({low[q] - other.high[q], other.low[q] - high[q], 0.0});
      sum += gap * gap;
    }
    return sum;
  }
};

/// A tree over distinct centroids whose leaves are panels, cut at medians of the widest feature.
class Space {
 public:
  [[nodiscard]] bool known() const { return !boxes_.empty(); }

  /// Reorders `distinct`, and with it `group`, the place of each centroid's group.
  template <Real T>
  void arrange(MatrixView<const T> c, Index panel, std::vector<Label>& distinct, std::vector<Label>& group) {
    d_ = c.cols();
    const std::vector<Label> ascending = distinct;
    std::vector<Label> place(static_cast<std::size_t>(c.rows()));  // of the lowest of a group
    root_ = split(c, panel, 0, distinct);
    for (std::size_t i = 0; i < distinct.size(); ++i)
      place[static_cast<std::size_t>(distinct[i])] = static_cast<Label>(i);
    for (Label& g : group) g = place[static_cast<std::size_t>(ascending[static_cast<std::size_t>(g)])];
    for (std::size_t p = 0; p < boxes_.size(); p += panels_a_region) {
      regions_.emplace_back();
      for (std::size_t i = p; i < (std::min)(p + panels_a_region, boxes_.size()); ++i)
        regions_.back().extend(boxes_[i], d_);
    }
  }

  /// The panel that x falls into.
  template <Real T>
  [[nodiscard]] Index panel_of(const T* x) const {
    Index at = root_;
    while (at < leaf) {
      const Node& node = nodes_[static_cast<std::size_t>(at)];
      at = node.child[static_cast<double>(x[node.feature]) >= node.cut ? 1 : 0];
    }
    return at - leaf;
  }

  /// Appends the panels in which a centroid may be at most the root of `square` from a point of the box, ascending.
  void list(const Box& box, double square, std::vector<Index>& panels) const {
    const double reach = square * (1 + 0x1p-40);
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      if (regions_[r].distance(box, d_) > reach) continue;
      for (std::size_t p = r * panels_a_region; p < (std::min)((r + 1) * panels_a_region, boxes_.size()); ++p)
        if (!(boxes_[p].distance(box, d_) > reach)) panels.push_back(static_cast<Index>(p));
    }
  }

 private:
  static constexpr std::size_t panels_a_region = 8;
  static constexpr Index leaf = Index{1} << 40;  ///< from here on children are panels
  struct Node {
    Index feature;
    double cut;
    Index child[2];
  };

  /// Makes the tree of some centroids, the first of which stands at `first`; returns its root.
  template <Real T>
  Index split(MatrixView<const T> c, Index panel, Index first, std::span<Label> centroids) {
    Box box;
    for (const Label j : centroids) box.extend(c.row(j), d_);
    const auto size = static_cast<Index>(centroids.size());
    if (size <= panel) {
      boxes_.push_back(box);
      return leaf + first / panel;
    }
    std::size_t widest = 0;
    for (std::size_t q = 1; q < static_cast<std::size_t>(d_); ++q)
      if (box.high[q] - box.low[q] > box.high[widest] - box.low[widest]) widest = q;
    const auto feature = static_cast<Index>(widest);
    const Index half = (size + panel - 1) / panel / 2 * panel;
    std::nth_element(centroids.begin(), centroids.begin() + half, centroids.end(), [&](Label a, Label b) {
      return c(a, feature) < c(b, feature) || (c(a, feature) == c(b, feature) && a < b);
    });
    const auto at = static_cast<Index>(nodes_.size());
    nodes_.push_back({feature, static_cast<double>(c(centroids[static_cast<std::size_t>(half)], feature)), {}});
    const Index left = split(c, panel, first, centroids.first(static_cast<std::size_t>(half)));
    const Index right = split(c, panel, first + half, centroids.subspan(static_cast<std::size_t>(half)));
    nodes_[static_cast<std::size_t>(at)].child[0] = left;
    nodes_[static_cast<std::size_t>(at)].child[1] = right;
    return at;
  }

  Index d_ = 0, root_ = leaf;
  std::vector<Node> nodes_;
  std::vector<Box> boxes_, regions_;
};

}  // namespace lloyd::inline LLOYD_ABI::cpu
