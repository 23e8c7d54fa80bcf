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
#include "notes_of_text.hpp"
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
void say_too_fine(const Table<T>& table, Index j, const Extent& extent, const Beginning& text, const fs::path& path) {
  const auto& [least, most] = extent;
  const auto largest = static_cast<T>((std::max)(std::abs(least), std::abs(most)));
  const double step = std::nextafter(largest, std::numeric_limits<T>::infinity()) - largest;
  if (!(most - least < 1000 * step)) return;
  if (step < 1 && (least == most || is_whole(table.x, j))) return;  // float holds them exactly
  std::string extent_text = " goes from " + ten_digits(least) + " to " + ten_digits(most);
  if (least == most) {
    const auto fields = text.two_of(static_cast<std::size_t>(j));
    if (!fields) return;  // a constant, as far as can be seen
    extent_text = " holds " + fields->first + " and " + fields->second;
  }
  note(path) << "column " << label(table, j) << extent_text << ", where float takes steps of " << shown(step)
             << "; --double keeps its digits\n";
}

/// A column that only numbers the rows.
template <class T>
void say_numbers_rows(const Table<T>& table, Index j, const Extent& extent, const RowsArguments& rows) {
  constexpr Index fewest = 10;  // of so many rows in order few tables hold another measurement
  const Index n = table.x.rows();
  if (table.x.cols() == 1) return;  // without it nothing is left
  if (n < fewest || extent.most - extent.least != static_cast<double>(n - 1)) return;
  for (Index i = 1; i < n; ++i)
    if (table.x(i, j) - table.x(i - 1, j) != 1) return;
  note(rows.path) << "column " << label(table, j) << " numbers the rows from " << ten_digits(extent.least) << " to "
                  << ten_digits(extent.most) << "; "
                  << skipping(std::to_string(table.columns[static_cast<std::size_t>(j)]), rows) << " leaves it out\n";
}

/// A column whose points may stand between thousands.
template <class T>
void say_grouped(const Table<T>& table, Index j, const Beginning& text, const fs::path& path) {
  const std::string field = text.grouped(static_cast<std::size_t>(j));
  if (field.empty()) return;
  const double value = lloyd::detail::parse_number<double>(field.data(), field.data() + field.size()).value;
  note(path) << "column " << label(table, j) << " holds " << field << ", read as " << ten_digits(value)
             << "; tr -d . takes the points out if they stand between thousands\n";
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
  const Beginning text(table, rows);
  if (const std::string said = text.on_first_line(rows.header); !said.empty()) note(rows.path) << said << '\n';
  const auto columns = extents(table, threads);
  for (Index j = 0; j < table.x.cols(); ++j) {
    const auto& extent = columns[static_cast<std::size_t>(j)];
    if (std::is_same_v<T, float>) say_too_fine(table, j, extent, text, rows.path);
    if (!rows.columns) say_numbers_rows(table, j, extent, rows);
    say_grouped(table, j, text, rows.path);
  }
  if (!standardize) say_decides_alone(table, columns, rows.path);
}

template void say_notes(const Table<float>& table, const RowsArguments& rows, bool standardize, int threads);
template void say_notes(const Table<double>& table, const RowsArguments& rows, bool standardize, int threads);

}  // namespace program
