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
#include <utility>
#include <vector>

#include "lloyd/backend.hpp"
#include "lloyd/communicator.hpp"
#include "lloyd/kmeans/memory.hpp"
#include "lloyd/kmeans/progress.hpp"
#include "lloyd/kmeans/tiles.hpp"
#include "lloyd/kmeans/validate.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// The rows of all ranks, and which of them are here.
struct Rows {
  Index n = 0;  ///< of all ranks
  Index d = 0;
  Index local = 0;            ///< of this rank
  Index first = 0, step = 1;  ///< global number of local row i: first + step * i
  bool weighted = false;      ///< those of this rank

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
  using Space = typename B::Space;

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

  /// Reads all rows of this rank once, tile by tile, with weights scaled. An error on one rank ends all, as do other
  /// rows than those announced.
  template <class Use>
  void pass(const Use& use) const {
    together(ranks, [&] { tiles(use); });
  }

  /// The same with use(tile, prepare()): what a pass needs, of which an error ends all, too.
  template <class Prepare, class Use>
  void pass(const Prepare& prepare, const Use& use) const {
    together(ranks, [&] {
      const auto prepared = prepare();
      tiles([&](const auto& tile) { use(tile, prepared); });
    });
  }

  /// Whether all rows of all ranks are one tile, which is there at any time.
  [[nodiscard]] bool in_one_tile() const { return std::same_as<S, InMemory<T, Space>> && ranks.size() == 1; }

  /// values_i summed over all ranks, wherever they lie.
  void sum(std::span<std::int64_t> values) const {
    if constexpr (on_host<B>) {
      ranks.sum(values);
    } else {
      if (ranks.size() == 1) return;
      auto here = to_host(backend, values);
      ranks.sum(here);
      backend.write(std::span<const std::int64_t>(here), values);
    }
  }

  /// out_i = x_{wanted_i}, by global row number, on every rank, in the backend's memory.
  void fetch(std::span<const Index> wanted, MatrixView<T, Space> out) const {
    std::vector<std::int64_t> bits;
    if constexpr (on_host<B>) {
      together(ranks, [&] {
        fetch_from_source(wanted, out);
        if (ranks.size() > 1) bits = bits_of(wanted, out);
      });
      if (ranks.size() == 1) return;
      ranks.sum(bits);
      read_bits(bits, out);
    } else {
      pass([&](const auto& tile) { backend.gather(tile, wanted, out, std::span<double>()); });
      if (ranks.size() == 1) return;
      Matrix<T> here;
      together(ranks, [&] {
        here = to_host(backend, MatrixView<const T, Space>(out));
        bits = bits_of(wanted, here.view());
      });
      ranks.sum(bits);
      read_bits(bits, here.view());
      copy_rows(backend, std::as_const(here).view(), out);
    }
  }

