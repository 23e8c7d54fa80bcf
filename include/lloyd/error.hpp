// SPDX-License-Identifier: MIT
/// @file
/// What the library throws. A message says who complains, what was given and what was expected.
#pragma once

#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>

#include "lloyd/version.hpp"

namespace lloyd::inline LLOYD_ABI {

/// A bad option, shape or value; thrown before any work is done.
class InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A file, device or communication library failed, or another rank did; the text holds what, its code and where.
class BackendError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

/// Joins anything that streams into one text.
template <class... Parts>
[[nodiscard]] std::string text(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  (out << ... << parts);
  return out.str();
}

/// Throws InvalidArgument with "lloyd::<parts...>" unless the condition holds.
template <class... Parts>
void demand(bool condition, const Parts&... parts) {
  if (!condition) throw InvalidArgument(text("lloyd::", parts...));
}

}  // namespace detail
}  // namespace lloyd::inline LLOYD_ABI
