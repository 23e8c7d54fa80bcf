// SPDX-License-Identifier: MIT
#include "second_look.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <string_view>
#include <system_error>

namespace program {
namespace {

constexpr std::string_view digits = "0123456789";

/// Whether digits stand in groups of three behind a first one of one to three.
bool is_grouped(std::string_view text, char between) {
  for (bool first = true;; first = false) {
    const std::size_t length = (std::min)(text.find(between), text.size());
    if (length > 3 || length == 0 || (!first && length != 3)) return false;
    if (length == text.size()) return true;
    text.remove_prefix(length + 1);
  }
}

enum class Kind { number, spelled, missing, text };

Kind kind_of(const std::string& field) {
  if (lloyd::detail::RowParser::holds_nothing({field}, {true})) return Kind::missing;
  const char* const last = field.data() + field.size();
  const auto parsed = lloyd::detail::parse_number<double>(field.data(), last);
  if (parsed.kind == lloyd::detail::Parse::no_number || parsed.end != last)
    return spelled_number(field) ? Kind::spelled : Kind::text;
  return std::isnan(parsed.value) ? Kind::missing : Kind::number;
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
      look.first_line = line;
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

std::optional<Spelled> spelled_number(const std::string& field) {
  std::string_view text = field;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t first = text.find_first_not_of(digits), last = text.find_last_not_of(digits);
  if (first == 0 || first == std::string_view::npos || last + 1 == text.size()) return std::nullopt;
  if (text.find_first_not_of("0123456789.,") != std::string_view::npos) return std::nullopt;
  Spelled spelled{field};
  const char point = text[last];
  if (first != last) {  // with groups of thousands; the last mark may be the decimal point, which stands once
    spelled.thousands = text[first];
    const bool has_point = point != spelled.thousands;
    const std::string_view groups = has_point ? text.substr(0, last) : text;
    if (groups.find(point) < groups.size() && has_point) return std::nullopt;
    if (!is_grouped(groups, spelled.thousands)) return std::nullopt;
    std::erase(spelled.plain, spelled.thousands);
  } else if (point == '.') {
    return std::nullopt;
  }
  std::replace(spelled.plain.begin(), spelled.plain.end(), ',', '.');
  return spelled;
}

SecondLook look_again(Place place, const RowsArguments& rows, const lloyd::CsvOptions& options) {
  SecondLook look;
  std::error_code ignored;
  try {
    if (fs::is_regular_file(rows.opened(), ignored)) read(look, place, rows, options);
  } catch (const std::exception&) {  // a later line is damaged, too
  }
  return look;
}

}  // namespace program
