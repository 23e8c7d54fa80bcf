// SPDX-License-Identifier: MIT
// How lloyd-cluster complains: one line on stderr.
#pragma once

#include <stdexcept>
#include <string>

namespace program {

/// @throws std::runtime_error
[[noreturn]] void refuse(const std::string& message);

/// A message of the library in the words of this program: without the name of the function, with names of its options.
[[nodiscard]] std::string in_own_words(std::string message);

}  // namespace program
