// SPDX-License-Identifier: MIT
// A text that was refused, read again for what may be meant by it.
#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"
#include "lloyd/csv.hpp"

namespace program {

/// The line and the column of a file; 0: none is named.
struct Place {
  lloyd::Index line = 0, column = 0;
};

/// How many fields of a column are what.
struct Fields {
  lloyd::Index numbers = 0, spelled = 0, missing = 0, text = 0;
  // Of the numbers, spelled or not: commas that can only be decimal, and only between thousands; points that can only
  // be decimal, and that may stand between thousands, as in 1.500; and both marks as in 1.234,5.
  lloyd::Index decimal_commas = 0, comma_groups = 0, decimal_points = 0, point_groups = 0, both = 0;

  [[nodiscard]] lloyd::Index all() const { return numbers + spelled + missing + text; }
  [[nodiscard]] bool is_text() const { return text > numbers + spelled; }
  [[nodiscard]] bool is_empty() const { return missing == all(); }
};

struct SecondLook {
  std::vector<std::string> lines;  // the first ones, as they stand
  std::vector<std::string> first;  // the fields of line 1
  std::string field;               // at the place
  std::vector<bool> wanted;        // columns
  std::vector<Fields> columns;     // of the file, counted where they are wanted
  lloyd::Index missing_rows = 0;   // with a wanted field that is what tables write for a missing value

  /// Line 1, or nothing.
  [[nodiscard]] std::string first_line() const { return lines.empty() ? "" : lines.front(); }
  /// The marks in the numbers of all columns.
  [[nodiscard]] Fields marks() const;
};

/// The first lines of a text as they stand: at most so many, of little more than a quarter of a million bytes.
[[nodiscard]] std::vector<std::string> first_lines(const RowsArguments& rows, std::size_t most);

/// Reads the first lines, and the rest if the place has a column; to where it is damaged, if it is.
[[nodiscard]] SecondLook look_again(Place place, const RowsArguments& rows, const lloyd::CsvOptions& options);

}  // namespace program
