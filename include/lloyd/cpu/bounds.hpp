// SPDX-License-Identifier: MIT
/// @file
/// Bounds of a row's distances, kept from pass to pass, and how far centroids came between two passes: by these most
/// centroids, or all, are out of question for most rows once the centroids settle.
/// @see Hamerly (2010), Making k-means even faster, SDM.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lloyd/cpu/filter_centroids.hpp"
#include "lloyd/cpu/lanes.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// Bounds of the distances (not squared) from a row to its own centroid and to every other; the default knows nothing.
/// In float, whatever the rows are: sums and differences of them are rounded outwards.
struct Bounds {
  static constexpr float least = 0x1p-100F, most = 0x1p100F, outwards = 0x1p-20F;

  float upper = std::numeric_limits<float>::infinity(), lower = 0;

  /// Rounded outwards. What floats have no room for, and NaN, is nothing known.
  [[nodiscard]] static Bounds of(double upper, double lower) {
    constexpr auto roomy = static_cast<double>(most), out = static_cast<double>(outwards);
    if (!(upper < roomy)) return {};
    return {static_cast<float>(upper * (1 + out)), static_cast<float>((std::min)(lower, roomy) * (1 - out))};
  }
  /// As eight bytes of anybody's.
  [[nodiscard]] static Bounds from_bits(double bits) { return std::bit_cast<Bounds>(bits); }
  [[nodiscard]] double bits() const { return std::bit_cast<double>(*this); }
};

/// Whether a row's multiply-adds are enough for bounds to be worth keeping (docs/decisions/0013).
[[nodiscard]] constexpr bool keeps_bounds(Index k, Index d) { return k > 1 && k * d >= 1024; }

/// How far each centroid came since the pass before. Distinct centroids are put in the order of that, farthest first,
/// so that a row which only the fastest may be nearest to is compared with the first few panels of them.
class Drift {
 public:
  /// @param panel     centroids to a panel
  /// @param distinct  in which each centroid's group stands at `group`: reordered
  template <Real T>
  void measure(MatrixView<const T> before, MatrixView<const T> c, DistanceFunction<T> distance, Index panel,
               std::vector<Label>& distinct, std::vector<Label>& group) {
    const auto k = static_cast<std::size_t>(c.rows()), u = distinct.size();
    const double rounding = 8 * rounding_of_distance(c.cols()) + static_cast<double>(Bounds::outwards);
    slack_ = 1 + static_cast<float>(rounding);
    const auto most = static_cast<std::size_t>(worth_a_part * static_cast<double>(u)) / static_cast<std::size_t>(panel);
    of_.resize(k);
    std::vector<float> farthest(u, 0.0F);  // of a group
    for (std::size_t j = 0; j < k; ++j) {
      const auto row = static_cast<Index>(j);
      of_[j] = static_cast<float>((std::min)(std::sqrt(distance(before.row(row), c.row(row), c.cols())), 0x1p110)) *
               (1 + 2 * Bounds::outwards);
      float& group_drift = farthest[static_cast<std::size_t>(group[j])];
      group_drift = (std::max)(group_drift, of_[j]);
    }
    from_ = {*std::max_element(farthest.begin(), farthest.end())};
    all_ = static_cast<std::uint32_t>(most + 1);
    if (most == 0) return;
    const std::vector<float> drift = arrange(farthest, distinct, group);
    for (std::size_t p = 1; p <= most; ++p) from_.push_back(drift[p * static_cast<std::size_t>(panel)]);
    tabulate();
  }

  [[nodiscard]] bool known() const { return !of_.empty(); }
  /// Of centroid j.
  [[nodiscard]] float of(Label j) const { return of_[static_cast<std::size_t>(j)]; }
  /// The most of distinct centroids from panel p on, or of some before them too.
  [[nodiscard]] float from(std::uint32_t p) const { return from_[(std::min)(p, all_ - 1)]; }
  /// Stands for all panels: seeing more than a part of them does not pay beside seeing all, which renews the bounds.
  [[nodiscard]] std::uint32_t all() const { return all_; }

  /// By how much `lower`, which in the pass before bounded the distances from a row to all centroids but its own,
  /// exceeds `upper`, which bounds that to its own. Where from(p) is less, D, rounded, is greater for all centroids of
  /// the panels from p on.
  /// A lower bound so small that it may have been rounded to a subnormal excludes nothing.
  [[nodiscard]] float gap(float upper, float lower) const {
    return lower > Bounds::least ? (lower - upper * slack_) * (1 - Bounds::outwards) : -Bounds::most;
  }
  /// How many panels, of the first, a gap does not exclude, or a few more.
  [[nodiscard]] std::uint32_t seen(float gap) const {
    if (gap > from_[0]) return 0;
    return all_ == 1 ? 1 : seen_[step_of(gap)];
  }

 private:
  static constexpr double worth_a_part = 0.7;
  /// Sixteen steps from a gap to its double, over as many doublings.
  static constexpr std::size_t steps = 256;
  [[nodiscard]] std::size_t step_of(float gap) const {
    if (!(gap > lowest_)) return 0;
    const std::uint32_t step = (std::bit_cast<std::uint32_t>(gap) - std::bit_cast<std::uint32_t>(lowest_)) >> 19;
    return (std::min)(static_cast<std::size_t>(step), steps - 1);
  }

  /// Puts the farthest first; returns how far they came.
  [[nodiscard]] static std::vector<float> arrange(const std::vector<float>& farthest, std::vector<Label>& distinct,
                                                  std::vector<Label>& group) {
    const std::size_t u = distinct.size();
    std::vector<Label> order(u), place(u);
    for (std::size_t i = 0; i < u; ++i) order[i] = static_cast<Label>(i);
    const auto drift = [&](Label i) { return farthest[static_cast<std::size_t>(i)]; };
    std::stable_sort(order.begin(), order.end(), [&](Label a, Label b) { return drift(a) > drift(b); });
    const std::vector<Label> ascending = distinct;
    std::vector<float> descending(u);
    for (std::size_t i = 0; i < u; ++i) {
      distinct[i] = ascending[static_cast<std::size_t>(order[i])];
      place[static_cast<std::size_t>(order[i])] = static_cast<Label>(i);
      descending[i] = drift(order[i]);
    }
    for (Label& g : group) g = place[static_cast<std::size_t>(g)];
    return descending;
  }

  /// seen_[s]: how many the least gap of step s does not exclude.
  void tabulate() {
    lowest_ = (std::max)(from_[0] * 0x1p-16F, Bounds::least);
    std::uint32_t p = all_;
    seen_[0] = all_;
    for (std::uint32_t s = 1; s < steps; ++s) {
      const auto least = std::bit_cast<float>(std::bit_cast<std::uint32_t>(lowest_) + (s << 19));
      while (p > 0 && from_[p - 1] < least) --p;
      seen_[s] = p;
    }
  }

  std::vector<float> of_;    // k
  std::vector<float> from_;  // all() panels, descending
  std::array<std::uint32_t, steps> seen_{};
  std::uint32_t all_ = 1;
  float slack_ = 1, lowest_ = 0;
};

}  // namespace lloyd::inline LLOYD_ABI::cpu
