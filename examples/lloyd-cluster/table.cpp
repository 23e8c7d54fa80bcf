// SPDX-License-Identifier: MIT
#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "columns.hpp"
#include "errors.hpp"
#include "format.hpp"
#include "hints.hpp"
#include "lloyd/fvecs.hpp"
#include "lloyd/npy.hpp"
#include "scratch.hpp"
#include "second_look.hpp"
#include "utf8.hpp"

namespace program {
namespace {

using lloyd::Index;

/// The numbers of the columns that are read, weights included, of a file of so many.
std::vector<Index> wanted_columns(const RowsArguments& rows, const Choice& choice, Index count) {
  std::vector<bool> wanted(static_cast<std::size_t>(count), choice.columns.empty());
  const auto mark = [&](const std::vector<lloyd::CsvColumns>& ranges, bool value) {
    for (const auto& range : ranges) {
      if (range.last > count) {
        refuse(rows.path.string(), ": column ", range.last, " is ", value ? "wanted" : "to be skipped",
               ", but a row has ", count);
      }
      std::fill(wanted.begin() + range.first - 1, wanted.begin() + range.last, value);
    }
  };
  mark(choice.columns, true);
  mark(choice.skip_columns, false);
  if (choice.weights != 0) mark({{choice.weights, choice.weights}}, true);
  std::vector<Index> columns;
  for (Index j = 0; j < count; ++j)
    if (wanted[static_cast<std::size_t>(j)]) columns.push_back(j + 1);
  return columns;
}

/// Rows of numbers of a file that is no text.
template <class T>
Table<T> read_binary(const RowsArguments& rows, Format format, const Choice& choice) {
  Table<T> table;
  if constexpr (std::is_same_v<T, float>) {
    table.x = format == Format::npy ? lloyd::read_npy<float>(rows.path) : lloyd::read_fvecs(rows.path);
  } else {
    table.x = lloyd::read_npy<T>(rows.path);
  }
  table.columns = wanted_columns(rows, choice, table.x.cols());
  if (std::cmp_not_equal(table.columns.size(), table.x.cols())) {
    std::vector<Index> places = table.columns;
    for (Index& place : places) --place;
    table.x = select(table.x, places);
  }
  return table;
}

template <class T>
Table<T> read_text(const RowsArguments& rows, Format format, const Choice& choice) {
  const auto options = choice.csv_options(rows, format);
  Table<T> table;
  try {
    const lloyd::detail::Origin origin{"read_csv", rows.path.string()};
    auto in = lloyd::detail::open_to_read(rows.opened(), origin);
    auto read = lloyd::detail::read_csv_table<T>(in, options, origin);
    table = {std::move(read.values), std::move(read.names), std::move(read.columns), {}, 1, {}};
    if (rows.role == Role::rows) table.beginning = first_lines(rows, 1000);
  } catch (const lloyd::BackendError& error) {
    refuse(explained(error.what(), rows, options, choice.weights));
  }
  if (!table.names.empty()) table.first_line = 2;
  for (std::size_t j = 0; j < table.names.size(); ++j)
    if (!is_utf8(table.names[j]))
      refuse(place_of(rows.path, 1, 0, table.columns[j]),
             ": the name is not UTF-8 (iconv -f WINDOWS-1252 -t UTF-8 if it comes from Windows)");
  if (choice.by_name && table.names.empty())
    refuse(rows.path.string(),
           ": line 1 is taken for a row, but names of columns need a header (--header yes if it is one)");
  return table;
}

/// Columns, so far in the order of the file, in that of the ranges, each where it is first named.
template <class T>
void reorder(Table<T>& table, const std::vector<lloyd::CsvColumns>& ranges) {
  std::vector<Index> places;
  std::vector<bool> placed(table.columns.size());
  for (const auto& range : ranges) {
    auto at = std::lower_bound(table.columns.begin(), table.columns.end(), range.first);
    for (; at != table.columns.end() && *at <= range.last; ++at) {
      const auto place = at - table.columns.begin();
      if (!placed[static_cast<std::size_t>(place)]) places.push_back(place);
      placed[static_cast<std::size_t>(place)] = true;
    }
  }
  if (std::is_sorted(places.begin(), places.end())) return;
  table.x = select(table.x, places);
  std::vector<Index> columns;
  std::vector<std::string> names;
  for (const Index place : places) {
    columns.push_back(table.columns[static_cast<std::size_t>(place)]);
    if (!table.names.empty()) names.push_back(table.names[static_cast<std::size_t>(place)]);
  }
  table.columns = std::move(columns);
  table.names = std::move(names);
}

/// Moves the column of weights from the rows to a place of its own.
template <class T>
void split_weights(Table<T>& table, Index weights, const fs::path& path) {
  const auto place = std::find(table.columns.begin(), table.columns.end(), weights) - table.columns.begin();
  if (place == table.x.cols())
    refuse("--weights: there is no column ", weights, " that is read of \"", path.string(), "\"");
  std::vector<Index> others;
  for (Index j = 0; j < table.x.cols(); ++j)
    if (j != place) others.push_back(j);
  table.weights.resize(static_cast<std::size_t>(table.x.rows()));
  for (Index i = 0; i < table.x.rows(); ++i)
    table.weights[static_cast<std::size_t>(i)] = static_cast<double>(table.x(i, place));
  table.x = select(table.x, others);
  table.columns.erase(table.columns.begin() + place);
  if (!table.names.empty()) table.names.erase(table.names.begin() + place);
}

template <class T>
Index rows_with_nan(const lloyd::Matrix<T>& x) {
  Index rows = 0;
  for (Index i = 0; i < x.rows(); ++i)
    rows += std::any_of(x.row(i), x.row(i) + x.cols(), [](T value) { return std::isnan(value); }) ? 1 : 0;
  return rows;
}

/// Refuses what a fit would refuse, but by its place in the file.
template <class T>
void check_values(const Table<T>& table, const fs::path& file, Index weights) {
  const auto complain = [&](Index row, Index column, double value, const std::string& expected) {
    refuse(place_of(file, table.first_line, row, column), " is ", shown(value), ", expected ", expected);
  };
  const Index cols = table.x.cols();
  for (Index i = 0; i < table.x.rows(); ++i) {
    const T* const row = table.x.row(i);
    bool usable = true;
    for (Index j = 0; j < cols; ++j) usable &= is_usable(row[j]);
    for (Index j = 0; j < cols && !usable; ++j) {
      const auto value = static_cast<double>(row[j]);
      if (is_usable(value)) continue;
      complain(i, table.columns[static_cast<std::size_t>(j)], value,
               std::isnan(value) ? "a finite number (" + advice_on_missing(rows_with_nan(table.x)) + ")"
                                 : std::string(expected_instead_of<T>(value)));
    }
  }
  for (std::size_t i = 0; i < table.weights.size(); ++i)
    if (const double w = table.weights[i]; !(w >= 0) || !std::isfinite(w))
      complain(static_cast<Index>(i), weights, w, "a weight, finite and at least 0");
}

}  // namespace

template <class T>
lloyd::Matrix<T> select(const lloyd::Matrix<T>& x, const std::vector<Index>& places) {
  lloyd::Matrix<T> selected(x.rows(), places.size());
  for (Index i = 0; i < x.rows(); ++i) {
    T* to = selected.row(i);
    for (const Index place : places) *to++ = x(i, place);
  }
  return selected;
}

std::string place_of(const fs::path& file, Index first_line, Index row, Index column) {
  return lloyd::detail::text(file.string(), first_line != 0 ? ": line " : ": row ",
                             row + (std::max)(first_line, Index{1}), ", column ", column);
}

void require_file(const fs::path& path, const char* reason) {
  std::error_code missing;  // which the reader says
  if (fs::is_other(path, missing)) refuse(path.string(), " is a pipe or a device, expected a file: ", reason);
}

bool reads_double(const RowsArguments& rows) {
  const Format format = format_of_rows(rows.path);
  if (is_text(format)) return rows.use_double;
  if (format == Format::npy) require_file(rows.path, "the header of a .npy is read first, to learn its type");
  const bool holds_double = format == Format::npy && lloyd::npy_scalar(rows.path) == lloyd::NpyScalar::float64;
  if (rows.use_double && !holds_double) {
    static_cast<void>(lloyd::detail::open_to_read(rows.path, {"read_fvecs", rows.path.string()}));
    refuse("--double: \"", rows.path.string(), "\" holds float32");
  }
  return holds_double;
}

template <class T>
Table<T> read_table(const RowsArguments& given, bool checked) {
  const Format format = format_of_rows(given.path);
  RowsArguments rows = given;
  std::optional<Reopened> reopened;
  if (is_text(format) && given.copy.empty()) rows.copy = reopened.emplace(given.path).path();
  Choice choice;
  try {
    choice = choose_columns(rows, format);
  } catch (const lloyd::BackendError& error) {  // of line 1, where names are looked for
    refuse(explained(error.what(), rows, choice.csv_options(rows, format), 0));
  }
  auto table = is_text(format) ? read_text<T>(rows, format, choice) : read_binary<T>(rows, format, choice);
  if (choice.weights != 0) split_weights(table, choice.weights, rows.path);
  reorder(table, choice.columns);
  if (table.x.cols() == 0) refuse(rows.path.string(), ": no column is left");
  if (checked) check_values(table, rows.path, choice.weights);
  return table;
}

template lloyd::Matrix<float> select(const lloyd::Matrix<float>& x, const std::vector<Index>& places);
template lloyd::Matrix<double> select(const lloyd::Matrix<double>& x, const std::vector<Index>& places);
template Table<float> read_table(const RowsArguments& given, bool checked);
template Table<double> read_table(const RowsArguments& given, bool checked);

}  // namespace program
