// SPDX-License-Identifier: MIT
#include "notes.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "format.hpp"
#include "hints.hpp"
#include "scaling.hpp"

namespace program {
namespace {

using lloyd::Index;

/// A column as --columns takes it.
template <class T>
std::string label(const Table<T>& table, Index j) {
  return column_name(table, j, "");
}

/// Whether all values of a column are whole numbers.
template <class T>
bool is_whole(const lloyd::Matrix<T>& x, Index column) {
  for (Index i = 0; i < x.rows(); ++i)
    if (x(i, column) != std::trunc(x(i, column))) return false;
  return true;
}

std::ostream& note(const fs::path& path) { return std::cerr << "lloyd-cluster: " << path.string() << ": "; }

std::string ten_digits(double value) { return digits(value, std::chars_format::general, 10); }

/// A column that lies within few steps of float.
template <class T>
void say_too_fine(const Table<T>& table, Index j, const Extent& extent, const fs::path& path) {
  const auto& [least, most] = extent;
  const auto largest = static_cast<T>((std::max)(std::abs(least), std::abs(most)));
  const double step = std::nextafter(largest, std::numeric_limits<T>::infinity()) - largest;
  if (!(most - least < 1000 * step)) return;
  if (step < 1 && (least == most || is_whole(table.x, j))) return;  // float holds them exactly
  const std::string extent_text = least == most ? " is " + ten_digits(least) + " in every row"
                                                : " goes from " + ten_digits(least) + " to " + ten_digits(most);
  note(path) << "column " << label(table, j) << extent_text << ", where float takes steps of " << shown(step)
             << "; --double keeps its digits\n";
}

/// A column that only numbers the rows.
template <class T>
void say_numbers_rows(const Table<T>& table, Index j, const Extent& extent, const RowsArguments& rows) {
  constexpr Index fewest = 10;  // of so many rows in order few tables hold another measurement
  const Index n = table.x.rows();
  if (n < fewest || extent.most - extent.least != static_cast<double>(n - 1)) return;
  for (Index i = 1; i < n; ++i)
    if (table.x(i, j) - table.x(i - 1, j) != 1) return;
  note(rows.path) << "column " << label(table, j) << " numbers the rows from " << ten_digits(extent.least) << " to "
                  << ten_digits(extent.most) << "; "
                  << skipping(std::to_string(table.columns[static_cast<std::size_t>(j)]), rows) << " leaves it out\n";
}

/// A first row that may be names: years in order.
template <class T>
void say_years(const Table<T>& table, const RowsArguments& rows) {
  const bool automatic = table.names.empty() && rows.header == lloyd::CsvHeader::automatic;
  if (!automatic || table.x.cols() < 2 || table.x.rows() < 2) return;
  const T* const row = table.x.row(0);
  if (!(row[0] >= 1900 && row[table.x.cols() - 1] <= 2100)) return;
  for (Index j = 1; j < table.x.cols(); ++j)
    if (row[j] - row[j - 1] != 1) return;
  note(rows.path) << "line 1 goes from " << row[0] << " to " << row[table.x.cols() - 1]
                  << " and is taken for a row; --header yes takes it for names\n";
}

/// A column that decides the clusters alone, since the others hardly vary beside it.
template <class T>
void say_decides_alone(const Table<T>& table, const std::vector<Extent>& columns, const fs::path& path) {
  constexpr double much = 100;
  double first = 0, second = 0;
  Index widest = 0;
  for (Index j = 0; j < table.x.cols(); ++j) {
    const auto& [least, most] = columns[static_cast<std::size_t>(j)];
    const double width = most - least;
    if (width > first) widest = j;
    second = (std::max)(second, (std::min)(first, width));
    first = (std::max)(first, width);
  }
  if (!(second > 0 && first > much * second)) return;
  note(path) << "column " << label(table, widest) << " spans " << shown(first) << ", every other at most "
             << shown(second) << ", so that it decides alone; --standardize lets all count alike\n";
}

}  // namespace

template <class T>
void say_notes(const Table<T>& table, const RowsArguments& rows, bool standardize, int threads) {
  if (!is_text(format_of_rows(rows.path))) return;
  say_years(table, rows);
  const auto columns = extents(table, threads);
  for (Index j = 0; j < table.x.cols(); ++j) {
    const auto& extent = columns[static_cast<std::size_t>(j)];
    if (std::is_same_v<T, float>) say_too_fine(table, j, extent, rows.path);
    if (!rows.columns) say_numbers_rows(table, j, extent, rows);
  }
  if (!standardize) say_decides_alone(table, columns, rows.path);
}

template void say_notes(const Table<float>& table, const RowsArguments& rows, bool standardize, int threads);
template void say_notes(const Table<double>& table, const RowsArguments& rows, bool standardize, int threads);

}  // namespace program
