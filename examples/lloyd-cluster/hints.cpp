// SPDX-License-Identifier: MIT
#include "hints.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include "errors.hpp"

namespace program {
namespace {

using lloyd::Index;

/// The line and the column that a complaint begins with; 0: it names none.
struct Place {
  Index line = 0, column = 0;
};

Place place_of(std::string_view complaint) {
  const auto take = [&](std::string_view before) {
    Index number = 0;
    if (!complaint.starts_with(before)) return number;
    complaint.remove_prefix(before.size());
    const auto result = std::from_chars(complaint.data(), complaint.data() + complaint.size(), number);
    complaint.remove_prefix(static_cast<std::size_t>(result.ptr - complaint.data()));
    return number;
  };
  Place place;
  place.line = take("line ");
  place.column = place.line == 0 ? 0 : take(", column ");
  return place;
}

/// What a second look at a file finds.
struct Found {
  std::string first_line, field;  // the field at the place
  std::size_t columns = 0;        // of line 1
  bool missing = false;           // whether the field is what tables write for a missing value
  Index missing_rows = 0;         // from that line on
};

bool is_missing(const std::string& field) { return lloyd::detail::RowParser::holds_nothing({field}, {true}); }

void look(Found& found, Place place, const RowsArguments& rows, const lloyd::CsvOptions& options) {
  const lloyd::detail::Origin origin{"read_csv", rows.path.string()};
  auto in = lloyd::detail::open_to_read(rows.opened(), origin);
  lloyd::detail::LineReader lines(in, origin);
  const lloyd::detail::RowParser parser(options.separator, origin);
  std::vector<bool> wanted;
  for (std::string_view line; lines.next(line);) {
    if (lines.number() == 1) {
      found.first_line = line;
      found.columns = parser.split(line, 1).size();
      if (place.column != 0) wanted = lloyd::detail::wanted_columns(found.columns, options, origin);
    }
    if (lines.number() < place.line) continue;
    if (wanted.empty() || parser.is_blank(line)) return;
    const auto fields = parser.split(line, lines.number());
    if (lines.number() == place.line) {
      found.field = fields.at(static_cast<std::size_t>(place.column - 1));
      found.missing = is_missing(found.field);
      if (!found.missing) return;
    }
    for (std::size_t j = 0; j < (std::min)(fields.size(), wanted.size()); ++j) {
      if (!wanted[j] || !is_missing(fields[j])) continue;
      ++found.missing_rows;
      break;
    }
  }
}

/// Whether the text is digits, one comma, digits.
bool has_decimal_comma(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto comma = text.find(',');
  return comma != 0 && comma != std::string_view::npos && comma + 1 != text.size() &&
         text.find_first_not_of("0123456789,") == std::string_view::npos &&
         text.find(',', comma + 1) == std::string_view::npos;
}

/// What stands between groups of digits of a text, as in 1.234.567 or 1,234.50; empty: nothing.
std::string_view between_thousands(std::string_view text) {
  if (text.find_first_not_of("0123456789.,-+") != std::string_view::npos) return "";
  const auto point = text.find('.'), comma = text.find(',');
  if (point != std::string_view::npos && comma != std::string_view::npos) return point < comma ? "points" : "commas";
  if (point != text.rfind('.')) return "points";
  return comma != text.rfind(',') ? "commas" : "";
}

/// Another character that may separate the columns of a text; empty: none.
std::string other_separator(std::string_view text, char separator) {
  for (const char c : {';', '\t', '|', ','})
    if (c != separator && text.find(c) != std::string_view::npos) return c == '\t' ? "tab" : std::string(1, c);
  return "";
}

std::string hint_of(std::string_view complaint, const Found& found, char separator, bool separator_given) {
  const bool of_number = complaint.ends_with("expected a number");
  const bool of_columns = complaint.ends_with(" as in the first line") || complaint.starts_with("every column ") ||
                          complaint.starts_with("column ");
  if (!of_number && !of_columns) return "";
  if (!separator_given) {
    const bool alone = found.columns == 1;
    const std::string other = other_separator(alone ? found.first_line : of_number ? found.field : "", separator);
    const std::string what = other == "tab" ? "a tab" : "\"" + other + "\"";
    const bool numbers = found.field.find_first_not_of("0123456789.,;\t+-eE ") == std::string::npos;
    if (!other.empty() && (alone || (numbers && other != ",")))
      return lloyd::detail::text(" (", alone ? "line 1 has 1 column and holds " : "it holds ", what, ": --separator '",
                                 other, "' if that separates columns)");
  }
  if (!of_number) return "";
  if (found.missing) return " (" + advice_on_missing(found.missing_rows) + ")";
  if (const auto marks = between_thousands(found.field); !marks.empty())
    return lloyd::detail::text(" (", marks, " between thousands? they are left out, and the decimal point is a point)");
  if (has_decimal_comma(found.field)) return " (a decimal comma? numbers are written with a point)";
  if (complaint.starts_with("line 1,") && found.columns > 1)
    return " (--skip-columns leaves a column of text out, --header yes takes line 1 for names)";
  return " (--skip-columns leaves a column of text out, --separator says what separates columns)";
}

}  // namespace

std::string advice_on_missing(Index rows) {
  std::string advice = "missing values are refused: fill or drop those rows first";
  if (rows > 0) advice += lloyd::detail::text("; ", rows, rows == 1 ? " row has one" : " rows have one");
  return advice;
}

std::string explained(const std::string& complaint, const RowsArguments& rows, const lloyd::CsvOptions& options) {
  const std::string before = "lloyd::read_csv: " + rows.path.string() + ": ";
  std::string own = in_own_words(complaint);
  if (!complaint.starts_with(before)) return own;
  const std::string_view rest = std::string_view(complaint).substr(before.size());
  Found found;
  std::error_code ignored;
  try {
    if (fs::is_regular_file(rows.opened(), ignored)) look(found, place_of(rest), rows, options);
  } catch (const std::exception&) {  // a later line is damaged, too: the hint is of what was found
  }
  return own + hint_of(rest, found, options.separator, rows.separator.has_value());
}

}  // namespace program
