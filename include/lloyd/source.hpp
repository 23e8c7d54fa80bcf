// SPDX-License-Identifier: MIT
/// @file
/// Where rows come from: a source yields tiles of them, and fetches a few rows by number.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI {

/// Weights of rows: float or double, or none, which reads as all ones. Owns nothing.
template <class Space = Host>
class Weights {
 public:
  /// None: all ones.
  constexpr Weights() = default;
  /// n weights, or none.
  ///@{
  explicit constexpr Weights(VectorView<const float, Space> w)
      : single_(w.empty() ? nullptr : w.data()), size_(w.size()) {}
  explicit constexpr Weights(VectorView<const double, Space> w)
      : double_(w.empty() ? nullptr : w.data()), size_(w.size()) {}
  ///@}

  /// How many there are; 0 for all ones.
  ///@{
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr Index size() const noexcept { return size_; }
  ///@}
  /// Where the first one lies; null for all ones.
  [[nodiscard]] constexpr const void* data() const noexcept {
    return single_ != nullptr ? static_cast<const void*>(single_) : double_;
  }

  /// The weight of row i times the scale.
  [[nodiscard]] constexpr double operator()(Index i) const noexcept {
    if (single_ != nullptr) return static_cast<double>(single_[i]) * scale_;
    return double_ != nullptr ? double_[i] * scale_ : 1.0;
  }

  /// The same weights multiplied by a power of two.
  [[nodiscard]] constexpr Weights scaled(double power_of_two) const noexcept {
    Weights other = *this;
    other.scale_ *= power_of_two;
    return other;
  }
  /// Weights first .. first + count - 1.
  [[nodiscard]] constexpr Weights slice(Index first, Index count) const noexcept {
    Weights part = *this;
    if (single_ != nullptr) part.single_ += first;
    if (double_ != nullptr) part.double_ += first;
    if (size_ != 0) part.size_ = count;
    return part;
  }

 private:
  const float* single_ = nullptr;
  const double* double_ = nullptr;
  Index size_ = 0;
  double scale_ = 1;
};

/// Some rows of a source. Local row i of the tile is row `offset + i` of this rank and `first + step * i` of all.
template <Real T, class Space = Host>
struct Tile {
  MatrixView<const T, Space> x;  ///< rows x d
  Weights<Space> w;              ///< rows, or empty
  Index offset = 0;              ///< the tile's first row among the rows of this rank
  Index first = 0;               ///< the tile's first row among all rows
  Index step = 1;                ///< from one row to the next

  /// The number of local row i among all rows.
  [[nodiscard]] constexpr Index global(Index i) const { return first + step * i; }
};

/// What a source offers. `for_each_tile` yields this rank's rows in order, the same ones every time. In every pass it
/// is checked that rows, columns and weights are as many as announced and that tiles follow one another; values are not
/// compared: a result from values that change between passes means nothing. A fit refuses global numbers of rows that
/// are not 0 .. n - 1 over all ranks, each once (between ranks by their sum and that of their squares).
template <class S>
concept Source = requires(const S& source, std::span<const Index> rows, MatrixView<typename S::Scalar> out,
                          void (*use)(const Tile<typename S::Scalar>&)) {
  { source.rows() } -> std::same_as<Index>;  // of this rank
  { source.cols() } -> std::same_as<Index>;
  { source.weighted() } -> std::same_as<bool>;  // the same on every rank that has rows
  { source.first() } -> std::same_as<Index>;    // global number of this rank's first row; negative: ranks follow on
  { source.step() } -> std::same_as<Index>;     // from one of this rank's rows to the next
  source.for_each_tile(use);                    // tiles carry `offset`; the caller knows `first`
  source.gather(rows, out);                     // out_i = x_{rows_i}, rows numbered within this rank
};

/// Rows in memory: one tile. A view: copying it copies no rows.
template <Real T, class Space = Host>
class InMemory {
 public:
  using Scalar = T;  ///< of the rows

  /// A view of rows and their weights.
  /// @param x      n x d; only read, and must outlive the fit
  /// @param w      n weights, or empty for all ones
  /// @param first  the global number of row 0 when the rows are shared between ranks; negative: ranks follow on
  /// @param step   from the global number of one row to that of the next
  explicit InMemory(MatrixView<const T, Space> x, Weights<Space> w = {}, Index first = -1, Index step = 1)
      : x_(x), w_(w), first_(first), step_(step) {
    detail::demand(w.empty() || w.size() == x.rows(), "InMemory: ", w.size(), " weights, expected ", x.rows(),
                   " (one a row) or none");
    detail::demand(step >= 1, "InMemory: step ", step, " < 1");
  }

  /// What the concept Source asks for.
  ///@{
  [[nodiscard]] Index rows() const { return x_.rows(); }
  [[nodiscard]] Index cols() const { return x_.cols(); }
  [[nodiscard]] bool weighted() const { return !w_.empty(); }
  [[nodiscard]] Index first() const { return first_; }
  [[nodiscard]] Index step() const { return step_; }

  template <class Use>
  void for_each_tile(const Use& use) const {
    if (x_.rows() > 0) use(Tile<T, Space>{x_, w_, 0, 0, step_});
  }
  void gather(std::span<const Index> rows, MatrixView<T> out) const {
    Index i = 0;
    for (const Index row : rows) {
      for (Index q = 0; q < x_.cols(); ++q) out(i, q) = x_(row, q);
      ++i;
    }
  }
  ///@}

 private:
  MatrixView<const T, Space> x_;
  Weights<Space> w_;
  Index first_, step_;
};

}  // namespace lloyd::inline LLOYD_ABI
