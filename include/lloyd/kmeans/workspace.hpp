// SPDX-License-Identifier: MIT
/// @file
/// What a fit works on: the problem (rows, who computes, who shares) and every temporary, named once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <exception>
#include <numeric>
#include <span>
#include <vector>

#include "lloyd/backend.hpp"
#include "lloyd/communicator.hpp"
#include "lloyd/kmeans/progress.hpp"
#include "lloyd/kmeans/validate.hpp"

namespace lloyd::detail {

/// The rows of all ranks, and which of them are here.
struct Rows {
  Index n = 0;  ///< of all ranks
  Index d = 0;
  Index local = 0;            ///< of this rank
  Index first = 0, step = 1;  ///< global number of local row i: first + step * i

  /// The local number of a global row, or -1 if another rank has it.
  [[nodiscard]] Index find(Index global) const {
    const Index distance = global - first;
    return distance >= 0 && distance % step == 0 && distance / step < local ? distance / step : -1;
  }
};

/// One clustering problem: options, backend, ranks, source, and what the survey found. Everything in kmeans/ takes it.
template <Real T, BackendFor<T> B, Communicator C, Source S>
struct Problem {
  using Scalar = T;
  using Backend = B;

  const Options& options;
  const B& backend;
  C& ranks;
  const S& source;
  Progress& progress;
  const char* who;
  Rows rows{};
  Survey survey{0};
  Quanta quanta{};
  Batching batching{};
  double largest_given = -1;  ///< of the centroids given; negative where rows are seeded

  /// Reads all rows of this rank once, tile by tile, with weights scaled. An error on one rank ends all.
  template <class Use>
  void pass(const Use& use) const {
    const double scale = std::ldexp(1.0, -survey.weight_exponent());
    together(ranks, [&] {
      source.for_each_tile([&](Tile<T, typename B::Space> tile) {
        tile.first = rows.first + rows.step * tile.offset;
        tile.step = rows.step;
        tile.w = tile.w.scaled(scale);
        use(tile);
      });
    });
  }

  /// out_i = x_{wanted_i}, by global row number, on every rank.
  void fetch(std::span<const Index> wanted, MatrixView<T> out) const {
    std::vector<Index> mine, place;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const Index local = rows.find(wanted[i]);
      if (local < 0) continue;
      mine.push_back(local);
      place.push_back(static_cast<Index>(i));
    }
    Matrix<T> found(mine.size(), rows.d);
    together(ranks, [&] { source.gather(mine, found.view()); });
    std::vector<std::int64_t> bits(ranks.size() > 1 ? static_cast<std::size_t>(out.rows() * rows.d) : 0, 0);
    for (Index i = 0; i < found.rows(); ++i) {
      const Index to = place[static_cast<std::size_t>(i)];
      for (Index q = 0; q < rows.d; ++q) {
        out(to, q) = found(i, q);
        if (!bits.empty())
          bits[static_cast<std::size_t>(to * rows.d + q)] =
              std::bit_cast<std::int64_t>(static_cast<double>(found(i, q)));
      }
    }
    if (bits.empty()) return;
    ranks.sum(bits);
    for (Index i = 0; i < out.rows(); ++i)
      for (Index q = 0; q < rows.d; ++q)
        out(i, q) = static_cast<T>(std::bit_cast<double>(bits[static_cast<std::size_t>(i * rows.d + q)]));
  }

