// SPDX-License-Identifier: MIT
/// @file
/// S_{l_i} += w_i x_i: rows change cluster, as integers. Two ways that give the same bits: scatter-add, row by row, and
/// one-hot, a product of the membership of a tile of rows with their limbs.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <vector>

#include "lloyd/cpu/gram.hpp"
#include "lloyd/cpu/move_row.hpp"
#include "lloyd/cpu/parallel.hpp"
#include "lloyd/kmeans/sums.hpp"
#include "lloyd/options.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// A row that goes from one cluster (-1: none) to another.
struct Moved {
  Index row;
  Label from, to;
};

/// Automatic takes one-hot where one_hot_factor * k < d: nowhere, since scatter-add adds eight integers an instruction
/// and won at every shape measured (docs/decisions/0011).
inline constexpr Index one_hot_factor = Index{1} << 20;

[[nodiscard]] inline bool takes_one_hot(CentroidUpdate update, Index k, Index d) {
  return update == CentroidUpdate::one_hot || (update == CentroidUpdate::automatic && one_hot_factor * k < d);
}

/// Locks of clusters, several clusters to one.
class ClusterLocks {
 public:
  void lock(Label j) {
    while (flag(j).test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock(Label j) { flag(j).clear(std::memory_order_release); }

 private:
  [[nodiscard]] std::atomic_flag& flag(Label j) { return flags_[static_cast<std::size_t>(j) % flags_.size()]; }

  std::array<std::atomic_flag, 256> flags_{};
};

/// Sums that one thread adds to alone (no locks), or several at once.
class SharedSums {
 public:
  SharedSums(const detail::SumsView& sums, ClusterLocks* locks) : sums_(sums), locks_(locks) {}

  [[nodiscard]] const detail::SumsShape& shape() const { return sums_.shape(); }

  /// Calls change(integers of cluster j) while no other thread changes them; -1 is no cluster.
  template <class Change>
  void change(Label j, const Change& change) const {
    if (j < 0) return;
    if (locks_ != nullptr) locks_->lock(j);
    change(sums_.cluster(j));
    if (locks_ != nullptr) locks_->unlock(j);
  }
  /// Calls change(those of `from`, those of `to`) likewise, null for no cluster; one after the other where both are
  /// locked.
  template <class Change>
  void change(Label from, Label to, const Change& change) const {
    if (locks_ == nullptr) return change(from < 0 ? nullptr : sums_.cluster(from), sums_.cluster(to));
    this->change(from, [&](std::int64_t* of) { change(of, nullptr); });
    this->change(to, [&](std::int64_t* of) { change(nullptr, of); });
  }
  /// Counts a row of weight w in or out; within a change of cluster j.
  void count(Label j, double w, std::int64_t sign) const {
    sums_.cluster_size(j) += sign;
    if (w > 0) sums_.occupancy(j) += sign;
  }

 private:
  detail::SumsView sums_;
  ClusterLocks* locks_;
};

/// Moves rows one at a time.
template <Real T>
void scatter_add(const Tile<T>& tile, std::span<const Moved> moved, const detail::Quanta& quanta,
                 const SharedSums& sums, MoveRowFunction<T> move_row) {
  for (const Moved& m : moved) {
    const double w = tile.w(m.row);
    sums.change(m.from, m.to, [&](std::int64_t* from, std::int64_t* to) {
      move_row(tile.x.row(m.row), w, sums.shape(), quanta, from, to);
      if (from != nullptr) sums.count(m.from, w, -1);
      if (to != nullptr) sums.count(m.to, w, 1);
    });
  }
}

/// Where the one-hot update cuts an integer in two.
inline constexpr int one_hot_cut = 31;

/// Scratch of the one-hot update: three tables of at most so many values each, or one row's where that is more.
struct OneHot {
  static constexpr Index much = Index{1} << 17;

  Index most_values = much;
  std::vector<std::int64_t> integers{};                  // one row's
  std::vector<double> membership{}, parts{}, product{};  // clusters x rows, rows x 2 places, clusters x 2 places
};

/// Cuts the integers of a row at bit 31: `parts` are the upper ones, then the lower ones.
template <Real T>
void cut_integers(const Tile<T>& tile, Index row, const detail::SumsShape& shape, const detail::Quanta& quanta,
                  std::vector<std::int64_t>& integers, double* parts) {
  const Index places = shape.limbs * shape.columns;
  integers.assign(static_cast<std::size_t>(places), 0);
  detail::for_each_integer_of_row(tile.x.row(row), tile.w(row), shape, quanta, [&](Index place, std::int64_t whole) {
    integers[static_cast<std::size_t>(place)] += whole;
  });
  for (Index p = 0; p < places; ++p) {
    const std::int64_t whole = integers[static_cast<std::size_t>(p)];
    parts[p] = static_cast<double>(whole >> one_hot_cut);
    parts[places + p] = static_cast<double>(whole & ((std::int64_t{1} << one_hot_cut) - 1));
  }
}

/// Moves some rows, whose parts are in `scratch`, into and out of clusters first .. first + count - 1.
inline void one_hot_clusters(std::span<const Moved> moved, Index first, Index count, const SharedSums& sums,
                             OneHot& scratch) {
  const Index places = sums.shape().limbs * sums.shape().columns, rows = static_cast<Index>(moved.size());
  scratch.membership.assign(static_cast<std::size_t>(count * rows), 0);
  bool any = false;
  const auto mark = [&](Label j, Index i, double value) {
    if (j < first || j >= first + count) return;
    scratch.membership[static_cast<std::size_t>((j - first) * rows + i)] = value;
    any = true;
  };
  for (Index i = 0; i < rows; ++i) {
    mark(moved[static_cast<std::size_t>(i)].to, i, 1);
    mark(moved[static_cast<std::size_t>(i)].from, i, -1);
  }
  if (!any) return;
  scratch.product.resize(static_cast<std::size_t>(count * 2 * places));
  product(scratch.membership.data(), scratch.parts.data(), count, rows, 2 * places, scratch.product.data());
  for (Index j = 0; j < count; ++j) {
    const double* parts = scratch.product.data() + j * 2 * places;
    sums.change(static_cast<Label>(first + j), [&](std::int64_t* to) {
      for (Index p = 0; p < places; ++p) {
        const auto high = static_cast<std::uint64_t>(static_cast<std::int64_t>(parts[p]));
        const auto low = static_cast<std::uint64_t>(static_cast<std::int64_t>(parts[places + p]));
        detail::add_wrapping(to[p], static_cast<std::int64_t>((high << one_hot_cut) + low), 1);
      }
    });
  }
}

/// Moves rows by products. A row's integers (below 2^62) are cut in two, so that sums of 2^11 parts stay below 2^53 and
/// every product is exact.
template <Real T>
void one_hot(const Tile<T>& tile, std::span<const Moved> moved, const detail::Quanta& quanta, const SharedSums& sums,
             OneHot& scratch) {
  constexpr std::size_t exact_rows = std::size_t{1} << 11;
  static_assert(62 - one_hot_cut + 11 < 53 && one_hot_cut + 11 < 53, "products of parts must be exact in double");
  const detail::SumsShape& shape = sums.shape();
  const Index parts = 2 * shape.limbs * shape.columns;  // none where all rows are zero
  const Index clusters = std::clamp(scratch.most_values / (std::max)(parts, Index{1}), Index{1}, shape.k);
  const auto step = std::clamp(static_cast<std::size_t>(scratch.most_values / (std::max)(clusters, parts)),
                               std::size_t{1}, exact_rows);
  for (std::size_t begin = 0; begin < moved.size(); begin += step) {
    const auto rows = moved.subspan(begin, (std::min)(step, moved.size() - begin));
    scratch.parts.resize(rows.size() * static_cast<std::size_t>(parts));
    for (std::size_t i = 0; i < rows.size(); ++i)
      cut_integers(tile, rows[i].row, shape, quanta, scratch.integers,
                   scratch.parts.data() + static_cast<Index>(i) * parts);
    for (Index j = 0; j < shape.k; j += clusters)
      one_hot_clusters(rows, j, (std::min)(clusters, shape.k - j), sums, scratch);
  }
  for (const Moved& m : moved) {
    sums.change(m.from, [&](std::int64_t*) { sums.count(m.from, tile.w(m.row), -1); });
    sums.change(m.to, [&](std::int64_t*) { sums.count(m.to, tile.w(m.row), 1); });
  }
}

/// Moves rows of a tile, by the way that `update` and the shape choose.
template <Real T>
void move_rows(const Tile<T>& tile, std::span<const Moved> moved, const detail::Quanta& quanta, const SharedSums& sums,
               CentroidUpdate update, MoveRowFunction<T> move_row, OneHot& scratch) {
  if (takes_one_hot(update, sums.shape().k, sums.shape().d)) {
    one_hot(tile, moved, quanta, sums, scratch);
  } else {
    scatter_add(tile, moved, quanta, sums, move_row);
  }
}

/// One set of sums for each thread where they fit the budget, one for all, with locks, where they do not: the same
/// integers either way.
class ThreadSums {
 public:
  ThreadSums(const detail::SumsView& sums, int threads, std::size_t budget, CentroidUpdate update)
      : sums_(sums), threads_(threads) {
    std::size_t left = budget / static_cast<std::size_t>((std::max)(threads, 1));  // none where there are no rows
    if (takes_one_hot(update, sums.shape().k, sums.shape().d)) {
      constexpr std::size_t of_a_value = 3 * sizeof(double);
      most_values_ = (std::min)(OneHot::much, static_cast<Index>(left / 2 / of_a_value));
      left -= static_cast<std::size_t>(most_values_) * of_a_value;
    }
    own_ = threads > 1 && static_cast<std::size_t>(sums.shape().size()) * sizeof(std::int64_t) <= left;
  }

  /// A thread's scratch.
  [[nodiscard]] OneHot scratch() const { return {most_values_}; }
  /// A thread's own sums; empty where all share one.
  [[nodiscard]] std::vector<std::int64_t> make() const {
    return std::vector<std::int64_t>(own_ ? static_cast<std::size_t>(sums_.shape().size()) : 0, 0);
  }
  [[nodiscard]] SharedSums view(std::vector<std::int64_t>& own) {
    return own_ ? SharedSums({own, sums_.shape()}, nullptr) : SharedSums(sums_, threads_ > 1 ? &locks_ : nullptr);
  }
  void merge(const std::vector<std::int64_t>& own) const {
    for (std::size_t i = 0; i < own.size(); ++i) detail::add_wrapping(sums_.values()[i], own[i], 1);
  }

 private:
  detail::SumsView sums_;
  int threads_;
  Index most_values_ = 0;
  bool own_ = false;
  ClusterLocks locks_;
};

template <Real T>
void accumulate(const Tile<T>& tile, const Options& options, std::span<const Label> labels,
                const detail::Quanta& quanta, const detail::SumsView& sums, MoveRowFunction<T> move_row,
                int n_threads) {
  constexpr Index batch = 2048;
  const int parts = parts_of(n_threads, tile.x.rows(), batch);
  ThreadSums thread_sums(sums, parts, options.memory_budget / 2, options.update);
  struct Worker {
    std::vector<std::int64_t> own;
    std::vector<Moved> moved;
    OneHot scratch;
  };
  for_each_batch(
      parts, tile.x.rows(), batch,
      [&] {
        return Worker{thread_sums.make(), {}, thread_sums.scratch()};
      },
      [&](Worker& worker, Index begin, Index count) {
        worker.moved.clear();
        for (Index i = begin; i < begin + count; ++i)
          worker.moved.push_back({i, -1, labels[static_cast<std::size_t>(i)]});
        move_rows(tile, worker.moved, quanta, thread_sums.view(worker.own), options.update, move_row, worker.scratch);
      },
      [&](Worker& worker) { thread_sums.merge(worker.own); });
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
