// SPDX-License-Identifier: MIT
/// @file
/// S_{l_i} += w_i x_i: rows change cluster, as integers. Two ways that give the same bits: scatter-add, row by row, and
/// one-hot, a product of the membership of a tile of rows with their limbs.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "lloyd/cpu/gram.hpp"
#include "lloyd/cpu/parallel.hpp"
#include "lloyd/kmeans/sums.hpp"
#include "lloyd/options.hpp"
#include "lloyd/source.hpp"

namespace lloyd::cpu {

/// A row that goes from one cluster (-1: none) to another.
struct Moved {
  Index row;
  Label from, to;
};

/// Automatic takes one-hot where one_hot_factor * k < d: then the product is thin and its rows are long.
inline constexpr Index one_hot_factor = 16;

[[nodiscard]] inline bool takes_one_hot(CentroidUpdate update, Index k, Index d) {
  return update == CentroidUpdate::one_hot || (update == CentroidUpdate::automatic && one_hot_factor * k < d);
}

/// Sums that several threads may add to at once, or one thread alone.
class SharedSums {
 public:
  SharedSums(const detail::SumsView& sums, bool shared) : sums_(sums), shared_(shared) {}

  [[nodiscard]] const detail::SumsView& view() const { return sums_; }

  void add(std::int64_t& to, std::int64_t value) const {
    if (shared_) {
      __atomic_fetch_add(&to, value, __ATOMIC_RELAXED);  // wraps
    } else {
      detail::add_wrapping(to, value, 1);
    }
  }
  /// Counts a row of cluster j in or out; -1 is no cluster.
  void count(Label j, double w, std::int64_t sign) const {
    if (j < 0) return;
    add(sums_.cluster_size(j), sign);
    if (w > 0) add(sums_.occupancy(j), sign);
  }

 private:
  detail::SumsView sums_;
  bool shared_;
};

/// Moves rows one at a time.
template <Real T>
void scatter_add(const Tile<T>& tile, std::span<const Moved> moved, const detail::Quanta& quanta,
                 const SharedSums& sums) {
  const detail::SumsShape& shape = sums.view().shape();
  for (const Moved& m : moved) {
    std::int64_t* to = sums.view().cluster(m.to);
    std::int64_t* from = m.from < 0 ? nullptr : sums.view().cluster(m.from);
    detail::for_each_integer_of_row(tile.x.row(m.row), tile.w(m.row), shape, quanta,
                                    [&](Index place, std::int64_t whole) {
                                      sums.add(to[place], whole);
                                      if (from != nullptr) sums.add(from[place], -whole);
                                    });
  }
}

/// Scratch of the one-hot update.
struct OneHot {
  std::vector<std::int64_t> integers;              // one row's
  std::vector<double> membership, parts, product;  // k x rows, rows x 2 places, k x 2 places
};

/// Moves rows by products. A row's integers (below 2^62) are cut at bit 31, so that sums of 2^11 parts stay below 2^53
/// and every product is exact.
template <Real T>
void one_hot(const Tile<T>& tile, std::span<const Moved> moved, const detail::Quanta& quanta, const SharedSums& sums,
             OneHot& scratch) {
  constexpr Index exact_rows = Index{1} << 11, most_values = Index{1} << 17;
  constexpr int cut = 31;
  static_assert(62 - cut + 11 < 53 && cut + 11 < 53, "products of parts must be exact in double");
  const detail::SumsShape& shape = sums.view().shape();
  const Index places = shape.limbs * shape.columns;
  const Index step = std::clamp(most_values / (std::max)({shape.k, 2 * places, Index{1}}), Index{1}, exact_rows);
  for (Index begin = 0; begin < static_cast<Index>(moved.size()); begin += step) {
    const Index rows = (std::min)(step, static_cast<Index>(moved.size()) - begin);
    scratch.membership.assign(static_cast<std::size_t>(shape.k * rows), 0);
    scratch.parts.assign(static_cast<std::size_t>(rows * 2 * places), 0);
    for (Index i = 0; i < rows; ++i) {
      const Moved& m = moved[static_cast<std::size_t>(begin + i)];
      scratch.membership[static_cast<std::size_t>(m.to * rows + i)] = 1;
      if (m.from >= 0) scratch.membership[static_cast<std::size_t>(m.from * rows + i)] = -1;
      scratch.integers.assign(static_cast<std::size_t>(places), 0);
      detail::for_each_integer_of_row(
          tile.x.row(m.row), tile.w(m.row), shape, quanta,
          [&](Index place, std::int64_t whole) { scratch.integers[static_cast<std::size_t>(place)] += whole; });
      double* parts = scratch.parts.data() + i * 2 * places;
      for (Index p = 0; p < places; ++p) {
        const std::int64_t whole = scratch.integers[static_cast<std::size_t>(p)];
        parts[p] = static_cast<double>(whole >> cut);
        parts[places + p] = static_cast<double>(whole & ((std::int64_t{1} << cut) - 1));
      }
    }
    scratch.product.resize(static_cast<std::size_t>(shape.k * 2 * places));
    product(scratch.membership.data(), scratch.parts.data(), shape.k, rows, 2 * places, scratch.product.data());
    for (Index j = 0; j < shape.k; ++j) {
      const double* parts = scratch.product.data() + j * 2 * places;
      for (Index p = 0; p < places; ++p) {
        const auto high = static_cast<std::uint64_t>(static_cast<std::int64_t>(parts[p]));
        const auto low = static_cast<std::uint64_t>(static_cast<std::int64_t>(parts[places + p]));
        const std::uint64_t whole = (high << cut) + low;
        if (whole != 0) sums.add(sums.view().cluster(j)[p], static_cast<std::int64_t>(whole));
      }
    }
  }
}

/// Moves rows of a tile, by the way that `update` and the shape choose.
template <Real T>
void move_rows(const Tile<T>& tile, std::span<const Moved> moved, const detail::Quanta& quanta, const SharedSums& sums,
               CentroidUpdate update, OneHot& scratch) {
  const detail::SumsShape& shape = sums.view().shape();
  if (takes_one_hot(update, shape.k, shape.d)) {
    one_hot(tile, moved, quanta, sums, scratch);
  } else {
    scatter_add(tile, moved, quanta, sums);
  }
  for (const Moved& m : moved) {
    sums.count(m.from, tile.w(m.row), -1);
    sums.count(m.to, tile.w(m.row), 1);
  }
}

/// One set of sums for each thread where they fit the budget, one for all, added to atomically, where they do not: the
/// same integers either way.
class ThreadSums {
 public:
  ThreadSums(const detail::SumsView& sums, int threads, std::size_t budget) : sums_(sums), threads_(threads) {
    const auto bytes = static_cast<std::size_t>(sums.shape().size()) * sizeof(std::int64_t);
    own_ = threads > 1 && bytes <= budget / static_cast<std::size_t>(threads);
  }

