// SPDX-License-Identifier: MIT
/// @file
/// The shapes everything is passed in: views that do not own, tagged by memory space, and a matrix that does.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lloyd/error.hpp"
#include "lloyd/matrix/checks.hpp"

namespace lloyd::inline LLOYD_ABI {

using Index = std::int64_t;  ///< rows, columns, counts
using Label = std::int32_t;  ///< the number of a cluster; k is at most 2^31 - 1

/// The scalars that rows are made of.
template <class T>
concept Real = std::same_as<T, float> || std::same_as<T, double>;

struct Host;    ///< memory that the processor reads
struct Device;  ///< memory that a GPU reads

/// Rows by columns of T, row-major, `row_stride` values from one row to the next. Owns nothing.
///
/// `T` is `float`, `double`, or either of them const. Sizes may be of any integral type.
template <class T, class Space = Host>
class MatrixView {
  static_assert(Real<std::remove_const_t<T>>,
                "lloyd: a matrix holds float or double; convert integer, half and other values first");

 public:
  using Scalar = std::remove_const_t<T>;  ///< float or double

  /// 0 x 0.
  constexpr MatrixView() = default;

  /// Rows in memory that the caller keeps.
  /// @param data        the first value of the first row; may be null only when there are no values
  /// @param rows, cols  sizes
  /// @param row_stride  values from one row to the next, at least `cols`
  /// @throws InvalidArgument for a negative or overflowing size, a stride below `cols`, or a null pointer
  template <detail::Size R, detail::Size C, detail::Size S>
  MatrixView(T* data, R rows, C cols, S row_stride)
      : data_(data),
        rows_(detail::checked_size(rows, "MatrixView", "rows")),
        cols_(detail::checked_size(cols, "MatrixView", "cols")),
        row_stride_(detail::checked_size(row_stride, "MatrixView", "row_stride")) {
    detail::demand(row_stride_ >= cols_, "MatrixView: row_stride ", row_stride_, " < cols ", cols_);
    detail::demand(detail::addressable(rows_, row_stride_, sizeof(T)), "MatrixView: ", rows_, " rows of stride ",
                   row_stride_, " exceed the address space");
    detail::demand(data != nullptr || rows_ * cols_ == 0, "MatrixView: data is null, expected ", rows_, " x ", cols_,
                   " values");
  }
  /// The same, with rows one after another.
  template <detail::Size R, detail::Size C>
  MatrixView(T* data, R rows, C cols) : MatrixView(data, rows, cols, cols) {}

  /// The same over a span (or a vector), which are of the host. @throws InvalidArgument also where it is too short
  template <detail::Size R, detail::Size C, detail::Size S>
  MatrixView(std::span<T> values, R rows, C cols, S row_stride) requires std::same_as<Space, Host>
      : MatrixView(values.data(), rows, cols, row_stride) {
    const auto needed = rows_ * cols_ == 0 ? 0 : (rows_ - 1) * row_stride_ + cols_;
    detail::demand(std::cmp_less_equal(needed, values.size()), "MatrixView: ", rows_, " x ", cols_, " (stride ",
                   row_stride_, ") needs ", needed, " values, the span holds ", values.size());
  }
  /// The same, with rows one after another.
  template <detail::Size R, detail::Size C>
  MatrixView(std::span<T> values, R rows, C cols) requires std::same_as<Space, Host>
      : MatrixView(values, rows, cols, cols) {}

  /// Not of values that would be gone: name the vector first.
  ///@{
  template <detail::TemporaryOwner Values, class R, class C, class S>
  MatrixView(Values&& values, R rows, C cols, S row_stride) = delete;
  template <detail::TemporaryOwner Values, class R, class C>
  MatrixView(Values&& values, R rows, C cols) = delete;
  ///@}

  /// A view of mutable values is a view of const ones.
  template <detail::MutableOf<T> U>
  constexpr MatrixView(const MatrixView<U, Space>& other)  // NOLINT(google-explicit-constructor)
      : data_(other.data()), rows_(other.rows()), cols_(other.cols()), row_stride_(other.row_stride()) {}

