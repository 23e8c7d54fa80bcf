// SPDX-License-Identifier: MIT
// Fields of a text as people write them: numbers with what no reader of this library takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace program {

enum class Kind : std::uint8_t { number, spelled, missing, text };

/// A number that is written as no reader of this library takes it: 22,9 or 1.234,5 or 1,234,567 or 63% or $5.
struct Spelled {
  std::string plain;           // as it is taken
  std::string sign;            // what stands beside it, such as "a percent sign"; empty: nothing
  char thousands = 0;          // what stands between groups of three digits; 0: nothing
  bool decimal_comma = false;  // of which the one in 4,516 may as well stand between thousands:
  bool ambiguous = false;
  bool half_changed = false;  // 4.712.03, once 4.712,03

  /// Reads the one comma of 4,516 as one between thousands.
  void take_for_thousands();
};
[[nodiscard]] std::optional<Spelled> spelled_number(const std::string& field);

[[nodiscard]] Kind kind_of(const std::string& field);

/// Whether digits alone, in groups of three behind a first one of one to three that is not 0, have this between them.
[[nodiscard]] bool is_grouped(std::string_view text, char between);

}  // namespace program
