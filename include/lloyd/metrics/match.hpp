// SPDX-License-Identifier: MIT
/// @file
/// The best one-to-one matching of two partitions' clusters, by shortest augmenting paths.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "lloyd/matrix.hpp"
#include "lloyd/metrics/contingency.hpp"
#include "lloyd/metrics/partition.hpp"

namespace lloyd::inline LLOYD_ABI {

/// Labels under the names of others.
struct LabelMatch {
  std::vector<Label> labels;    ///< n: the labels, renamed
  std::vector<Label> from, to;  ///< every label that was met, ascending, and its new name
  Index n_equal = 0;            ///< rows whose new label is that of the reference
};

namespace detail {

/// Matches every cluster b of one partition with a different place of `places`, the first of which are clusters of the
/// other, so that the rows shared by matched clusters are as many as can be. Potentials u, v keep every
/// u_b + v_a <= -rows(b, a), with equality where matched, so each path that is added is a cheapest one; all in
/// integers.
class Matching {
 public:
  Matching(const Contingency& table, Index clusters, Index places)
      : table_(table), places_(places), row_of_(at(clusters) + 1, 0), shared_(at(places), 0) {
    for (const auto& cell : table.cells) ++row_of_[at(cell.a) + 1];
    for (std::size_t b = 1; b < row_of_.size(); ++b) row_of_[b] += row_of_[b - 1];
    u_.assign(at(clusters), 0);
    v_.assign(at(places), 0);
    matched_.assign(at(places), nobody);
    for (Index b = 0; b < clusters; ++b) match(b);
  }

  /// The place of every cluster.
  [[nodiscard]] std::vector<Index> result() const {
    std::vector<Index> place(u_.size());
    for (Index a = 0; a < places_; ++a)
      if (matched_[at(a)] != nobody) place[at(matched_[at(a)])] = a;
    return place;
  }

 private:
  static constexpr Index nobody = -1;

  [[nodiscard]] static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  /// Finds the cheapest path from cluster `b` to a free place, and shifts the matching along it.
  void match(Index b) {
    std::vector<Index> distance(at(places_), (std::numeric_limits<Index>::max)());
    std::vector<Index> before(at(places_), nobody);
    std::vector<bool> reached(at(places_), false);
    Index here = nobody, row = b, total = 0;  // the place reached last, who has it, the length of the path to it
    std::vector<Index> path;
    do {
      const Index next = reach(row, here, total, {distance, before, reached});
      total = distance[at(next)];
      here = next;
      reached[at(here)] = true;
      path.push_back(here);
      row = matched_[at(here)];
    } while (row != nobody);
    u_[at(b)] += total;
    for (const Index place : path) {
      if (place == here) continue;
      u_[at(matched_[at(place)])] += total - distance[at(place)];
      v_[at(place)] -= total - distance[at(place)];
    }
    for (; before[at(here)] != nobody; here = before[at(here)]) matched_[at(here)] = matched_[at(before[at(here)])];
    matched_[at(here)] = b;
  }

  struct Search {
    std::vector<Index>&distance, &before;
    std::vector<bool>& reached;
  };

  /// Lengthens the paths by the costs of a cluster that is `total` away; the nearest place not yet reached, the lowest
  /// of several.
  [[nodiscard]] Index reach(Index row, Index from, Index total, const Search& search) {
    const auto* cells = table_.cells.data();
    for (Index i = row_of_[at(row)]; i < row_of_[at(row) + 1]; ++i) shared_[at(cells[i].b)] = cells[i].rows;
    Index nearest = nobody;
    for (Index a = 0; a < places_; ++a) {
      if (search.reached[at(a)]) continue;
      const Index length = total - shared_[at(a)] - u_[at(row)] - v_[at(a)];
      if (length < search.distance[at(a)]) search.distance[at(a)] = length, search.before[at(a)] = from;
      if (nearest == nobody || search.distance[at(a)] < search.distance[at(nearest)]) nearest = a;
    }
    for (Index i = row_of_[at(row)]; i < row_of_[at(row) + 1]; ++i) shared_[at(cells[i].b)] = 0;
    return nearest;
  }

  const Contingency& table_;
  Index places_;
  std::vector<Index> row_of_;  // where a cluster's cells begin
  std::vector<Index> shared_;  // rows that the cluster at hand shares with every place
  std::vector<Index> u_, v_, matched_;
};

/// The labels of a partition under the names of a reference.
[[nodiscard]] inline LabelMatch match(const Partition& reference, const Partition& labels) {
  const Contingency table(labels, reference);
  const Matching matching(table, labels.clusters(), (std::max)(labels.clusters(), reference.clusters()));
  const std::vector<Index> place = matching.result();
  LabelMatch match;
  match.from = labels.values;
  Label unused = 0;
  for (const Index a : place) {
    if (a < reference.clusters()) {
      match.to.push_back(reference.values[static_cast<std::size_t>(a)]);
      continue;
    }
    while (std::binary_search(reference.values.begin(), reference.values.end(), unused)) ++unused;
    match.to.push_back(unused++);
  }
  for (const Label number : labels.number) match.labels.push_back(match.to[static_cast<std::size_t>(number)]);
  for (const auto& cell : table.cells)
    if (place[static_cast<std::size_t>(cell.a)] == cell.b) match.n_equal += cell.rows;
  return match;
}

}  // namespace detail
}  // namespace lloyd::inline LLOYD_ABI
