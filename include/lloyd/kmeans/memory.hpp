// SPDX-License-Identifier: MIT
/// @file
/// Where the state of a fit lies: the few things that the algorithm does to it besides calling primitives. On the host
/// they are plain loops over vectors; a backend of another memory space brings its own (docs/decisions/0015).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "lloyd/matrix.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Whether the algorithm may read a backend's memory.
template <class B>
inline constexpr bool on_host = std::same_as<typename B::Space, Host>;

/// The backend for the length of one call: one of a device takes what it works with.
template <class B>
[[nodiscard]] decltype(auto) opened(const B& backend) {
  if constexpr (on_host<B>) {
    return (backend);
  } else {
    return backend.open();
  }
}

/// n values of a backend's memory; not cleared on a device.
template <class V, class B>
[[nodiscard]] auto make_buffer(const B& backend, Index n) {
  if constexpr (on_host<B>) {
    return typename B::template Buffer<V>(static_cast<std::size_t>(n));
  } else {
    return backend.template make<V>(n);
  }
}
/// rows x cols of a backend's memory; not cleared on a device.
template <Real T, class B>
[[nodiscard]] auto make_dense(const B& backend, Index rows, Index cols) {
  if constexpr (on_host<B>) {
    return typename B::template Dense<T>(rows, cols);
  } else {
    return backend.template make<T>(rows, cols);
  }
}

/// All values of a buffer, in its memory.
template <class Buffer>
[[nodiscard]] auto span_of(Buffer& buffer) {
  return std::span(buffer.data(), static_cast<std::size_t>(buffer.size()));
}

/// values_i = value
template <class B, class V>
void fill(const B& backend, std::span<V> values, std::type_identity_t<V> value) {
  if constexpr (on_host<B>) {
    std::fill(values.begin(), values.end(), value);
  } else {
    backend.fill(values, value);
  }
}
/// values_i = value for the i named.
template <class B, class V>
void put(const B& backend, std::span<V> values, std::span<const Index> at, std::type_identity_t<V> value) {
  if constexpr (on_host<B>) {
    for (const Index i : at) values[static_cast<std::size_t>(i)] = value;
  } else {
    backend.put(values, at, value);
  }
}

/// to = from, of the same shape, each on the host or in the backend's memory.
template <class B, Real T, class From, class To>
void copy_rows(const B& backend, MatrixView<const T, From> from, MatrixView<T, To> to) {
  if constexpr (std::same_as<From, Host> && std::same_as<To, Host>) {
    for (Index i = 0; i < from.rows(); ++i) std::copy_n(from.row(i), from.cols(), to.row(i));
  } else {
    backend.copy(from, to);
  }
}
/// A copy in the backend's memory.
template <class B, Real T>
[[nodiscard]] auto copy_of(const B& backend, MatrixView<const T, typename B::Space> from) {
  auto copy = make_dense<T>(backend, from.rows(), from.cols());
  copy_rows(backend, from, copy.view());
  return copy;
}

/// Values of a backend's memory for the host to read: themselves, or a copy.
template <class B, class V>
[[nodiscard]] auto to_host(const B& backend, std::span<V> values) {
  if constexpr (on_host<B>) {
    return values;
  } else {
    std::vector<std::remove_const_t<V>> copy(values.size());
    backend.read(std::span<const V>(values), copy.data());
    return copy;
  }
}
/// The same for a matrix; both answers have a row(i).
template <class B, Real T>
[[nodiscard]] auto to_host(const B& backend, MatrixView<const T, typename B::Space> x) {
  if constexpr (on_host<B>) {
    return x;
  } else {
    Matrix<T> copy(x.rows(), x.cols());
    backend.copy(x, copy.view());
    return copy;
  }
}
/// Values of the host for a backend to read: themselves, or a copy.
template <class B, class V>
[[nodiscard]] auto placed(const B& backend, std::span<const V> values) {
  if constexpr (on_host<B>) {
    return values;
  } else {
    auto copy = backend.template make<V>(static_cast<Index>(values.size()));
    backend.write(values, span_of(copy));
    return copy;
  }
}
/// The same for a matrix; view_of() of either answer is a view.
template <class B, Real T>
[[nodiscard]] auto placed(const B& backend, MatrixView<const T> x) {
  if constexpr (on_host<B>) {
    return x;
  } else {
    auto copy = backend.template make<T>(x.rows(), x.cols());
    backend.copy(x, copy.view());
    return copy;
  }
}

/// Weights in double that lie in a memory space; none where the span is empty.
template <class Space>
[[nodiscard]] Weights<Space> weights_in(std::span<const double> w) {
  return Weights<Space>(VectorView<const double, Space>(w.data(), w.size()));
}

/// Refuses rows that the backend could not read; the host reads all.
template <class B, Real T>
void demand_here(const B& backend, const Tile<T, typename B::Space>& tile) {
  if constexpr (!on_host<B>) backend.demand_here(tile);
}

/// Calls use(part) with the rows of a tile where the host can read them: the tile itself, or copies of some rows at a
/// time.
template <class B, Real T, class Use>
void for_each_part(const B& backend, const Tile<T, typename B::Space>& tile, const Use& use) {
  if constexpr (on_host<B>) {
    use(tile);
  } else {
    constexpr Index values_a_part = Index{1} << 20;
    const Index rows = std::clamp(values_a_part / (std::max)(tile.x.cols(), Index{1}), Index{1}, Index{65536});
    for (Index begin = 0; begin < tile.x.rows(); begin += rows) {
      const Index count = (std::min)(rows, tile.x.rows() - begin);
      const auto x = to_host(backend, tile.x.slice(begin, count));
      const std::vector<double> w = backend.read_weights(tile.w.slice(begin, count));
      use(Tile<T>{x.view(), weights_in<Host>(w), tile.offset + begin, tile.global(begin), tile.step});
    }
  }
}

/// A matrix that owns, or a view, as a view of constants.
template <class X>
[[nodiscard]] auto view_of(const X& x) {
  return MatrixTraits<X>::view(x);
}

}  // namespace lloyd::inline LLOYD_ABI::detail
