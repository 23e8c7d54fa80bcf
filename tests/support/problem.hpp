// SPDX-License-Identifier: MIT
/// @file
/// A detail::Problem with all that it refers to, for tests of single rooms of kmeans/; rows that come tile by tile; and
/// the brute force that draws of rows are compared with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lloyd/kmeans.hpp"
#include "lloyd/reference.hpp"
#include "support/data.hpp"

namespace lloyd::test {

/// Rows in memory that are handed out some at a time, as a file is read.
template <Real T>
class Tiled {
 public:
  using Scalar = T;

  Tiled(InMemory<T> rows, Index rows_a_tile) : rows_(std::move(rows)), rows_a_tile_(rows_a_tile) {}

  [[nodiscard]] Index rows() const { return rows_.rows(); }
  [[nodiscard]] Index cols() const { return rows_.cols(); }
  [[nodiscard]] bool weighted() const { return rows_.weighted(); }
  [[nodiscard]] Index first() const { return rows_.first(); }
  [[nodiscard]] Index step() const { return rows_.step(); }

  template <class Use>
  void for_each_tile(const Use& use) const {
    rows_.for_each_tile([&](const Tile<T>& all) {
      for (Index begin = 0; begin < all.x.rows(); begin += rows_a_tile_) {
        const Index count = std::min(rows_a_tile_, all.x.rows() - begin);
        use(Tile<T>{all.x.slice(begin, count), all.w.slice(begin, count), begin, 0, all.step});
      }
    });
  }
  void gather(std::span<const Index> rows, MatrixView<T> out) const { rows_.gather(rows, out); }

 private:
  InMemory<T> rows_;
  Index rows_a_tile_;
};

/// Weights from a vector that may be empty.
[[nodiscard]] inline Weights<> weights(const std::vector<double>& w) {
  return w.empty() ? Weights<>() : Weights<>(VectorView<const double>(w));
}

/// A surveyed problem on the Reference backend.
template <Real T, class S = InMemory<T>, class B = Reference, class C = SingleProcess>
struct Problem {
  Problem(Options of, S rows, C communicator = {}, B backend_ = {})
      : options(std::move(of)),
        source(std::move(rows)),
        ranks(std::move(communicator)),
        backend(std::move(backend_)),
        progress(options.callback),
        problem{options, backend, ranks, source, progress, "test"},
        surveyed(detail::survey(problem)) {}
  Problem(Options of, const Matrix<T>& x, std::vector<double> w = {})
      : Problem(std::move(of), InMemory<T>(x.view(), weights(w))) {
    w_ = std::move(w);  // the values keep their place
  }
  Problem(Options, Matrix<T>&&, std::vector<double> = {}) = delete;  // x is only referred to
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  [[nodiscard]] auto workspace() const { return detail::Workspace<T, B>(problem); }

  Options options;
  S source;
  C ranks;
  B backend;
  detail::Progress progress;
  detail::Problem<T, B, C, S> problem;
  bool surveyed;

 private:
  std::vector<double> w_;
};

/// The number of a row that equals these values, or -1; the lowest such row.
template <Real T>
[[nodiscard]] Index find_row(const Matrix<T>& x, const T* values) {
  for (Index i = 0; i < x.rows(); ++i)
    if (std::equal(values, values + x.cols(), x.row(i))) return i;
  return -1;
}

/// The row that a draw below the total of all masses falls on, by plain search from the first.
[[nodiscard]] inline Index row_at(const std::vector<std::uint64_t>& masses, std::uint64_t target) {
  std::uint64_t sum = 0;
  Index i = 0;
  while ((sum += masses[static_cast<std::size_t>(i)]) <= target) ++i;
  return i;
}

}  // namespace lloyd::test
