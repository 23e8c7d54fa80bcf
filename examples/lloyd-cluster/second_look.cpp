// SPDX-License-Identifier: MIT
#include "second_look.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string_view>
#include <system_error>

#include "spelling.hpp"

namespace program {
namespace {

/// Counts the marks in a number.
void count_marks(Fields& column, const std::string& field, Kind kind) {
  if (kind == Kind::number) {
    const std::string_view text = std::string_view(field).substr(field.starts_with('-') || field.starts_with('+'));
    if (text.find('.') != std::string_view::npos)
      ++(is_grouped(text, '.') ? column.point_groups : column.decimal_points);
  } else if (const auto spelled = spelled_number(field)) {
    const bool point = spelled->plain.find('.') != std::string::npos;
    if (spelled->decimal_comma && !spelled->ambiguous) ++column.decimal_commas;
    if (spelled->thousands == ',') ++column.comma_groups;
    if (spelled->thousands == '.') ++column.point_groups;
    if (spelled->thousands == '.' && spelled->decimal_comma) ++column.both;
    if (point && !spelled->decimal_comma && !spelled->half_changed) ++column.decimal_points;
  }
}

/// Counts the fields of a row.
void count(SecondLook& look, const std::vector<std::string>& fields) {
  bool has_missing = false;
  for (std::size_t j = 0; j < (std::min)(fields.size(), look.columns.size()); ++j) {
    if (!look.wanted[j]) continue;
    const Kind kind = kind_of(fields[j]);
    Fields& column = look.columns[j];
    ++(kind == Kind::number    ? column.numbers
       : kind == Kind::spelled ? column.spelled
       : kind == Kind::missing ? column.missing
                               : column.text);
    count_marks(column, fields[j], kind);
    has_missing = has_missing || kind == Kind::missing;
  }
  look.missing_rows += has_missing ? 1 : 0;
}

void read(SecondLook& look, Place place, const RowsArguments& rows, const lloyd::CsvOptions& options) {
  const lloyd::detail::Origin origin{"read_csv", rows.path.string()};
  auto in = lloyd::detail::open_to_read(rows.opened(), origin);
  lloyd::detail::LineReader lines(in, origin);
  const lloyd::detail::RowParser parser(options.separator, origin);
  for (std::string_view line; lines.next(line);) {
    const bool is_first = lines.number() == 1;
    if (!is_first && parser.is_blank(line)) return;
    auto fields = parser.split(line, lines.number());
    if (is_first) {
      look.first = fields;
      if (place.column == 0) return;
      look.wanted = lloyd::detail::wanted_columns(fields.size(), options, origin);
      look.columns.resize(fields.size());
      if (place.line != 1 && lloyd::detail::is_header(fields, look.wanted, options.header)) continue;
    }
    count(look, fields);
    if (lines.number() == place.line) look.field = fields.at(static_cast<std::size_t>(place.column - 1));
  }
}

}  // namespace

Fields SecondLook::marks() const {
  Fields all;
  for (const Fields& column : columns) {
    all.decimal_commas += column.decimal_commas;
    all.comma_groups += column.comma_groups;
    all.decimal_points += column.decimal_points;
    all.point_groups += column.point_groups;
    all.both += column.both;
  }
  return all;
}

std::vector<std::string> first_lines(const RowsArguments& rows, std::size_t most) {
  constexpr std::size_t most_bytes = std::size_t{1} << 18;
  const lloyd::detail::Origin origin{"read_csv", rows.path.string()};
  auto in = lloyd::detail::open_to_read(rows.opened(), origin);
  lloyd::detail::LineReader lines(in, origin);
  std::vector<std::string> found;
  std::size_t bytes = 0;
  for (std::string_view line; found.size() < most && bytes < most_bytes && lines.next(line);) {
    found.emplace_back(line);
    bytes += line.size();
  }
  return found;
}

SecondLook look_again(Place place, const RowsArguments& rows, const lloyd::CsvOptions& options) {
  SecondLook look;
  std::error_code ignored;
  try {
    if (!fs::is_regular_file(rows.opened(), ignored)) return look;
    look.lines = first_lines(rows, 1000);
    read(look, place, rows, options);
  } catch (const std::exception&) {  // a later line is damaged, too
  }
  return look;
}

}  // namespace program
