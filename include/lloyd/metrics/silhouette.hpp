// SPDX-License-Identifier: MIT
/// @file
/// Silhouettes of every row, by tiles: never n x n, never a copy of x.
///
/// Rows are taken in the order of their clusters. A chunk of rows of one cluster meets all groups of rows from it on;
/// each pair is evaluated once and counts for both of its rows. With its last chunk a cluster has met all rows, so that
/// one sum a row, of the cluster at hand, and one least mean are all that is kept. Sums are integers: threads share the
/// groups in any way, to the same bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "lloyd/cpu/parallel.hpp"
#include "lloyd/metrics/pair_tiles.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// (b - a) / max(a, b); 0 where both are 0.
[[nodiscard]] inline double silhouette_of(double a, double b) {
  const double larger = (std::max)(a, b);
  return larger > 0 ? (b - a) / larger : 0;
}

template <Real T>
class Silhouettes {
 public:
  Silhouettes(MatrixView<const T> x, const ClusterOrder& order, const Computing& computing)
      : x_(x),
        order_(order),
        computing_(computing.limited(static_cast<double>(order.rows()) * static_cast<double>(order.rows()) / 2 *
                                     work_of_a_pair(x.cols()))),
        kernel_(cpu::pair_function(computing.isa)),
        groups_(order, kernel_.lanes),
        most_rows_(choose_chunk(computing_, order, x.cols(), kernel_.lanes)),
        y_(size(most_rows_ * x.cols())),
        cuts_(size(order.clusters())),
        across_(size(order.clusters() * most_rows_)),
        own_(size(order.rows())),
        nearest_(size(order.rows()), std::numeric_limits<double>::infinity()) {
    for (int t = 0; t < computing_.threads; ++t) scratch_.emplace_back(x.cols(), most_rows_, kernel_.lanes);
    find_boxes();
  }

  /// The silhouette of the row at each position of the order.
  [[nodiscard]] std::vector<double> run() {
    for (Index c = 0; c < order_.clusters(); ++c) {
      for (Index other = c; other < order_.clusters(); ++other) cuts_[size(other)] = cut_of(c, other);
      for (Index begin = order_.begin(c); begin < order_.end(c); begin += most_rows_)
        add_chunk({c, begin, (std::min)(most_rows_, order_.end(c) - begin), begin + most_rows_ >= order_.end(c)});
      for (Index p = order_.begin(c); p < order_.end(c); ++p) nearest_[size(p)] = silhouette(c, p);
    }
    return std::move(nearest_);
  }

 private:
  /// Rows of a cluster that meet all groups from them on.
  struct Chunk {
    Index cluster, begin, rows;
    bool last;  // of the cluster
  };

  [[nodiscard]] static std::size_t size(Index i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] static double mean(double sum, Index rows) { return sum / static_cast<double>(rows); }
  [[nodiscard]] static double work_of_a_pair(Index d) { return static_cast<double>(d) + 16; }

  /// The least and the largest value of every column in every cluster.
  void find_boxes() {
    const Index d = x_.cols();
    low_.assign(size(order_.clusters() * d), std::numeric_limits<double>::infinity());
    high_.assign(low_.size(), -std::numeric_limits<double>::infinity());
    for (Index c = 0; c < order_.clusters(); ++c) {
      double *low = low_.data() + c * d, *high = high_.data() + c * d;
      for (Index p = order_.begin(c); p < order_.end(c); ++p) {
        const T* row = x_.row(order_.row(p));
        for (Index q = 0; q < d; ++q) {
          low[q] = (std::min)(low[q], static_cast<double>(row[q]));
          high[q] = (std::max)(high[q], static_cast<double>(row[q]));
        }
      }
    }
  }

  /// How distances between two clusters are cut: by the farthest corners of their boxes.
  [[nodiscard]] Cut cut_of(Index c, Index other) const {
    const Index d = x_.cols();
    double reach = 0;
    for (Index q = 0; q < d; ++q) {
      const std::size_t one = size(c * d + q), two = size(other * d + q);
      const double t = (std::max)(high_[one] - low_[two], high_[two] - low_[one]);
      reach += t * t;
    }
    return cut_for(reach, (std::max)(order_.size(c), order_.size(other)));
  }

