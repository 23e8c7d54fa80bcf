// SPDX-License-Identifier: MIT
// Rows from a file of any of the formats: the columns that are wanted, their names, weights.
#pragma once

#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "arguments.hpp"
#include "lloyd/matrix.hpp"

namespace program {

template <class T>
struct Table {
  lloyd::Matrix<T> x;
  std::vector<std::string> names;           // one a column; none if the file has no header
  std::vector<lloyd::Index> columns;        // the number of each in the file, from 1
  std::vector<double> weights;              // one a row, or none
  lloyd::Index first_line = 0;              // of a file of text, from 1; 0 where rows have no lines
  std::vector<std::string> beginning = {};  // the first lines of rows of text, as they stand
};

/// Refuses a pipe or a device where a file is opened twice: the second time it would wait for ever, or lack what the
/// first has taken.
void require_file(const fs::path& path, const char* reason);

/// Whether the rows are read as double: text if that is asked for, other files if they hold it.
[[nodiscard]] bool reads_double(const RowsArguments& rows);

/// Reads the rows; every value is finite and within 2^500 of zero, every weight finite and not negative (unless
/// `checked` is off).
/// @throws std::runtime_error, which names line or row, and column, in the file
template <class T>
[[nodiscard]] Table<T> read_table(const RowsArguments& rows, bool checked = true);

/// Columns of x by their place, from 0.
template <class T>
[[nodiscard]] lloyd::Matrix<T> select(const lloyd::Matrix<T>& x, const std::vector<lloyd::Index>& places);

/// Where a value stands: "FILE: line 3, column 2", or by its row where the file has no lines (first_line 0).
[[nodiscard]] std::string place_of(const fs::path& file, lloyd::Index first_line, lloyd::Index row,
                                   lloyd::Index column);

/// Whether a fit takes a value.
template <class T>
[[nodiscard]] bool is_usable(T value) {
  return std::abs(static_cast<double>(value)) <= 0x1p500;
}

/// What a value should have been that is none that a fit with T takes, or becomes none.
template <class T>
[[nodiscard]] const char* expected_instead_of(double value) {
  if (!std::isfinite(value)) return "a finite number";
  return std::is_same_v<T, float> ? "a number that float32 holds" : "a finite number within 2^500 of zero";
}

/// The name of a column, or its number in the file behind `unnamed` where it has none.
template <class T>
[[nodiscard]] std::string column_name(const Table<T>& table, lloyd::Index column, const char* unnamed = "x") {
  const auto j = static_cast<std::size_t>(column);
  const bool named = !table.names.empty() && !table.names[j].empty();
  return named ? table.names[j] : lloyd::detail::text(unnamed, table.columns[j]);
}

template <class T>
[[nodiscard]] std::vector<std::string> column_names(const Table<T>& table) {
  std::vector<std::string> names;
  for (lloyd::Index j = 0; j < table.x.cols(); ++j) names.push_back(column_name(table, j));
  return names;
}

}  // namespace program
