// SPDX-License-Identifier: MIT
#include "hints.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <vector>

#include "errors.hpp"
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

/// Another character that may separate the columns of a text; 0: none.
char other_separator(std::string_view text, char separator) {
  for (const char c : {';', '\t', '|', ',', ' '})
    if (c != separator && text.find(c) != std::string_view::npos) return c;
  return 0;
}

std::string hint_of_separator(bool of_number, const SecondLook& found, char separator) {
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

/// What leaves out these columns beside those that are left out already.
std::string skipping(const std::vector<Index>& columns, const RowsArguments& rows) {
  return "--skip-columns " + (rows.skip_columns ? *rows.skip_columns + "," : "") + ranges_of(columns);
}

/// What to do about columns of text.
std::string hint_of_text(const SecondLook& found, Place place, const RowsArguments& rows, Index weights) {
  const bool named = place.line == 1 && found.first.size() > 1;
  const std::string header = named ? "--header yes takes line 1 for names, " : "";
  const std::string separator = named ? "" : ", --separator says what separates columns";
  std::vector<Index> columns;
  Index others = 0;
  for (std::size_t j = 0; j < found.columns.size(); ++j) {
    const auto number = static_cast<Index>(j) + 1;
    if (!found.wanted[j] || number == weights) continue;
    const bool useless = found.columns[j].is_text() || found.columns[j].is_empty();
    useless ? columns.push_back(number) : static_cast<void>(++others);
  }
  if (columns.empty() || others == 0 || rows.columns)
    return " (" + header + "--skip-columns leaves a column of text out" + separator + ")";
  return " (" + header + skipping(columns, rows) +
         (columns.size() == 1 ? " leaves the column" : " leaves the columns") + " of text out" + separator + ")";
}

/// What to do about a field that is no number.
std::string hint_of_field(const SecondLook& found, Place place, char separator, const RowsArguments& rows,
                          Index weights) {
  if (rows.of_centroids) return " (a file of centroids holds numbers alone, below names or none)";
  if (place.column == weights) return " (it is in the column of --weights)";
  const auto at = static_cast<std::size_t>(place.column - 1);
  if (at >= found.columns.size()) return "";
  const Fields& column = found.columns[at];
  const bool missing = lloyd::detail::RowParser::holds_nothing({found.field}, {true});
  if (missing && !column.is_text()) {
    if (column.is_empty() && !rows.columns)
      return " (column " + std::to_string(place.column) + " is empty: " + skipping({place.column}, rows) +
             " leaves it out)";
    const bool named = place.line == 1 && found.first.size() > 1;
    return std::string(" (") + (named ? "--header yes takes line 1 for names; " : "") +
           advice_on_missing(found.missing_rows) + ")";
  }
  if (const auto spelled = spelled_number(found.field)) {
    if (spelled->thousands != 0)
      return lloyd::detail::text(" (", spelled->thousands == '.' ? "points" : "commas",
                                 " between thousands? it is to be ", spelled->plain, ")");
    return std::string(" (a decimal comma? numbers are written with a point") +
           (separator == ',' ? ")" : ": tr , . changes all)");
  }
  if (!column.is_text() && place.line != 1)
    return lloyd::detail::text(" (column ", place.column, " has ", column.numbers + column.spelled, " numbers and ",
                               column.text, column.text == 1 ? " text" : " texts", ": mend or drop those rows first)");
  return hint_of_text(found, place, rows, weights);
}

std::string hint_of(std::string_view complaint, Place place, const SecondLook& found, char separator,
                    const RowsArguments& rows, Index weights) {
  const bool of_number = complaint.ends_with("expected a number");
  const bool of_columns = complaint.ends_with(" as in the first line") || complaint.starts_with("every column ") ||
                          complaint.starts_with("column ");
  if (complaint.ends_with("is not closed on its line")) return " (a field with a line break is not read)";
  if (!of_number && !of_columns) return "";
  if (found.first_line.starts_with("sep=")) return " (line 1 is a note of Excel: tail -n +2 leaves it out)";
  if (found.first_line.find('\r') != std::string::npos)
    return " (line 1 holds a carriage return: tr '\\r' '\\n' if that ends lines)";
  if (!rows.separator)
    if (std::string hint = hint_of_separator(of_number, found, separator); !hint.empty()) return hint;
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
