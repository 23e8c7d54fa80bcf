// SPDX-License-Identifier: MIT
// A text that was refused, read again for what may be meant by it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "lloyd/csv.hpp"

namespace program {

/// The line and the column of a file; 0: none is named.
struct Place {
  lloyd::Index line = 0, column = 0;
};

/// A number that is written as no reader of this library takes it: 22,9 or 1.234,5 or 1,234,567.
struct Spelled {
  std::string plain;   // as it is taken
  char thousands = 0;  // what stands between groups of three digits; 0: nothing
};
[[nodiscard]] std::optional<Spelled> spelled_number(const std::string& field);

/// How many fields of a column are what.
struct Fields {
  lloyd::Index numbers = 0, spelled = 0, missing = 0, text = 0;

  [[nodiscard]] lloyd::Index all() const { return numbers + spelled + missing + text; }
  [[nodiscard]] bool is_text() const { return text > numbers + spelled; }
  [[nodiscard]] bool is_empty() const { return missing == all(); }
};

struct SecondLook {
  std::vector<std::string> first;  // the fields of line 1
  std::string first_line, field;   // the field at the place
  std::vector<bool> wanted;        // columns
  std::vector<Fields> columns;     // of the file, counted where they are wanted
  lloyd::Index missing_rows = 0;   // with a wanted field that is what tables write for a missing value
};

/// Reads line 1, and the rest if the place has a column; to where it is damaged, if it is.
[[nodiscard]] SecondLook look_again(Place place, const RowsArguments& rows, const lloyd::CsvOptions& options);

}  // namespace program