  /// w_i of some rows, by global number, on every rank.
  [[nodiscard]] std::vector<double> fetch_weights(std::span<const Index> wanted) const {
    std::vector<std::int64_t> bits(wanted.size(), 0);
    pass([&](const auto& tile) {
      const auto held = [&](std::size_t i) {
        const Index row = rows.find(wanted[i]) - tile.offset;
        return rows.find(wanted[i]) >= 0 && row >= 0 && row < tile.x.rows() ? row : -1;
      };
      if constexpr (on_host<B>) {
        for (std::size_t i = 0; i < bits.size(); ++i)
          if (held(i) >= 0) bits[i] = std::bit_cast<std::int64_t>(tile.w(held(i)));
      } else {
        auto weights = make_buffer<double>(backend, static_cast<Index>(bits.size()));
        fill(backend, span_of(weights), 0);
        backend.gather(tile, wanted, MatrixView<T, Space>(), span_of(weights));
        const auto here = to_host(backend, span_of(weights));
        for (std::size_t i = 0; i < bits.size(); ++i)
          if (held(i) >= 0) bits[i] = std::bit_cast<std::int64_t>(here[i]);
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

  /// An exact sum over all ranks times 2^power, rounded once.
  [[nodiscard]] double total(ExactSum& sum, int power = 0) const {
    ranks.sum(sum.exchange());
    return sum.value(power);
  }

  /// An estimate in units of scaled weights, in the user's units.
  [[nodiscard]] double in_weight_units(double value) const { return std::ldexp(value, survey.weight_exponent()); }

 private:
  template <class Use>
  void tiles(const Use& use) const {
    const double scale = std::ldexp(1.0, -survey.weight_exponent());
    for_each_tile(source, {rows.local, rows.d, rows.weighted}, who, [&](Tile<T, Space> tile) {
      tile.first = rows.first + rows.step * tile.offset;
      tile.step = rows.step;
      tile.w = tile.w.scaled(scale);
      use(tile);
    });
  }

  /// out_i = x_{wanted_i} of the rows that are here.
  void fetch_from_source(std::span<const Index> wanted, MatrixView<T> out) const {
    std::vector<Index> mine, place;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const Index local = rows.find(wanted[i]);
      if (local < 0) continue;
      mine.push_back(local);
      place.push_back(static_cast<Index>(i));
    }
    Matrix<T> found(mine.size(), rows.d);
    source.gather(mine, found.view());
    for (Index i = 0; i < found.rows(); ++i)
      std::copy_n(found.row(i), rows.d, out.row(place[static_cast<std::size_t>(i)]));
  }

  /// The bits of the rows that are here, 0 for those of other ranks: their sum over all ranks is the rows themselves.
  [[nodiscard]] std::vector<std::int64_t> bits_of(std::span<const Index> wanted, MatrixView<const T> x) const {
    std::vector<std::int64_t> bits(wanted.size() * static_cast<std::size_t>(rows.d), 0);
    auto bit = bits.begin();
    for (Index i = 0; i < x.rows(); ++i, bit += rows.d) {
      if (rows.find(wanted[static_cast<std::size_t>(i)]) < 0) continue;
      std::transform(x.row(i), x.row(i) + rows.d, bit,
                     [](T value) { return std::bit_cast<std::int64_t>(static_cast<double>(value)); });
    }
    return bits;
  }
  static void read_bits(std::span<const std::int64_t> bits, MatrixView<T> out) {
    auto bit = bits.begin();
    for (Index i = 0; i < out.rows(); ++i)
      for (Index q = 0; q < out.cols(); ++q) out(i, q) = static_cast<T>(std::bit_cast<double>(*bit++));
  }
};

/// Every temporary of a fit whose size depends on the input: 12 bytes a row and O(k d).
template <Real T, class B>
struct Workspace {
  template <class P>
  explicit Workspace(const P& problem)
      : labels(make_buffer<Label>(problem.backend, problem.rows.local)),
        d2(make_buffer<double>(problem.backend, problem.rows.local)),
        c(make_dense<T>(problem.backend, problem.options.n_clusters, problem.rows.d)),
        next(make_dense<T>(problem.backend, problem.options.n_clusters, problem.rows.d)),
        shape(problem.options.n_clusters, problem.rows.d, problem.quanta),
        sum_values(make_buffer<std::int64_t>(problem.backend, shape.size())),
        delta_values(make_buffer<std::int64_t>(problem.backend, shape.size())) {}

  typename B::template Buffer<Label> labels;  ///< of the rows here
  typename B::template Buffer<double> d2;     ///< D to the nearest seed while seeding, to the own centroid in relocate
  bool kept = false;                          ///< instead d2 holds what the backend kept of each row in the last pass
  typename B::template Dense<T> c, next;      ///< k x d
  SumsShape shape;
  typename B::template Buffer<std::int64_t> sum_values;    ///< of the current labels, over all ranks
  typename B::template Buffer<std::int64_t> delta_values;  ///< what one pass changes

  [[nodiscard]] SumsView sums() { return {span_of(sum_values), shape}; }
  [[nodiscard]] SumsView delta() { return {span_of(delta_values), shape}; }
  [[nodiscard]] MatrixView<const T, typename B::Space> centroids() const { return c.view(); }

  /// The centroids of the last pass of the loop, if what was kept then still stands.
  [[nodiscard]] MatrixView<const T, typename B::Space> before() const {
    return kept ? next.view() : MatrixView<const T, typename B::Space>();
  }

  /// Labels of a tile's rows and what is kept of them.
  template <class Tile>
  [[nodiscard]] RowState rows_of(const Tile& tile) {
    return {of(labels, tile), of(d2, tile)};
  }
  /// The part of labels or d2 that belongs to a tile.
  template <class Buffer, class Tile>
  [[nodiscard]] static auto of(Buffer& buffer, const Tile& tile) {
    return span_of(buffer).subspan(static_cast<std::size_t>(tile.offset), static_cast<std::size_t>(tile.x.rows()));
  }
};

/// sums += delta, integer by integer.
template <class B>
void add(const B& backend, const SumsView& sums, const SumsView& delta) {
  if constexpr (on_host<B>) {
    for (std::size_t i = 0; i < sums.values().size(); ++i) add_wrapping(sums.values()[i], delta.values()[i], 1);
  } else {
    backend.add(sums.values(), delta.values());
  }
}

/// Sums for the host to read: themselves, or a copy.
template <class B>
class HostSums {
 public:
  HostSums(const B& backend, const SumsView& sums) : values_(to_host(backend, sums.values())), shape_(sums.shape()) {}

  [[nodiscard]] SumsView view() { return {std::span(values_), shape_}; }

 private:
  decltype(to_host(std::declval<const B&>(), std::span<std::int64_t>())) values_;
  SumsShape shape_;
};

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

/// The same of centroids in a backend's memory, in that memory.
template <class B, Real T>
[[nodiscard]] auto mean_of(const B& backend, MatrixView<const T, typename B::Space> c) {
  if constexpr (on_host<B>) {
    return mean_of(c);
  } else {
    return backend.mean(c);
  }
}

}  // namespace lloyd::inline LLOYD_ABI::detail
