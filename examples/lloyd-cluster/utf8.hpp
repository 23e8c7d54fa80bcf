// SPDX-License-Identifier: MIT
// UTF-8, told from other bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace program {

/// The length of the character that a text begins with; 0: its bytes are none of UTF-8.
[[nodiscard]] inline std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length == 0 || first > 0xF4 || length > text.size()) return 0;
  std::uint32_t code = length == 1 ? first : first & (0x7FU >> length);
  for (const char next : text.substr(1, length - 1)) {
    if ((static_cast<unsigned char>(next) & 0xC0U) != 0x80U) return 0;
    code = code << 6U | (static_cast<unsigned char>(next) & 0x3FU);
  }
  if ((length == 3 && code < 0x800) || (length == 4 && code < 0x10000)) return 0;  // it has a shorter form
  if ((code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) return 0;
  return length;
}

[[nodiscard]] inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace program
