// SPDX-License-Identifier: MIT
#include "hints.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>
#include <vector>

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
  std::vector<std::string> first;   // the fields of line 1
  std::string first_line, field;    // the field at the place
  std::vector<Index> text_columns;  // of the line of the place: which fields are neither numbers nor missing
  bool missing = false;             // whether the field is what tables write for a missing value
  Index missing_rows = 0;           // of the whole file
};

enum class Kind { number, missing, text };

Kind kind_of(const std::string& field) {
  if (lloyd::detail::RowParser::holds_nothing({field}, {true})) return Kind::missing;
  const char* const last = field.data() + field.size();
  const auto parsed = lloyd::detail::parse_number<double>(field.data(), last);
  if (parsed.kind == lloyd::detail::Parse::no_number || parsed.end != last) return Kind::text;
  return std::isnan(parsed.value) ? Kind::missing : Kind::number;
}

/// Finds what is to be said of the line of the place.
void look_at(Found& found, Place place, const std::vector<std::string>& fields, const std::vector<bool>& wanted) {
  found.field = fields.at(static_cast<std::size_t>(place.column - 1));
  found.missing = kind_of(found.field) == Kind::missing;
  for (std::size_t j = 0; j < (std::min)(fields.size(), wanted.size()); ++j)
    if (wanted[j] && kind_of(fields[j]) == Kind::text) found.text_columns.push_back(static_cast<Index>(j) + 1);
}

/// Reads the file again: to its end where the field at the place is missing.
void look(Found& found, Place place, const RowsArguments& rows, const lloyd::CsvOptions& options) {
  const lloyd::detail::Origin origin{"read_csv", rows.path.string()};
  auto in = lloyd::detail::open_to_read(rows.opened(), origin);
  lloyd::detail::LineReader lines(in, origin);
  const lloyd::detail::RowParser parser(options.separator, origin);
  std::vector<bool> wanted;
  for (std::string_view line; lines.next(line);) {
    if (lines.number() != 1 && (wanted.empty() || parser.is_blank(line))) return;
    const auto fields = parser.split(line, lines.number());
    bool header = false;
    if (lines.number() == 1) {
      found.first_line = line;
      found.first = fields;
      if (place.column != 0) wanted = lloyd::detail::wanted_columns(fields.size(), options, origin);
      header = place.line != 1 && !wanted.empty() && lloyd::detail::is_header(fields, wanted, options.header);
    }
    if (lines.number() == place.line && place.column != 0) {
      look_at(found, place, fields, wanted);
      if (!found.missing) return;
    }
    for (std::size_t j = 0; j < (std::min)(fields.size(), wanted.size()) && !header; ++j) {
      if (!wanted[j] || kind_of(fields[j]) != Kind::missing) continue;
      ++found.missing_rows;
      break;
    }
  }
}

/// Numbers as a list of columns is written: 2-4,7.
std::string ranges_of(const std::vector<Index>& numbers) {
  std::string list;
  for (std::size_t first = 0, last = 0; first < numbers.size(); first = ++last) {
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    list += lloyd::detail::text(list.empty() ? "" : ",", numbers[first]);
    if (last != first) list += lloyd::detail::text("-", numbers[last]);
  }
  return list;
}

/// Whether the text is digits, one comma, digits.
bool has_decimal_comma(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto comma = text.find(',');
  return comma != 0 && comma != std::string_view::npos && comma + 1 != text.size() &&
         text.find_first_not_of("0123456789,") == std::string_view::npos &&
         text.find(',', comma + 1) == std::string_view::npos;
}

/// What stands between groups of digits of a text, as in 1.234.567 or 1,234.50; 0: nothing.
char between_thousands(std::string_view text) {
  if (text.find_first_not_of("0123456789.,-+") != std::string_view::npos) return 0;
  const auto point = text.find('.'), comma = text.find(',');
  if (point != std::string_view::npos && comma != std::string_view::npos) return point < comma ? '.' : ',';
  if (point != text.rfind('.')) return '.';
  return comma != text.rfind(',') ? ',' : '\0';
}