  void add_chunk(const Chunk& chunk) {
    const Index d = x_.cols(), k = order_.clusters();
    for (Index i = 0; i < chunk.rows; ++i) {
      const T* row = x_.row(order_.row(chunk.begin + i));
      std::transform(row, row + d, y_.begin() + i * d, [](T value) { return static_cast<double>(value); });
    }
    std::fill_n(across_.begin(), k * chunk.rows, CutSum{});

    const Index first = groups_.number(chunk.cluster, chunk.begin), count = groups_.total() - first;
    const double pairs = static_cast<double>(chunk.rows) * static_cast<double>(count * kernel_.lanes);
    share(count, pairs * work_of_a_pair(d), [&](int part, const cpu::Run& run) {
      for (Index g = first + run.begin; g < first + run.end;)
        g = add_groups(chunk, g, first + run.end, scratch_[static_cast<std::size_t>(part)]);
    });
    share(chunk.rows, static_cast<double>(chunk.rows * (k - chunk.cluster)) * 64, [&](int, const cpu::Run& run) {
      for (Index i = run.begin; i < run.end; ++i) {
        own_[size(chunk.begin + i)].add(across_[size(chunk.cluster * chunk.rows + i)]);
        for (Index c = chunk.cluster + 1; c < k; ++c) {
          const double sum = across_[size(c * chunk.rows + i)].value(cuts_[size(c)]);
          come_nearer(chunk.begin + i, mean(sum, order_.size(c)));
        }
      }
    });
  }

  /// A chunk and groups g, g + 1, ..., up to `end`, that are of one kind: of the chunk itself, whose rows have all
  /// pairs from the other side; or later and full; or later and short. Returns the group after them.
  Index add_groups(const Chunk& chunk, Index g, Index end, PairScratch& scratch) {
    const Index other = groups_.cluster_of(g), d = x_.cols();
    const Index after_chunk = groups_.number(chunk.cluster, chunk.begin) + groups_.count(chunk.rows);
    const bool inside = g < after_chunk;
    Index stop = (std::min)(end, inside ? after_chunk : groups_.end(other));
    const bool ends_short = groups_.group(other, stop - 1).count < kernel_.lanes;
    if (!inside && ends_short && stop - g > 1) --stop;

    const Cut& cut = cuts_[size(other)];
    scratch.begin(chunk.rows);
    Group group{};
    for (; g < stop; ++g) {
      group = groups_.group(other, g);
      pack_group(x_, order_, group, kernel_.lanes, scratch.x());
      scratch.add(kernel_, d, y_.data(), chunk.rows, cut);
      for (Index l = 0; l < group.count; ++l) {
        CutSum& own = own_[size(group.first + l)];
        own.add(scratch.sum_of_x(l, chunk.rows, cut));
        if (other == chunk.cluster || !chunk.last) continue;
        come_nearer(group.first + l, mean(own.value(cut), order_.size(chunk.cluster)));
        own = {};
      }
    }
    if (inside) return stop;
    for (Index i = 0; i < chunk.rows; ++i) {
      const CutSum sum = scratch.sum_of_y(i, group.count, cut);
      CutSum& to = across_[size(other * chunk.rows + i)];
      __atomic_fetch_add(&to.high, sum.high, __ATOMIC_RELAXED);
      __atomic_fetch_add(&to.low, sum.low, __ATOMIC_RELAXED);
    }
    return stop;
  }

  void come_nearer(Index position, double distance) {
    nearest_[size(position)] = (std::min)(nearest_[size(position)], distance);
  }

  /// Of a row whose cluster has met all others.
  [[nodiscard]] double silhouette(Index c, Index position) const {
    if (order_.size(c) == 1) return 0;
    return silhouette_of(mean(own_[size(position)].value(cuts_[size(c)]), order_.size(c) - 1),
                         nearest_[size(position)]);
  }

  /// Calls body(part, run) for runs that together are 0 .. count - 1, on as many threads as the work is worth.
  template <class Body>
  void share(Index count, double work, const Body& body) const {
    const int parts = computing_.parts(work, count);
    cpu::parallel(parts, [&](int part) { body(part, cpu::run_of(count, part, parts)); });
  }

  MatrixView<const T> x_;
  const ClusterOrder& order_;
  Computing computing_;
  cpu::PairFunction kernel_;
  Groups groups_;
  Index most_rows_;                 // of a chunk
  cpu::Aligned<double> y_;          // the chunk
  std::vector<double> low_, high_;  // clusters x d
  std::vector<Cut> cuts_;           // from the chunk's cluster to every later one
  std::vector<CutSum> across_;      // clusters x chunk: from its rows to the later rows of every cluster
  std::vector<CutSum> own_;         // by position: from the row to its cluster so far, or to the cluster at hand
  std::vector<double> nearest_;     // by position: the least mean distance to another cluster, then the silhouette
  std::vector<PairScratch> scratch_;
};

}  // namespace lloyd::inline LLOYD_ABI::detail
