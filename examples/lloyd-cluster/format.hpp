// SPDX-License-Identifier: MIT
// Kinds of files, told by the ends of their names, and numbers as they are shown.
#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>

namespace program {

namespace fs = std::filesystem;

enum class Format : std::uint8_t { csv, tsv, npy, npz, fvecs, png, jpeg, svg };

/// @param hint  what a refusal ends with
/// @throws std::runtime_error, naming those that are taken, unless it is one of them
[[nodiscard]] Format format_of(const fs::path& path, std::initializer_list<Format> taken, const char* hint = "");

/// Of a file of rows; a pipe, and what stands in /dev, is a .csv if its name has no end.
[[nodiscard]] Format format_of_rows(const fs::path& path);
/// Of a file of centroids.
[[nodiscard]] inline Format format_of_model(const fs::path& path) {
  return format_of(path, {Format::npz, Format::npy, Format::fvecs, Format::csv, Format::tsv});
}

[[nodiscard]] inline bool is_text(Format format) { return format == Format::csv || format == Format::tsv; }

/// What separates columns in a file, unless an option says otherwise.
[[nodiscard]] inline char separator_of(Format format, std::optional<char> given = std::nullopt) {
  return given.value_or(format == Format::tsv ? '\t' : ',');
}

[[nodiscard]] std::string digits(double value, std::chars_format format, int precision);

/// Six significant digits.
[[nodiscard]] inline std::string shown(double value) { return digits(value, std::chars_format::general, 6); }

}  // namespace program
