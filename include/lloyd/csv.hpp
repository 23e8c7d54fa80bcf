// SPDX-License-Identifier: MIT
/// @file
/// Tables of numbers as text: read as a matrix, and centroids and labels written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lloyd/csv/row.hpp"
#include "lloyd/io/file.hpp"
#include "lloyd/io/number.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI {

/// Whether the first line holds the names of the columns.
enum class CsvHeader : std::uint8_t {
  automatic,  ///< it does if no field of it is a number, and not all are missing values (empty, NA, null, ?, ...);
              ///< names such as these or "1990" need `yes`
  yes,        ///< it does
  no,         ///< it does not
};

/// The columns `first` to `last` of a file, numbered from 1 as in messages; one column unless `last` is given.
struct CsvColumns {
  Index first = 1;     ///< from 1
  Index last = first;  ///< at least first
};

/// How a table is read and written.
struct CsvOptions {
  char separator = ',';                       ///< any character that no number, quote or line end contains
  CsvHeader header = CsvHeader::automatic;    ///< reading only
  std::vector<CsvColumns> columns = {};       ///< reading only: these, in the order of the file; none: all
  std::vector<CsvColumns> skip_columns = {};  ///< reading only: not these, which may hold text
};

/// A matrix and the names of its columns.
template <Real T = float>
struct CsvTable {
  Matrix<T> values;                     ///< n x d
  std::vector<std::string> names = {};  ///< one a column; none if there was no header
  std::vector<Index> columns = {};      ///< the number of each in the file, from 1
};

namespace detail {

/// Refuses a separator that would be taken for a part of a field.
inline void check_separator(const char* who, char separator) {
  const bool in_number = is_digit(separator) || (separator >= 'a' && separator <= 'z') ||
                         (separator >= 'A' && separator <= 'Z') || separator == '+' || separator == '-' ||
                         separator == '.' || separator == '_' || separator == '(' || separator == ')';
  demand(!in_number && separator != '"' && separator != '\n' && separator != '\r' && separator != '\0', who,
         ": separator ", excerpt({&separator, 1}), ", expected a character that no number, quote or line end contains");
}

/// For each column of a file, whether the options want it.
[[nodiscard]] inline std::vector<bool> wanted_columns(std::size_t count, const CsvOptions& options,
                                                      const Origin& origin) {
  std::vector<bool> wanted(count, options.columns.empty());
  const auto mark = [&](const std::vector<CsvColumns>& ranges, bool value) {
    for (const CsvColumns& range : ranges) {
      demand(1 <= range.first && range.first <= range.last, origin.who, ": columns ", range.first, " to ", range.last,
             ", expected 1 <= first <= last");
      if (std::cmp_greater(range.last, count)) {
        origin.refuse("column ", range.last, " is ", value ? "wanted" : "to be skipped", ", but line 1 has ", count,
                      count == 1 ? " column" : " columns");
      }
      std::fill(wanted.begin() + range.first - 1, wanted.begin() + range.last, value);
    }
  };
  mark(options.columns, true);
  mark(options.skip_columns, false);
  if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) {
    origin.refuse("every column that is wanted is to be skipped, but line 1 has ", count,
                  count == 1 ? " column" : " columns", ", expected one that is left");
  }
  return wanted;
}

/// Decides by the options, and by the fields where they leave it open.
[[nodiscard]] inline bool is_header(const std::vector<std::string>& fields, const std::vector<bool>& wanted,
                                    CsvHeader header) {
  if (header != CsvHeader::automatic) return header == CsvHeader::yes;
  return RowParser::holds_no_number(fields, wanted) && !RowParser::holds_nothing(fields, wanted);
}

template <Real T>
[[nodiscard]] CsvTable<T> read_csv_table(std::istream& in, const CsvOptions& options, const Origin& origin) {
  check_separator(origin.who.c_str(), options.separator);
  LineReader lines(in, origin);
  const RowParser parser(options.separator, origin);
  CsvTable<T> table;
  std::vector<T> values;
  std::vector<bool> wanted;  // a column; by the first line
  Index rows = 0, blank = 0;
  for (std::string_view line; lines.next(line);) {
    const Index number = lines.number();
    if (parser.is_blank(line)) {
      if (blank == 0) blank = number;
      continue;
    }
    // Leaving it out would number the rows after it anew.
    if (blank != 0) origin.refuse("line ", blank, " is blank, expected a row (blank lines may end the file)");
    if (number == 1) {
      auto fields = parser.split(line, number);
      wanted = wanted_columns(fields.size(), options, origin);
      const bool header = is_header(fields, wanted, options.header);
      for (std::size_t j = 0; j < fields.size(); ++j) {
        if (!wanted[j]) continue;
        table.columns.push_back(static_cast<Index>(j) + 1);
        if (header) table.names.push_back(std::move(fields[j]));
      }
      if (header) continue;
    }
    parser.append(line, number, wanted, values);
    ++rows;
  }
  if (lines.number() == 0) origin.refuse("the file is empty, expected rows of numbers");
  if (rows == 0 && table.names.empty()) origin.refuse("nothing but blank lines, expected rows of numbers");
  if (rows == 0)
    origin.refuse("a header of ", wanted.size(), wanted.size() == 1 ? " column" : " columns",
                  " and nothing below it, expected rows of numbers");
  table.values = to_matrix(values, rows, static_cast<Index>(table.columns.size()));
  return table;
}

