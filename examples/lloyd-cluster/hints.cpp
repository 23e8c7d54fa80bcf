// SPDX-License-Identifier: MIT
#include "hints.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>

#include "errors.hpp"
#include "hint_of_field.hpp"
#include "hint_of_lines.hpp"
#include "second_look.hpp"

namespace program {
namespace {

using lloyd::Index;

/// The place that a complaint begins with.
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

/// A separator as a message shows it, and as the option takes it.
std::string shown_separator(char c) {
  return c == '\t' ? "a tab" : c == ' ' ? "a blank" : "\"" + std::string(1, c) + "\"";
}
std::string option_separator(char c) {
  return "--separator '" + (c == '\t' ? "tab" : c == ' ' ? "space" : std::string(1, c)) + "'";
}

/// What to do if another character separates columns.
std::string remedy_of_separator(char other, const RowsArguments& rows, char separator) {
  if (rows.role == Role::colours) return ", expected " + shown_separator(separator) + " between colours)";
  return ": " + option_separator(other) +
         (rows.role == Role::rows ? " if that separates columns)"
                                  : " if that separates columns, here and in the rows)");
}

std::string hint_of_separator(bool of_number, const SecondLook& found, const RowsArguments& rows, char separator) {
  const bool alone = found.first.size() == 1;
  const char other = other_separator(alone ? found.first_line() : of_number ? found.field : "", separator);
  const bool numbers = found.field.find_first_not_of("0123456789.,;\t+-eE ") == std::string::npos;
  if (other == 0 || !(alone || (numbers && other != ',' && other != ' '))) return "";
  return (alone ? " (line 1 has 1 column and holds " : " (it holds ") + shown_separator(other) +
         remedy_of_separator(other, rows, separator);
}

/// Where something else than the separator follows a quote that closes.
std::string hint_of_quote(std::string_view complaint, Place place, const SecondLook& found, const RowsArguments& rows,
                          char separator) {
  const std::size_t before = complaint.find(": \"");
  if (rows.separator || before == std::string_view::npos || place.line < 1) return "";
  char other = complaint[before + 3];
  if (other == separator || std::string_view(";|,").find(other) == std::string_view::npos) {
    const auto line = static_cast<std::size_t>(place.line - 1);
    const bool tab = line < found.lines.size() && found.lines[line].find('\t') != std::string::npos;
    if (!tab && other != '"') return "";
    other = tab ? '\t' : ' ';
  }
  return " (it holds " + shown_separator(other) + remedy_of_separator(other, rows, separator);
}

std::string hint_of(std::string_view complaint, Place place, const SecondLook& found, char separator,
                    const RowsArguments& rows, Index weights) {
  const bool of_number = complaint.ends_with("expected a number");
  const bool of_columns = complaint.ends_with(" as in the first line") || complaint.starts_with("every column ") ||
                          complaint.starts_with("column ");
  const bool of_quote = complaint.ends_with(" follows the closing quote");
  const bool of_blank = complaint.find(" is blank, ") != std::string_view::npos;
  if (complaint.ends_with("is not closed on its line")) return " (a field with a line break is not read)";
  if (!of_number && !of_columns && !of_quote && !of_blank) return "";
  if (std::string hint = hint_of_lines(found.lines, rows.separator, separator); !hint.empty()) return hint;
  if (of_blank) return "";
  if (of_quote) return hint_of_quote(complaint, place, found, rows, separator);
  if (!rows.separator)
    if (std::string hint = hint_of_separator(of_number, found, rows, separator); !hint.empty()) return hint;
  if (complaint.starts_with("column ")) {
    const std::string number(complaint.substr(7, complaint.find(' ', 7) - 7));
    const bool is_name = std::find(found.first.begin(), found.first.end(), number) != found.first.end();
    return is_name ? " (quotes make a name of it: '\"" + number + "\"')" : "";
  }
  return of_number ? hint_of_field(found, place, separator, rows, weights) : "";
}

}  // namespace

std::string advice_on_missing(Index rows) {
  std::string advice = "missing values are refused: fill or drop those rows first";
  if (rows > 0) advice += lloyd::detail::text("; ", rows, rows == 1 ? " row has one" : " rows have one");
  return advice;
}

std::string skipping(const std::string& columns, const RowsArguments& rows) {
  return "--skip-columns " + shell_word((rows.skip_columns ? *rows.skip_columns + "," : "") + columns);
}

std::string explained(const std::string& complaint, const RowsArguments& rows, const lloyd::CsvOptions& options,
                      Index weights) {
  const std::string before = "lloyd::read_csv: " + rows.path.string() + ": ";
  std::string own = in_own_words(complaint);
  if (!complaint.starts_with(before)) return own;
  const std::string_view rest = std::string_view(complaint).substr(before.size());
  const Place place = place_of(rest);
  return own + hint_of(rest, place, look_again(place, rows, options), options.separator, rows, weights);
}

}  // namespace program
