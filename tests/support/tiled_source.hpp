// SPDX-License-Identifier: MIT
/// @file
/// Sources for tests: rows in memory handed out in tiles of given sizes, and rows that are generated as they are read.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "lloyd/source.hpp"

namespace lloyd::test {

/// Rows of a matrix in tiles of given sizes, empty ones among them; the sizes are repeated until all rows are out. A
/// tile is a copy, spoiled after its use: who keeps a view of it reads NaN.
template <Real T>
class TiledSource {
 public:
  using Scalar = T;

  /// @param before_tile  called with the number of tiles yielded so far, of all passes; may throw
  TiledSource(const Matrix<T>& x, const std::vector<double>& w, std::vector<Index> sizes,
              std::function<void(Index)> before_tile = {})
      : x_(x.view()), w_(w), sizes_(std::move(sizes)), before_tile_(std::move(before_tile)) {
    if (std::all_of(sizes_.begin(), sizes_.end(), [](Index size) { return size <= 0; }))
      throw std::logic_error("TiledSource: no tile has a row");
  }

  [[nodiscard]] Index rows() const { return x_.rows(); }
  [[nodiscard]] Index cols() const { return x_.cols(); }
  [[nodiscard]] bool weighted() const { return !w_.empty(); }
  [[nodiscard]] Index first() const { return -1; }
  [[nodiscard]] Index step() const { return 1; }

  template <class Use>
  void for_each_tile(const Use& use) const {
    Index done = 0;
    for (std::size_t t = 0; done < rows(); t = (t + 1) % sizes_.size()) {
      const Index size = (std::min)(sizes_[t], rows() - done);
      if (before_tile_) before_tile_(yielded_);
      ++yielded_;
      // Room for a row more, so that an empty tile has an address too.
      std::vector<T> values(static_cast<std::size_t>((size + 1) * cols()));
      for (Index i = 0; i < size; ++i) std::copy_n(x_.row(done + i), cols(), values.data() + i * cols());
      std::vector<double> weights(static_cast<std::size_t>(weighted() ? size : 0));
      if (weighted()) std::copy_n(w_.data() + done, size, weights.data());
      const MatrixView<const T> view(values.data(), size, cols());
      use(Tile<T>{view, Weights<>(VectorView<const double>(weights)), done, 0, 1});
      std::fill(values.begin(), values.end(), std::numeric_limits<T>::quiet_NaN());
      std::fill(weights.begin(), weights.end(), std::numeric_limits<double>::quiet_NaN());
      done += size;
    }
  }

  void gather(std::span<const Index> wanted, MatrixView<T> out) const {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      std::copy_n(x_.row(wanted[i]), cols(), out.row(static_cast<Index>(i)));
  }

 private:
  MatrixView<const T> x_;
  std::span<const double> w_;
  std::vector<Index> sizes_;
  std::function<void(Index)> before_tile_;
  mutable Index yielded_ = 0;
};

/// Rows that exist only while they are read: fill(i, row) writes row i.
template <Real T>
class GeneratedSource {
 public:
  using Scalar = T;
  using Fill = std::function<void(Index, std::span<T>)>;

  GeneratedSource(Index n, Index d, Index tile_rows, Fill fill)
      : n_(n), d_(d), tile_rows_(tile_rows), fill_(std::move(fill)) {}

  [[nodiscard]] Index rows() const { return n_; }
  [[nodiscard]] Index cols() const { return d_; }
  [[nodiscard]] bool weighted() const { return false; }
  [[nodiscard]] Index first() const { return -1; }
  [[nodiscard]] Index step() const { return 1; }

  template <class Use>
  void for_each_tile(const Use& use) const {
    Matrix<T> tile((std::min)(tile_rows_, n_), d_);
    for (Index done = 0; done < n_; done += tile_rows_) {
      const Index size = (std::min)(tile_rows_, n_ - done);
      for (Index i = 0; i < size; ++i) fill_(done + i, std::span(tile.row(i), static_cast<std::size_t>(d_)));
      use(Tile<T>{std::as_const(tile).view().slice(0, size), {}, done, 0, 1});
    }
  }

  void gather(std::span<const Index> wanted, MatrixView<T> out) const {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      fill_(wanted[i], std::span(out.row(static_cast<Index>(i)), static_cast<std::size_t>(d_)));
  }

 private:
  Index n_, d_, tile_rows_;
  Fill fill_;
};

}  // namespace lloyd::test