/// A name as a field; quoted where it would not be read back otherwise.
[[nodiscard]] inline std::string csv_name(const std::string& name, char separator) {
  const bool plain = name.find_first_of(std::string("\"\r\n") + separator) == std::string::npos && !name.empty() &&
                     name.front() != ' ' && name.front() != '\t' && name.back() != ' ' && name.back() != '\t';
  if (plain) return name;
  std::string out = "\"";
  for (const char c : name) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

/// The names of columns as the first line of a file; empty for none.
[[nodiscard]] inline std::string csv_header(const std::vector<std::string>& names, Index cols,
                                            const CsvOptions& options) {
  check_separator("write_csv", options.separator);
  demand(names.empty() || std::cmp_equal(names.size(), cols), "write_csv: ", names.size(), " names, expected ", cols,
         " as the matrix has columns, or none");
  std::string line;
  for (std::size_t j = 0; j < names.size(); ++j) {
    demand(names[j].find_first_of("\r\n") == std::string::npos, "write_csv: name ", j + 1, " ", excerpt(names[j]),
           " holds the end of a line");
    if (j != 0) line += options.separator;
    line += csv_name(names[j], options.separator);
  }
  if (!names.empty()) line += '\n';
  return line;
}

template <Real T>
void write_csv_rows(OutputFile& file, MatrixView<const T> x, char separator) {
  std::string line;
  for (Index i = 0; i < x.rows(); ++i) {
    line.clear();
    for (Index j = 0; j < x.cols(); ++j) {
      if (j != 0) line += separator;
      append_number(line, x(i, j));
    }
    file.write(line += '\n');
  }
}

inline void write_csv_labels(OutputFile& file, std::span<const Label> labels) {
  std::string line;
  for (const Label label : labels) {
    line.clear();
    append_number(line, label);
    file.write(line += '\n');
  }
}

}  // namespace detail

/// Reads a table of numbers and the names of its columns.
///
/// Lines end with LF or CRLF, the last one need not; a UTF-8 byte order mark, blanks around fields, blank lines at the
/// end, a leading plus and quotes around fields are accepted. A number is rounded once, to the nearest T, in any
/// locale; what is too small for T is 0. `nan` and `inf` are read as such, so that KMeans refuses them by row and
/// column. Columns that the options leave out may hold anything, with quotes around what contains a separator.
/// @throws BackendError for a file that cannot be read, one of UTF-16 or of no text, an empty one, a header with
/// nothing
///         below it, a blank line between rows, a line of another number of columns, and a field that is no number or
///         too large for T; the message names the line and the column; for columns that line 1 has not, and where none
///         is left.
///         InvalidArgument for a bad separator and for columns that are not 1 <= first <= last.
/// Memory: twice the matrix while it reads.
template <Real T = float>
[[nodiscard]] CsvTable<T> read_csv_table(const std::filesystem::path& path, const CsvOptions& options = {}) {
  const detail::Origin origin{"read_csv", path.string()};
  auto in = detail::open_to_read(path, origin);
  return detail::read_csv_table<T>(in, options, origin);
}

/// The same from a stream, read to its end; `name` stands for it in messages.
template <Real T = float>
[[nodiscard]] CsvTable<T> read_csv_table(std::istream& in, const CsvOptions& options = {},
                                         std::string_view name = "stream") {
  const detail::SilentStream silent(in);
  return detail::read_csv_table<T>(in, options, {"read_csv", std::string(name)});
}

/// Reads a table of numbers. @see read_csv_table, which also gives the names of the columns
template <Real T = float>
[[nodiscard]] Matrix<T> read_csv(const std::filesystem::path& path, const CsvOptions& options = {}) {
  return read_csv_table<T>(path, options).values;
}

/// The same from a stream, read to its end.
template <Real T = float>
[[nodiscard]] Matrix<T> read_csv(std::istream& in, const CsvOptions& options = {}, std::string_view name = "stream") {
  return read_csv_table<T>(in, options, name).values;
}

/// Writes a matrix as text, each number in the fewest digits that read back as the same bits.
///
/// The file appears whole or not at all: it is written beside its place and renamed.
/// @param path     .csv or another name; what is there is replaced
/// @param x        n x d
/// @param names    of the columns, written as the first line; none for no such line
/// @param options  only the separator counts
/// @throws BackendError if the file cannot be written; InvalidArgument for a bad separator, for names of another number
///         than columns, and for a name that holds the end of a line
template <MatrixLike X>
void write_csv(const std::filesystem::path& path, const X& x, const std::vector<std::string>& names = {},
               const CsvOptions& options = {}) {
  const auto view = MatrixTraits<X>::view(x);
  const std::string header = detail::csv_header(names, view.cols(), options);
  detail::OutputFile file(path, "write_csv");
  file.write(header);
  detail::write_csv_rows(file, view, options.separator);
  file.commit();
}

/// Writes labels, one a line; whole or not at all. @throws BackendError if the file cannot be written
inline void write_csv(const std::filesystem::path& path, std::span<const Label> labels) {
  detail::OutputFile file(path, "write_csv");
  detail::write_csv_labels(file, labels);
  file.commit();
}

}  // namespace lloyd::inline LLOYD_ABI
