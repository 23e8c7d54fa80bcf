// SPDX-License-Identifier: MIT
// Writes JSON: objects and arrays as they are opened and closed, on one line.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "utf8.hpp"

namespace program {

class Json {
 public:
  Json& open(char bracket) {  // { or [
    separate();
    text_ += bracket;
    first_ = true;
    return *this;
  }
  Json& close(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
  }
  /// The name of the value that follows.
  Json& key(std::string_view name) {
    value(name);
    text_ += ": ";
    first_ = true;
    return *this;
  }

  /// Bytes that are no UTF-8, as a path may hold, become U+FFFD.
  Json& value(std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    separate();
    text_ += '"';
    while (!text.empty()) {
      const char c = text.front();
      const std::size_t length = utf8_length(text);
      if (const auto byte = static_cast<unsigned char>(c); byte < 0x20) {
        text_.append("\\u00").append(1, hex[byte >> 4U]).append(1, hex[byte & 15U]);
      } else {
        if (c == '"' || c == '\\') text_ += '\\';
        length == 0 ? text_.append("\uFFFD") : text_.append(text.substr(0, length));
      }
      text.remove_prefix(length == 0 ? 1 : length);
    }
    text_ += '"';
    return *this;
  }
  Json& value(const char* text) { return value(std::string_view(text)); }
  Json& value(const std::string& text) { return value(std::string_view(text)); }
  Json& value(bool truth) { return literal(truth ? "true" : "false"); }
  /// In the fewest digits that are read as the same number; null for what JSON has no number for.
  template <std::floating_point V>
  Json& value(V number) {
    return std::isfinite(number) ? print(number) : literal("null");
  }
  template <std::integral V>
  Json& value(V number) {
    return print(number);
  }
  template <class V>
  Json& value(const std::vector<V>& values) {
    open('[');
    for (const V& each : values) value(each);
    return close(']');
  }

  template <class V>
  Json& member(std::string_view name, const V& given) {
    return key(name).value(given);
  }

  Json& null(std::string_view name) { return key(name).literal("null"); }

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  void separate() {
    if (!first_) text_ += ", ";
    first_ = false;
  }
  Json& literal(std::string_view word) {
    separate();
    text_ += word;
    return *this;
  }
  template <class V>
  Json& print(V number) {
    std::array<char, 32> digits;
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    return literal({digits.data(), result.ptr});
  }

  std::string text_;
  bool first_ = true;
};

}  // namespace program
