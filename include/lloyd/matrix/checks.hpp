// SPDX-License-Identifier: MIT
/// @file
/// What may be viewed, and sizes of any integral type.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "lloyd/error.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Any integral type but bool.
template <class Value>
concept Size = std::integral<Value> && !std::same_as<std::remove_cv_t<Value>, bool>;

/// U is the mutable twin of a const T.
template <class U, class T>
concept MutableOf = std::same_as<const U, T>;

/// A vector whose values a view of T may show.
template <class Values, class T>
concept VectorOf = std::same_as<std::remove_const_t<Values>, std::vector<std::remove_const_t<T>>> &&
    (std::is_const_v<T> || !std::is_const_v<Values>);

/// Whether values end with the object that holds them.
template <class Values>
inline constexpr bool owns_values = false;
template <class V, class Allocator>
inline constexpr bool owns_values<std::vector<V, Allocator>> = true;
template <class V, std::size_t size>
inline constexpr bool owns_values<std::array<V, size>> = true;

/// What Values&& is deduced as from an owner that ends with the expression it stands in: a view would outlive it.
template <class Values>
concept TemporaryOwner = owns_values<std::remove_const_t<Values>>;

/// A size of any integral type as an Index; refused when negative or too large.
template <Size Value>
[[nodiscard]] std::int64_t checked_size(Value value, const char* who, const char* what) {
  const auto number = +value;  // a character becomes the integer that it is
  demand(std::in_range<std::int64_t>(number) && std::cmp_greater_equal(number, 0), who, ": ", what, " ", number,
         ", expected 0 .. 2^63 - 1");
  return static_cast<std::int64_t>(number);
}

/// Whether `rows` rows, `stride` values apart, of `size` bytes a value fit in the address space.
[[nodiscard]] constexpr bool addressable(std::int64_t rows, std::int64_t stride, std::size_t size) {
  const std::int64_t most = (std::numeric_limits<std::ptrdiff_t>::max)() / static_cast<std::int64_t>(size);
  return rows == 0 || stride == 0 || rows <= most / stride;
}

}  // namespace lloyd::inline LLOYD_ABI::detail