  /// What was given, where row i begins, and a value; indices are unchecked.
  ///@{
  [[nodiscard]] constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] constexpr Index rows() const noexcept { return rows_; }
  [[nodiscard]] constexpr Index cols() const noexcept { return cols_; }
  [[nodiscard]] constexpr Index row_stride() const noexcept { return row_stride_; }
  [[nodiscard]] constexpr T* row(Index i) const noexcept { return data_ + i * row_stride_; }
  [[nodiscard]] constexpr T& operator()(Index i, Index j) const noexcept { return data_[i * row_stride_ + j]; }
  ///@}

  /// Rows first .. first + count - 1, unchecked.
  [[nodiscard]] constexpr MatrixView slice(Index first, Index count) const noexcept {
    MatrixView part = *this;
    part.data_ = data_ == nullptr ? nullptr : row(first);
    part.rows_ = count;
    return part;
  }

 private:
  T* data_ = nullptr;
  Index rows_ = 0, cols_ = 0, row_stride_ = 0;
};

/// @cond
template <class T, class R, class C>
MatrixView(T*, R, C) -> MatrixView<T>;
template <class T, class R, class C, class S>
MatrixView(T*, R, C, S) -> MatrixView<T>;
template <class T, class R, class C>
MatrixView(std::vector<T>&, R, C) -> MatrixView<T>;
template <class T, class R, class C>
MatrixView(const std::vector<T>&, R, C) -> MatrixView<const T>;
template <class T, class R, class C, class S>
MatrixView(std::vector<T>&, R, C, S) -> MatrixView<T>;
template <class T, class R, class C, class S>
MatrixView(const std::vector<T>&, R, C, S) -> MatrixView<const T>;
template <class T, std::size_t Extent, class R, class C>
MatrixView(std::span<T, Extent>, R, C) -> MatrixView<T>;
template <class T, std::size_t Extent, class R, class C, class S>
MatrixView(std::span<T, Extent>, R, C, S) -> MatrixView<T>;
/// @endcond

/// Values one after another. Owns nothing. Made from a pointer and a length, a span or a vector.
template <class T, class Space = Host>
class VectorView {
 public:
  using Scalar = std::remove_const_t<T>;  ///< of the values

  /// No values.
  constexpr VectorView() = default;
  /// @throws InvalidArgument for a negative size, and for a null pointer to values
  template <detail::Size Count>
  VectorView(T* data, Count size) : data_(data), size_(detail::checked_size(size, "VectorView", "size")) {
    detail::demand(data != nullptr || size_ == 0, "VectorView: data is null, expected ", size_, " values");
  }
  /// Spans and vectors are of the host.
  constexpr VectorView(std::span<T> values) requires std::same_as<Space, Host>  // NOLINT(google-explicit-constructor)
      : data_(values.data()), size_(static_cast<Index>(values.size())) {}
  /// The values of a vector, which the caller keeps.
  template <detail::VectorOf<T> Values>
  constexpr VectorView(Values& values) requires std::same_as<Space, Host>  // NOLINT(google-explicit-constructor)
      : data_(values.data()), size_(static_cast<Index>(values.size())) {}
  /// Not of values that would be gone: name the vector first.
  template <detail::TemporaryOwner Values>
  VectorView(Values&& values) = delete;  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
  /// A view of mutable values is a view of const ones.
  template <detail::MutableOf<T> U>
  constexpr VectorView(const VectorView<U, Space>& other)  // NOLINT(google-explicit-constructor)
      : data_(other.data()), size_(other.size()) {}

  /// What was given, and a value; the index is unchecked.
  ///@{
  [[nodiscard]] constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] constexpr Index size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr T& operator[](Index i) const noexcept { return data_[i]; }
  ///@}

  /// Values first .. first + count - 1, unchecked; an empty view stays empty.
  [[nodiscard]] constexpr VectorView slice(Index first, Index count) const noexcept {
    VectorView part = *this;
    if (size_ != 0) part.data_ = data_ + first, part.size_ = count;
    return part;
  }

 private:
  T* data_ = nullptr;
  Index size_ = 0;
};

