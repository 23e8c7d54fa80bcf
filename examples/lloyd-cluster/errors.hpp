// SPDX-License-Identifier: MIT
// How lloyd-cluster complains: one line on stderr.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "lloyd/error.hpp"

namespace program {

/// Joins anything that streams into one message. @throws std::runtime_error
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  throw std::runtime_error(lloyd::detail::text(parts...));
}

/// "1 column", "2 columns".
template <class Number>
[[nodiscard]] std::string counted(Number number, std::string_view noun) {
  return lloyd::detail::text(number, ' ', noun, number == 1 ? "" : "s");
}

/// A text as a shell takes it for one word: in quotes where it holds more than letters, digits and plain marks.
[[nodiscard]] std::string shell_word(const std::string& text);

/// A message of the library in the words of this program: without the name of the function, with names of its options.
[[nodiscard]] std::string in_own_words(std::string message);

}  // namespace program
