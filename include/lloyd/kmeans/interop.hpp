// SPDX-License-Identifier: MIT
/// @file
/// How what users pass becomes sources, views and weights, or a sentence from the compiler.
#pragma once

#include <span>
#include <type_traits>

#include "lloyd/kmeans/memory.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// No weights were passed.
struct NoWeights {};

template <class>
inline constexpr bool never = false;

/// The scalar of a source's rows.
template <class S>
using ScalarOf = typename std::remove_cvref_t<S>::Scalar;

/// Weights from a view, a span or a vector of float or double; of a device, from a view.
template <class Space, class W>
[[nodiscard]] Weights<Space> weights_of(const W& w) {
  constexpr bool single = std::is_convertible_v<const W&, VectorView<const float, Space>>;
  if constexpr (std::is_same_v<W, NoWeights>) {
    return {};
  } else if constexpr (!std::is_same_v<Space, Host>) {
    static_assert(single || std::is_convertible_v<const W&, VectorView<const double, Space>>,
                  "lloyd: the weights must be a VectorView of float or double in the backend's memory space");
    using Value = std::conditional_t<single, const float, const double>;
    return Weights<Space>(static_cast<VectorView<Value, Space>>(w));
  } else if constexpr (single) {
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
    constexpr bool there = std::is_same_v<std::remove_const_t<decltype(view)>, MatrixView<const T, Space>>;
    static_assert(there || !Real<T>, "lloyd: the rows are not in the backend's memory space");
    const auto weights = weights_of<Space>(w);
    demand(weights.empty() || weights.size() == view.rows(), who, ": ", weights.size(), " weights, expected ",
           view.rows(), " (one a row) or none");
    if constexpr (there && Real<T>) {
      return InMemory<T, Space>(view, weights);
    } else {
      return InMemory<float, Space>({}, weights);  // a source all the same, so that the sentence stays alone; so below
    }
  } else if constexpr (Source<X>) {
    static_assert(std::is_same_v<W, NoWeights>, "lloyd: a source brings its own weights");
    return static_cast<const X&>(x);
  } else {
    static_assert(never<X>,
                  "lloyd: x must be a MatrixView, a Matrix, a row-major Eigen matrix (include lloyd/eigen.hpp) or a "
                  "source (assign an expression to a matrix first)");
    return InMemory<float, Space>({}, {});
  }
}

/// Centroids of the rows' scalar type T for the host to read: themselves, or a copy of those of the backend's memory.
/// view_of() of either is a view.
template <Real T, class B, class M>
[[nodiscard]] auto centroids_of(const B& backend, const M& centroids) {
  if constexpr (MatrixLike<M>) {
    using View = std::remove_const_t<decltype(MatrixTraits<M>::view(centroids))>;
    static_assert(std::is_same_v<typename View::Scalar, T>, "lloyd: centroids and rows must have the same scalar type");
    if constexpr (std::is_same_v<View, MatrixView<const T>>) {
      return MatrixTraits<M>::view(centroids);
    } else if constexpr (std::is_same_v<View, MatrixView<const T, typename B::Space>>) {
      return to_host(backend, MatrixTraits<M>::view(centroids));
    } else {
      return MatrixView<const T>();
    }
  } else {
    static_assert(never<M>,
                  "lloyd: centroids must be a MatrixView, a Matrix or a row-major Eigen matrix (include "
                  "lloyd/eigen.hpp; assign an expression to a matrix first)");
  }
}

/// What a call of rows alone comes to.
template <class Y>
void centroids_are_missing(const Y& /*y*/) {
  static_assert(never<Y>,
                "lloyd: the object holds options only, so predict, assign, transform and score take the centroids "
                "first: kmeans.predict(result.centroids, x)");
}

}  // namespace lloyd::inline LLOYD_ABI::detail
