// SPDX-License-Identifier: MIT
// What the first lines of a text tell of one that is not divided as was expected.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace program {

/// Another character that may separate the columns of a text; 0: none.
[[nodiscard]] char other_separator(std::string_view text, char separator);

/// What stands above the table, below it as line ends or between its columns, and what mends it; or nothing.
/// @param given  the separator that an option names
[[nodiscard]] std::string hint_of_lines(std::vector<std::string> lines, std::optional<char> given, char separator);

}  // namespace program