/// @cond
template <class T, class Count>
VectorView(T*, Count) -> VectorView<T>;
template <class T, std::size_t Extent>
VectorView(std::span<T, Extent>) -> VectorView<T>;
template <class T>
VectorView(std::vector<T>&) -> VectorView<T>;
template <class T>
VectorView(const std::vector<T>&) -> VectorView<const T>;
/// @endcond

/// Owns rows by columns of T on the host, row-major without padding.
template <class T>
class Matrix {
  static_assert(Real<T>, "lloyd: a matrix holds float or double; convert integer, half and other values first");

 public:
  using Scalar = T;  ///< float or double

  /// 0 x 0.
  Matrix() = default;
  /// All zero. @throws InvalidArgument for a negative or overflowing size
  template <detail::Size R, detail::Size C>
  Matrix(R rows, C cols)
      : rows_(detail::checked_size(rows, "Matrix", "rows")), cols_(detail::checked_size(cols, "Matrix", "cols")) {
    detail::demand(detail::addressable(rows_, cols_, sizeof(T)), "Matrix: ", rows_, " x ", cols_,
                   " exceeds the address space");
    values_.resize(static_cast<std::size_t>(rows_ * cols_));
  }
  /// Copies the values.
  ///@{
  Matrix(const Matrix&) = default;
  Matrix& operator=(const Matrix&) = default;
  ///@}
  ~Matrix() = default;
  /// Leaves the other one 0 x 0.
  ///@{
  Matrix(Matrix&& other) noexcept { swap(other); }
  Matrix& operator=(Matrix&& other) noexcept {
    Matrix taken(std::move(other));
    swap(taken);
    return *this;
  }
  ///@}

  /// The first value, the sizes, where row i begins, a value, a view; indices are unchecked. Equal: sizes and values.
  ///@{
  [[nodiscard]] T* data() noexcept { return values_.data(); }
  [[nodiscard]] const T* data() const noexcept { return values_.data(); }
  [[nodiscard]] Index rows() const noexcept { return rows_; }
  [[nodiscard]] Index cols() const noexcept { return cols_; }
  [[nodiscard]] Index row_stride() const noexcept { return cols_; }
  [[nodiscard]] T* row(Index i) noexcept { return data() + i * cols_; }
  [[nodiscard]] const T* row(Index i) const noexcept { return data() + i * cols_; }
  [[nodiscard]] T& operator()(Index i, Index j) noexcept { return data()[i * cols_ + j]; }
  [[nodiscard]] const T& operator()(Index i, Index j) const noexcept { return data()[i * cols_ + j]; }
  [[nodiscard]] MatrixView<T> view() { return {data(), rows_, cols_}; }
  [[nodiscard]] MatrixView<const T> view() const { return {data(), rows_, cols_}; }
  [[nodiscard]] bool operator==(const Matrix&) const = default;
  ///@}

 private:
  void swap(Matrix& other) noexcept {
    values_.swap(other.values_);
    std::swap(rows_, other.rows_);
    std::swap(cols_, other.cols_);
  }

  std::vector<T> values_;
  Index rows_ = 0, cols_ = 0;
};

/// How a type of matrix is read: specialise it to pass your own type to KMeans (lloyd/eigen.hpp does so for Eigen).
/// A specialisation offers `static MatrixView<const T, Space> view(const X&)`.
template <class X>
struct MatrixTraits;

/// A view is read as it is.
template <class T, class Space>
struct MatrixTraits<MatrixView<T, Space>> {
  /// A view of const values.
  static MatrixView<const std::remove_const_t<T>, Space> view(const MatrixView<T, Space>& x) { return x; }
};
/// A Matrix is read through its view.
template <class T>
struct MatrixTraits<Matrix<T>> {
  /// A view of const values.
  static MatrixView<const T> view(const Matrix<T>& x) { return x.view(); }
};

/// A type that KMeans can read as a matrix.
template <class X>
concept MatrixLike = requires(const X& x) {
  MatrixTraits<X>::view(x);
};

}  // namespace lloyd::inline LLOYD_ABI
