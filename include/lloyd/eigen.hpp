// SPDX-License-Identifier: MIT
/// @file
/// Passing row-major Eigen matrices, maps and references to KMeans, and looking at a Matrix through Eigen.
#pragma once

#include <Eigen/Core>
#include <type_traits>

#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI {

namespace detail {

/// Eigen's objects whose values lie in memory.
template <class X>
concept EigenDense = std::is_base_of_v<Eigen::DenseBase<X>, X> &&
    static_cast<bool>(Eigen::internal::traits<X>::Flags& Eigen::DirectAccessBit);

}  // namespace detail

/// Eigen::Matrix, Eigen::Array, Eigen::Map and Eigen::Ref: row-major (or a single column), with unit inner stride.
/// @throws InvalidArgument for another inner stride
template <detail::EigenDense X>
struct MatrixTraits<X> {
  static_assert(Real<typename X::Scalar>,
                "lloyd: a matrix holds float or double; convert integer, half and other values first");
  static_assert(static_cast<bool>(X::IsRowMajor) || X::ColsAtCompileTime == 1,
                "lloyd: column-major matrices are not supported; pass a row-major one or its transpose's copy");

  /// The values, not copied.
  static MatrixView<const typename X::Scalar> view(const X& x) {
    detail::demand(x.cols() <= 1 || x.innerStride() == 1, "eigen: inner stride ", x.innerStride(), ", expected 1");
    // A column-major single column runs down its inner dimension.
    const auto stride = static_cast<bool>(X::IsRowMajor) ? x.outerStride() : x.innerStride();
    return {x.data(), x.rows(), x.cols(), x.rows() > 1 ? stride : x.cols()};
  }
};

/// A Matrix or view as an Eigen map, without a copy.
///@{
template <class T>
[[nodiscard]] auto as_eigen(MatrixView<T> x) {
  using Rows = Eigen::Matrix<std::remove_const_t<T>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Dense = std::conditional_t<std::is_const_v<T>, const Rows, Rows>;
  return Eigen::Map<Dense, 0, Eigen::OuterStride<>>(x.data(), x.rows(), x.cols(), Eigen::OuterStride<>(x.row_stride()));
}
template <class T>
[[nodiscard]] auto as_eigen(Matrix<T>& x) {
  return as_eigen(x.view());
}
template <class T>
[[nodiscard]] auto as_eigen(const Matrix<T>& x) {
  return as_eigen(x.view());
}
///@}
/// Not of values that would be gone: name the matrix first.
template <class T>
void as_eigen(const Matrix<T>&& x) = delete;

}  // namespace lloyd::inline LLOYD_ABI
