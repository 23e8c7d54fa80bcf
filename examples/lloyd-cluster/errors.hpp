// SPDX-License-Identifier: MIT
// How lloyd-cluster complains: one line on stderr.
#pragma once

#include <stdexcept>
#include <string>

#include "lloyd/error.hpp"

namespace program {

/// Joins anything that streams into one message. @throws std::runtime_error
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  throw std::runtime_error(lloyd::detail::text(parts...));
}

/// A message of the library in the words of this program: without the name of the function, with names of its options.
[[nodiscard]] std::string in_own_words(std::string message);

}  // namespace program
