// SPDX-License-Identifier: MIT
/// @file
/// Numbers as text, in any locale.
#pragma once

#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <system_error>

#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

enum class Parse { number, no_number, out_of_range };

/// What stands at the beginning of a text, and where it ends.
template <Real T>
struct Parsed {
  Parse kind;
  T value;
  const char* end;
};

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a decimal that no T can hold is too large, not too small: looks at the power of ten of its first digit.
/// (from_chars does not tell one from the other.)
[[nodiscard]] inline bool is_too_large(const char* at, const char* last) {
  constexpr Index limit = 1'000'000'000;  // beyond any length of digits that an exponent could outweigh
  Index power = -1;                       // of the first digit that is not 0
  bool point = false, found = false;
  if (at != last && *at == '-') ++at;
  for (; at != last && (is_digit(*at) || *at == '.'); ++at) {
    if (*at == '.') {
      point = true;
      continue;
    }
    if (!found && point && *at == '0') --power;
    if (found && !point) ++power;
    if (!found && *at != '0') found = true, power += point ? 0 : 1;
  }
  if (at == last || (*at != 'e' && *at != 'E')) return power > 0;
  if (++at != last && *at == '+') ++at;
  Index exponent = 0;
  const auto result = std::from_chars(at, last, exponent);
  if (result.ec == std::errc::result_out_of_range || exponent > limit || exponent < -limit) return *at != '-';
  return power + exponent > 0;
}

/// Reads [+-]digits[.digits][e[+-]digits], nan or inf, rounded once to the nearest T; what is too small for T is 0.
template <Real T>
[[nodiscard]] Parsed<T> parse_number(const char* first, const char* last) {
  if (first != last && *first == '+') {  // from_chars knows no plus
    ++first;
    if (first != last && *first == '-') return {Parse::no_number, 0, first};
  }
  T value = 0;
  const auto [end, error] = std::from_chars(first, last, value);
  if (error == std::errc()) return {Parse::number, value, end};
  if (error != std::errc::result_out_of_range) return {Parse::no_number, 0, first};
  if (is_too_large(first, end)) return {Parse::out_of_range, 0, end};
  return {Parse::number, *first == '-' ? -T{0} : T{0}, end};
}

/// Appends the shortest text that reads back as the same value.
template <class T>
void append_number(std::string& out, T value) {
  std::array<char, 32> digits;  // the longest double has 24 characters
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), result.ptr);
}

}  // namespace lloyd::inline LLOYD_ABI::detail
