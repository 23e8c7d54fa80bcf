// SPDX-License-Identifier: MIT
#include "hint_of_field.hpp"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "hints.hpp"
#include "spelling.hpp"

namespace program {
namespace {

using lloyd::Index;

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

/// Whether line 1 may be names that were taken for a row.
bool may_be_names(const SecondLook& found, Place place) { return place.line == 1 && found.first.size() > 1; }

/// What to do about columns of text.
std::string advice_on_text(const SecondLook& found, Place place, const RowsArguments& rows, Index weights) {
  const std::string rest = may_be_names(found, place) ? "; and --header yes if line 1 holds names"
                                                      : ", --separator says what separates columns";
  std::vector<Index> columns;
  Index others = 0;
  for (std::size_t j = 0; j < found.columns.size(); ++j) {
    const auto number = static_cast<Index>(j) + 1;
    if (!found.wanted[j] || number == weights) continue;
    const bool useless = found.columns[j].is_text() || found.columns[j].is_empty();
    useless ? columns.push_back(number) : static_cast<void>(++others);
  }
  if (columns.empty() || others == 0 || rows.columns) return "--skip-columns leaves a column of text out" + rest;
  return skipping(ranges_of(columns), rows) + (columns.size() == 1 ? " leaves the column" : " leaves the columns") +
         " of text out" + rest;
}

/// What to do about a missing value.
std::string advice_on_gap(const SecondLook& found, Place place, const RowsArguments& rows, bool skippable) {
  if (skippable && found.columns[static_cast<std::size_t>(place.column - 1)].is_empty())
    return lloyd::detail::text("column ", place.column, " is empty: ", skipping(std::to_string(place.column), rows),
                               " leaves it out");
  return (may_be_names(found, place) ? "--header yes if line 1 holds names; " : "") +
         advice_on_missing(found.missing_rows);
}

/// Whether the one comma of 4,516 stands between thousands: by its column, or else by the file.
bool stands_between_thousands(const Fields& column, const Fields& all, char separator) {
  if (column.decimal_commas > 0 || column.comma_groups > 0) return column.decimal_commas == 0;
  if (all.decimal_commas > 0 || all.comma_groups > 0) return all.decimal_commas == 0;
  return separator == ',' || all.decimal_points > 0;
}

/// The command that mends all numbers that are written so; or nothing, where it would spoil others.
std::string remedy_for(const Spelled& spelled, const Fields& all, char separator) {
  const bool commas = spelled.decimal_comma || all.decimal_commas > 0;
  const bool points = all.both > 0 || (all.point_groups > 0 && all.decimal_points == 0);
  if (spelled.half_changed) return ": tr -d . comes before tr , .";
  if (!spelled.sign.empty() || spelled.thousands == ' ' || spelled.thousands == '\'') return "";
  if (spelled.thousands == ',')
    return separator == ',' ? R"(: sed -E ':a;s/("-?[0-9]+),([0-9]{3})/\1\2/;ta' takes them out)"
                            : (commas ? "" : ": tr -d , takes them out");
  if (commas) return separator == ',' ? "" : points ? ": tr -d . | tr , . changes all" : ": tr , . changes all";
  return spelled.thousands == '.' && all.decimal_points == 0 ? ": tr -d . takes them out" : "";
}

/// What of a number no reader takes.
std::string obstacles_of(const Spelled& spelled) {
  std::vector<std::string> names;
  if (!spelled.sign.empty()) names.push_back(spelled.sign);
  if (spelled.thousands == '\'') names.emplace_back("apostrophes between thousands");
  if (spelled.thousands == ' ') names.emplace_back("blanks between thousands");
  if (spelled.thousands == '.') names.emplace_back("points between thousands");
  if (spelled.thousands == ',')
    names.emplace_back(spelled.ambiguous ? "a comma between thousands" : "commas between thousands");
  if (spelled.decimal_comma) names.emplace_back("a decimal comma");
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i)
    list += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  const bool certain = spelled.thousands == 0 && !spelled.decimal_comma;
  return list + (certain ? ";" : "?");
}

/// What to do about a number that is written otherwise.
std::string advice_on_spelling(Spelled spelled, const Fields& column, const Fields& all, char separator) {
  if (spelled.half_changed)
    return "points between thousands, before a comma that was changed to a point? it is to be " + spelled.plain +
           remedy_for(spelled, all, separator);
  std::string other;
  if (spelled.ambiguous) {
    const bool clear = column.decimal_commas > 0 || column.comma_groups > 0;
    const bool thousands = stands_between_thousands(column, all, separator);
    Spelled whole = spelled;
    whole.take_for_thousands();
    if (!clear) other = ", or " + (thousands ? spelled.plain + " if that is decimal" : whole.plain + " if it is not");
    if (thousands) spelled = std::move(whole);
  }
  std::string remedy = remedy_for(spelled, all, separator);
  if (!other.empty() && !remedy.empty()) remedy[0] = ';';
  return obstacles_of(spelled) + " it is to be " + spelled.plain + other + remedy;
}

}  // namespace

std::string hint_of_field(const SecondLook& found, Place place, char separator, const RowsArguments& rows,
                          Index weights) {
  const auto at = static_cast<std::size_t>(place.column - 1);
  if (at >= found.columns.size()) return "";
  const bool of_rows = rows.role == Role::rows, of_weights = place.column == weights;
  const Fields& column = found.columns[at];
  const Kind kind = kind_of(found.field);
  const auto in_brackets = [&](const std::string& advice) {
    return " (" + advice + (of_weights ? "; it is in the column of --weights)" : ")");
  };
  if (kind == Kind::missing && !column.is_text())
    return in_brackets(advice_on_gap(found, place, rows, of_rows && !of_weights && !rows.columns));
  if (const auto spelled = spelled_number(found.field))
    return in_brackets(advice_on_spelling(*spelled, column, found.marks(), separator));
  if (!of_rows) return " (a file of centroids holds numbers alone, below names or none)";
  if (!column.is_text() && place.line != 1)
    return in_brackets(lloyd::detail::text("column ", place.column, " has ",
                                           counted(column.numbers + column.spelled, "number"), " and ",
                                           counted(column.text, "text"), ": mend or drop those rows first"));
  if (of_weights) return " (it is in the column of --weights)";
  return " (" + advice_on_text(found, place, rows, weights) + ")";
}

}  // namespace program
