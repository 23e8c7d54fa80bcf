// SPDX-License-Identifier: MIT
/// @file
/// One line of JSON a measurement, written at once: what a killed process had measured is kept.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bench {

/// A flat JSON object. What was not measured is not added: an absent key is an absent meter.
class Record {
 public:
  Record& add(std::string_view key, std::string_view value) {
    std::string quoted = "\"";
    for (const char c : value) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return raw(key, quoted + '"');
  }
  Record& add(std::string_view key, const char* value) { return add(key, std::string_view(value)); }
  Record& add(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  template <std::integral Value>
  requires(!std::same_as<Value, bool>) Record& add(std::string_view key, Value value) {
    return raw(key, std::to_string(value));
  }
  Record& add(std::string_view key, double value) {
    if (!std::isfinite(value)) return *this;
    char digits[32];  // the shortest that reads back as the same bits
    return raw(key, std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr));
  }
  template <class Value>
  Record& add(std::string_view key, const std::optional<Value>& value) {
    return value ? add(key, *value) : *this;
  }
  /// Adds the keys of another record.
  Record& merge(const Record& other) {
    fields_ += (fields_.empty() || other.fields_.empty() ? "" : ", ") + other.fields_;
    return *this;
  }
  [[nodiscard]] std::string line() const { return "{" + fields_ + "}\n"; }

 private:
  Record& raw(std::string_view key, const std::string& value) {
    fields_ += fields_.empty() ? "" : ", ";
    fields_ += '"' + std::string(key) + "\": " + value;
    return *this;
  }

  std::string fields_;
};

/// Where records go: a file, or, where its name is empty, `otherwise` (null: nowhere).
class Journal {
 public:
  explicit Journal(const std::string& path, std::ostream* otherwise = nullptr) : out_(otherwise) {
    if (path.empty()) return;
    file_.open(path, std::ios::app);
    if (!file_) throw std::runtime_error("cannot write " + path);
    out_ = &file_;
  }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  void write(const Record& record) {
    if (out_ != nullptr) *out_ << record.line() << std::flush;
  }

 private:
  std::ofstream file_;
  std::ostream* out_;
};

}  // namespace bench