  /// w_i of some rows, by global number, on every rank.
  [[nodiscard]] std::vector<double> fetch_weights(std::span<const Index> wanted) const {
    std::vector<std::int64_t> bits(wanted.size(), 0);
    pass([&](const auto& tile) {
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Index row = rows.find(wanted[i]) - tile.offset;
        if (rows.find(wanted[i]) >= 0 && row >= 0 && row < tile.x.rows())
          bits[i] = std::bit_cast<std::int64_t>(tile.w(row));
      }
    });
    ranks.sum(bits);
    std::vector<double> weights(wanted.size());
    std::transform(bits.begin(), bits.end(), weights.begin(), [](auto b) { return std::bit_cast<double>(b); });
    return weights;
  }

  /// The row numbers that all ranks have found, ascending.
  [[nodiscard]] std::vector<Index> gather_sorted(const std::vector<Index>& found) const {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks.size()) + 1, 0);
    counts[static_cast<std::size_t>(ranks.rank()) + 1] = static_cast<Index>(found.size());
    ranks.sum(counts);
    std::partial_sum(counts.begin(), counts.end(), counts.begin());
    std::vector<Index> all(static_cast<std::size_t>(counts.back()), 0);
    std::copy(found.begin(), found.end(), all.begin() + counts[static_cast<std::size_t>(ranks.rank())]);
    ranks.sum(all);
    std::sort(all.begin(), all.end());
    return all;
  }

  /// An exact sum over all ranks, rounded.
  [[nodiscard]] double total(ExactSum& sum) const {
    ranks.sum(sum.exchange());
    return sum.value();
  }

  /// A value in units of scaled weights, in the user's units.
  [[nodiscard]] double in_weight_units(double value) const { return std::ldexp(value, survey.weight_exponent()); }
};

/// Every temporary of a fit whose size depends on the input: 12 bytes a row and O(k d).
template <Real T, class B>
struct Workspace {
  template <class P>
  explicit Workspace(const P& problem)
      : labels(static_cast<std::size_t>(problem.rows.local)),
        d2(static_cast<std::size_t>(problem.rows.local)),
        c(problem.options.n_clusters, problem.rows.d),
        next(problem.options.n_clusters, problem.rows.d),
        shape(problem.options.n_clusters, problem.rows.d, problem.quanta),
        sum_values(static_cast<std::size_t>(shape.size())),
        delta_values(static_cast<std::size_t>(shape.size())) {}

  typename B::template Buffer<Label> labels;  ///< of the rows here
  typename B::template Buffer<double> d2;     ///< D to the nearest seed while seeding, to the own centroid in relocate
  bool kept = false;                          ///< instead d2 holds what the backend kept of each row in the last pass
  typename B::template Dense<T> c, next;      ///< k x d
  SumsShape shape;
  std::vector<std::int64_t> sum_values;    ///< of the current labels, over all ranks
  std::vector<std::int64_t> delta_values;  ///< what one pass changes

  [[nodiscard]] SumsView sums() { return {sum_values, shape}; }
  [[nodiscard]] SumsView delta() { return {delta_values, shape}; }
  [[nodiscard]] MatrixView<const T> centroids() const { return c.view(); }

  /// The centroids of the last pass of the loop, if what was kept then still stands.
  [[nodiscard]] MatrixView<const T> before() const { return kept ? next.view() : MatrixView<const T>(); }

  /// Labels of a tile's rows and what is kept of them.
  template <class Tile>
  [[nodiscard]] RowState rows_of(const Tile& tile) {
    return {of(labels, tile), of(d2, tile)};
  }
  /// The part of labels or d2 that belongs to a tile.
  template <class Buffer, class Tile>
  [[nodiscard]] static auto of(Buffer& buffer, const Tile& tile) {
    return std::span(buffer).subspan(static_cast<std::size_t>(tile.offset), static_cast<std::size_t>(tile.x.rows()));
  }
};

/// sums += delta, integer by integer.
inline void add(const SumsView& sums, const SumsView& delta) {
  for (std::size_t i = 0; i < sums.values().size(); ++i) add_wrapping(sums.values()[i], delta.values()[i], 1);
}

/// The mean of the centroids, rounded to T: a point near them, from which the filter measures.
template <Real T>
[[nodiscard]] std::vector<T> mean_of(MatrixView<const T> c) {
  std::vector<T> mean(static_cast<std::size_t>(c.cols()));
  for (Index q = 0; q < c.cols(); ++q) {
    double sum = 0;
    for (Index j = 0; j < c.rows(); ++j) sum += static_cast<double>(c(j, q)) / static_cast<double>(c.rows());
    mean[static_cast<std::size_t>(q)] = static_cast<T>(sum);
  }
  return mean;
}

}  // namespace lloyd::detail
