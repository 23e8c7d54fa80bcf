// SPDX-License-Identifier: MIT
/// @file
/// How what users pass becomes sources, views and weights, or a sentence from the compiler.
#pragma once

#include <span>
#include <type_traits>

#include "lloyd/matrix.hpp"
#include "lloyd/source.hpp"

namespace lloyd::detail {

/// No weights were passed.
struct NoWeights {};

template <class>
inline constexpr bool never = false;

/// The scalar of a source's rows.
template <class S>
using ScalarOf = typename std::remove_cvref_t<S>::Scalar;

/// Weights from a view, a span or a vector of float or double.
template <class W>
[[nodiscard]] Weights<> weights_of(const W& w) {
  if constexpr (std::is_same_v<W, NoWeights>) {
    return {};
  } else if constexpr (std::is_convertible_v<const W&, VectorView<const float>>) {
    return Weights<>(static_cast<VectorView<const float>>(w));
  } else if constexpr (std::is_convertible_v<const W&, VectorView<const double>>) {
    return Weights<>(static_cast<VectorView<const double>>(w));
  } else if constexpr (std::is_convertible_v<const W&, std::span<const float>>) {
    return Weights<>(VectorView<const float>(std::span<const float>(w)));
  } else if constexpr (std::is_convertible_v<const W&, std::span<const double>>) {
    return Weights<>(VectorView<const double>(std::span<const double>(w)));
  } else {
    static_assert(never<W>, "lloyd: weights must be a VectorView, a span or a vector of float or double");
  }
}

/// A source for rows of any kind that can be passed. A source itself is used in place.
template <class Space, class X, class W>
[[nodiscard]] decltype(auto) source_of(const X& x, const W& w, const char* who) {
  if constexpr (MatrixLike<X>) {
    const auto view = MatrixTraits<X>::view(x);
    using T = typename decltype(view)::Scalar;
    static_assert(std::is_same_v<std::remove_const_t<decltype(view)>, MatrixView<const T, Space>>,
                  "lloyd: the rows are not in the backend's memory space");
    const auto weights = weights_of(w);
    demand(weights.empty() || weights.size() == view.rows(), who, ": ", weights.size(), " weights, expected ",
           view.rows(), " (one a row) or none");
    return InMemory<T, Space>(view, weights);
  } else if constexpr (Source<X>) {
    static_assert(std::is_same_v<W, NoWeights>, "lloyd: a source brings its own weights");
    return static_cast<const X&>(x);
  } else {
    static_assert(never<X>,
                  "lloyd: x must be a MatrixView, a Matrix, a row-major Eigen matrix (include lloyd/eigen.hpp) or a "
                  "source");
  }
}

/// Centroids of the rows' scalar type T, on the host.
template <Real T, class M>
[[nodiscard]] MatrixView<const T> centroids_of(const M& centroids) {
  if constexpr (MatrixLike<M>) {
    using View = std::remove_const_t<decltype(MatrixTraits<M>::view(centroids))>;
    static_assert(std::is_same_v<typename View::Scalar, T>, "lloyd: centroids and rows must have the same scalar type");
    if constexpr (std::is_same_v<View, MatrixView<const T>>) return MatrixTraits<M>::view(centroids);
  } else {
    static_assert(never<M>,
                  "lloyd: centroids must be a MatrixView, a Matrix or a row-major Eigen matrix (include "
                  "lloyd/eigen.hpp)");
  }
}

}  // namespace lloyd::detail