  /// A thread's own sums; empty where all share one.
  [[nodiscard]] std::vector<std::int64_t> make() const {
    return std::vector<std::int64_t>(own_ ? static_cast<std::size_t>(sums_.shape().size()) : 0, 0);
  }
  [[nodiscard]] SharedSums view(std::vector<std::int64_t>& own) const {
    return own_ ? SharedSums({own, sums_.shape()}, false) : SharedSums(sums_, threads_ > 1);
  }
  void merge(const std::vector<std::int64_t>& own) const {
    for (std::size_t i = 0; i < own.size(); ++i) detail::add_wrapping(sums_.values()[i], own[i], 1);
  }

 private:
  detail::SumsView sums_;
  int threads_;
  bool own_ = false;
};

template <Real T>
void accumulate(const Tile<T>& tile, const Options& options, std::span<const Label> labels,
                const detail::Quanta& quanta, const detail::SumsView& sums, int n_threads) {
  constexpr Index batch = 2048;
  const int parts = parts_of(n_threads, tile.x.rows(), batch);
  const ThreadSums thread_sums(sums, parts, options.memory_budget / 2);
  struct Worker {
    std::vector<std::int64_t> own;
    std::vector<Moved> moved;
    OneHot scratch;
  };
  for_each_batch(
      parts, tile.x.rows(), batch,
      [&] {
        return Worker{thread_sums.make(), {}, {}};
      },
      [&](Worker& worker, Index begin, Index count) {
        worker.moved.clear();
        for (Index i = begin; i < begin + count; ++i)
          worker.moved.push_back({i, -1, labels[static_cast<std::size_t>(i)]});
        move_rows(tile, worker.moved, quanta, thread_sums.view(worker.own), options.update, worker.scratch);
      },
      [&](Worker& worker) { thread_sums.merge(worker.own); });
}

}  // namespace lloyd::cpu
