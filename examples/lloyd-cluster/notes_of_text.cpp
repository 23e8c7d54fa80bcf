// SPDX-License-Identifier: MIT
#include "notes_of_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <exception>
#include <string_view>
#include <system_error>

#include "format.hpp"
#include "spelling.hpp"

namespace program {
namespace {

using lloyd::Index;
using Fields = std::vector<std::string>;

/// Whether all fields of a line stand in quotes, or none: as many quotes as a line of so many fields has.
bool has_quotes(const std::string& line, std::size_t quotes) {
  return static_cast<std::size_t>(std::count(line.begin(), line.end(), '"')) == quotes;
}

/// A field that is a whole number.
std::optional<Index> whole(const std::string& field) {
  Index number = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  return error == std::errc() && end == field.data() + field.size() ? std::optional(number) : std::nullopt;
}

/// Whether fields are numbers in equal steps: three at least, or two years that follow each other.
bool is_sequence(const Fields& fields) {
  const auto first = whole(fields[0]), second = fields.size() < 2 ? std::nullopt : whole(fields[1]);
  if (!first || !second || *first == *second) return false;
  const bool years = *second - *first == 1 && *first >= 1900 && *second <= 2100;
  for (std::size_t j = 2; j < fields.size(); ++j) {
    const auto last = whole(fields[j - 1]), next = whole(fields[j]);
    if (!last || !next || *next - *last != *second - *first) return false;
  }
  return fields.size() > 2 || years;
}

double value_of(const std::string& field) {
  return lloyd::detail::parse_number<double>(field.data(), field.data() + field.size()).value;
}

}  // namespace

Beginning::Beginning(const Fields& lines, const std::vector<Index>& columns, bool named, const RowsArguments& rows)
    : named_(named) {
  const lloyd::detail::Origin origin{"read_csv", rows.path.string()};
  const lloyd::detail::RowParser parser(separator_of(format_of_rows(rows.path), rows.separator), origin);
  try {
    for (std::size_t i = 0; i < lines.size() && !parser.is_blank(lines[i]); ++i) {
      const Fields all = parser.split(lines[i], static_cast<Index>(i) + 1);
      Fields fields;
      for (const Index column : columns) fields.push_back(all.at(static_cast<std::size_t>(column - 1)));
      if (i == 0) first_ = fields, quoted_ = has_quotes(lines[0], 2 * all.size());
      if (i == 1) quoted_ = quoted_ && has_quotes(lines[1], 0);
      if (i > 0 || !named) rows_.push_back(std::move(fields));
    }
  } catch (const std::exception&) {  // of a field that is left out
  }
  quoted_ = quoted_ && lines.size() > 1;
}

std::string Beginning::on_first_line(lloyd::CsvHeader header) const {
  if (first_.empty() || rows_.size() < 2) return "";
  if (named_ && header == lloyd::CsvHeader::yes) {
    const auto found = std::find_if(first_.begin(), first_.end(), [](const std::string& field) {
      return kind_of(field) == Kind::number && field.find('.') != std::string::npos;
    });
    return found == first_.end() ? ""
                                 : "line 1 holds " + *found + " and is taken for names; --header no takes it for a row";
  }
  if (named_ || header != lloyd::CsvHeader::automatic) return "";
  const std::string end = " and is taken for a row; --header yes takes it for names";
  if (is_sequence(first_)) return "line 1 goes from " + first_.front() + " to " + first_.back() + end;
  return quoted_ ? "line 1 stands in quotes, line 2 does not," + end : "";
}

std::string Beginning::grouped(std::size_t column) const {
  std::string found;
  std::size_t count = 0, others = 0;
  for (const Fields& fields : rows_) {
    std::string_view text = fields[column];
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (is_grouped(text, '.')) {
      if (count++ == 0) found = fields[column];
    } else if (const auto number = whole(std::string(text)); number && *number < 1000) {
      ++others;
    } else {
      return "";
    }
  }
  return count > 1 && others > 0 ? found : "";
}

std::optional<std::pair<std::string, std::string>> Beginning::two_of(std::size_t column) const {
  for (const Fields& fields : rows_)
    if (value_of(fields[column]) != value_of(rows_.front()[column])) return {{rows_.front()[column], fields[column]}};
  return std::nullopt;
}

}  // namespace program