/// Digits as they are read: nothing between thousands, and a decimal point.
std::string plain_number(std::string text, char thousands) {
  std::erase(text, thousands);
  std::replace(text.begin(), text.end(), ',', '.');
  return text;
}

/// Another character that may separate the columns of a text; 0: none.
char other_separator(std::string_view text, char separator) {
  for (const char c : {';', '\t', '|', ',', ' '})
    if (c != separator && text.find(c) != std::string_view::npos) return c;
  return 0;
}

std::string hint_of_separator(bool of_number, const Found& found, char separator) {
  const bool alone = found.first.size() == 1;
  const char other = other_separator(alone ? found.first_line : of_number ? found.field : "", separator);
  const bool numbers = found.field.find_first_not_of("0123456789.,;\t+-eE ") == std::string::npos;
  if (other == 0 || !(alone || (numbers && other != ',' && other != ' '))) return "";
  const bool tab = other == '\t', blank = other == ' ';
  const std::string name = tab ? "tab" : blank ? "space" : std::string(1, other);
  return lloyd::detail::text(" (", alone ? "line 1 has 1 column and holds " : "it holds ",
                             tab     ? "a tab"
                             : blank ? "a blank"
                                     : "\"" + name + "\"",
                             ": --separator '", name, "' if that separates columns)");
}

/// What to do about columns of text.
std::string hint_of_text(const Found& found, bool of_line_1, const RowsArguments& rows) {
  const bool named = of_line_1 && found.first.size() > 1;
  const std::string header = named ? "--header yes takes line 1 for names, " : "";
  const std::string separator = named ? "" : ", --separator says what separates columns";
  const auto& columns = found.text_columns;
  if (columns.empty() || rows.columns)
    return " (" + header + "--skip-columns leaves a column of text out" + separator + ")";
  return lloyd::detail::text(" (", header, "--skip-columns ", rows.skip_columns ? *rows.skip_columns + "," : "",
                             ranges_of(columns), " leaves ", columns.size() == 1 ? "the column" : "the columns",
                             " of text out", separator, ")");
}

std::string hint_of(std::string_view complaint, const Found& found, char separator, const RowsArguments& rows) {
  const bool of_number = complaint.ends_with("expected a number");
  const bool of_columns = complaint.ends_with(" as in the first line") || complaint.starts_with("every column ") ||
                          complaint.starts_with("column ");
  if (complaint.ends_with("is not closed on its line")) return " (a field with a line break is not read)";
  if (!of_number && !of_columns) return "";
  if (found.first_line.find('\r') != std::string::npos)
    return " (line 1 holds a carriage return: tr '\\r' '\\n' if that ends lines)";
  if (!rows.separator)
    if (std::string hint = hint_of_separator(of_number, found, separator); !hint.empty()) return hint;
  if (complaint.starts_with("column ")) {
    const std::string number(complaint.substr(7, complaint.find(' ', 7) - 7));
    const bool is_name = std::find(found.first.begin(), found.first.end(), number) != found.first.end();
    return is_name ? " (quotes make a name of it: '\"" + number + "\"')" : "";
  }
  if (!of_number) return "";
  if (found.missing) return " (" + advice_on_missing(found.missing_rows) + ")";
  if (const char marks = between_thousands(found.field); marks != 0)
    return lloyd::detail::text(" (", marks == '.' ? "points" : "commas", " between thousands? it is to be ",
                               plain_number(found.field, marks), ")");
  if (has_decimal_comma(found.field))
    return std::string(" (a decimal comma? numbers are written with a point") +
           (separator == ',' ? ")" : ": tr , . changes all)");
  return hint_of_text(found, complaint.starts_with("line 1,"), rows);
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
  return own + hint_of(rest, found, options.separator, rows);
}

}  // namespace program
