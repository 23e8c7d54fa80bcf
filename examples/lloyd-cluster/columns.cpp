// SPDX-License-Identifier: MIT
#include "columns.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <system_error>

#include "errors.hpp"
#include "table.hpp"

namespace program {
namespace {

using lloyd::Index;
using Ranges = std::vector<lloyd::CsvColumns>;

/// A number from 1, or two with a hyphen between them, the second no less.
std::optional<lloyd::CsvColumns> parse_range(std::string_view item) {
  const char* at = item.data();
  const char* const last = at + item.size();
  const auto number = [&](Index& value) {
    const auto [end, error] = std::from_chars(at, last, value);
    at = end;
    return error == std::errc() && value > 0;
  };
  lloyd::CsvColumns range;
  if (!number(range.first)) return std::nullopt;
  range.last = range.first;
  if (at != last && (*at++ != '-' || !number(range.last) || range.last < range.first)) return std::nullopt;
  return at == last ? std::optional(range) : std::nullopt;
}

/// What stands between commas, as in a line of a .csv: without the blanks around it, in quotes where it holds a comma.
/// Empty if that cannot be.
std::vector<std::string> items_of(const std::string& list) {
  const lloyd::detail::Origin origin{"columns", list};
  try {
    return lloyd::detail::RowParser(',', origin).split(list, 1);
  } catch (const lloyd::BackendError&) {  // of quotes
    return {};
  }
}

/// Line 1 of a file of rows, read when a name is looked for.
class Names {
 public:
  Names(const RowsArguments& rows, Format format) : rows_(rows), format_(format) {}

  /// Whether line 1 may hold names.
  [[nodiscard]] bool possible() const { return is_text(format_) && rows_.header != lloyd::CsvHeader::no; }
  [[nodiscard]] const std::vector<std::string>& fields() {
    if (read_) return fields_;
    const lloyd::detail::Origin origin{"read_csv", rows_.path.string()};
    const char separator = separator_of(format_, rows_.separator);
    lloyd::detail::check_separator(origin.who.c_str(), separator);
    auto in = lloyd::detail::open_to_read(rows_.opened(), origin);
    lloyd::detail::LineReader lines(in, origin);
    std::string_view line;
    if (lines.next(line)) fields_ = lloyd::detail::RowParser(separator, origin).split(line, 1);
    read_ = true;
    return fields_;
  }

  /// Whether it holds names, as far as these columns say.
  [[nodiscard]] bool are_names(const std::vector<bool>& wanted) {
    return possible() && lloyd::detail::is_header(fields(), wanted, rows_.header);
  }
  [[nodiscard]] bool are_names() { return are_names(std::vector<bool>(fields().size(), true)); }

  /// The number of the column of that name among those that are wanted (empty: all); 0: there is none, -1: several.
  [[nodiscard]] Index number_of(std::string_view name, const std::vector<bool>& wanted = {}) {
    Index found = 0;
    for (std::size_t j = 0; j < fields().size(); ++j) {
      if (fields_[j] != name || (!wanted.empty() && !wanted[j])) continue;
      if (found != 0) return -1;
      found = static_cast<Index>(j) + 1;
    }
    return found;
  }
  /// The same for a name that an option gave. @throws std::runtime_error where there are several
  [[nodiscard]] Index number_of(std::string_view name, const std::string& complaint) {
    const Index number = number_of(name);
    if (number < 0) refuse(complaint, " is the name of more than one column of ", file(), ", expected a number from 1");
    return number;
  }

  [[nodiscard]] std::vector<std::string> read_fields(const std::vector<bool>& read) {
    std::vector<std::string> wanted;
    for (std::size_t j = 0; j < fields().size(); ++j)
      if (read[j]) wanted.push_back(fields()[j]);
    return wanted;
  }

  /// The first names, for a message.
  [[nodiscard]] std::string listed() {
    constexpr std::size_t most = 8;
    std::string list;
    for (std::size_t j = 0; j < (std::min)(most, fields().size()); ++j)
      list += (j == 0 ? "" : ", ") + lloyd::detail::csv_name(fields()[j], ',');
    return fields().size() > most ? list + ", ..." : list;
  }
  [[nodiscard]] std::string file() const { return rows_.path.string(); }

 private:
  const RowsArguments& rows_;
  Format format_;
  bool read_ = false;
  std::vector<std::string> fields_;
};

/// The columns of a list. What consists of digits and hyphens is a name only in quotes.
Ranges columns_of(const char* option, const std::optional<std::string>& list, Names& names, bool& by_name) {
  Ranges ranges;
  if (!list) return ranges;
  const auto items = items_of(*list);
  if (items.empty()) refuse(option, ": \"", *list, "\", expected a closing quote, and a comma or the end after it");
  for (const std::string& item : items) {
    const bool quoted = list->find('"' + item + '"') != std::string::npos;
    if (const auto range = parse_range(item); range && !quoted) {
      ranges.push_back(*range);
      continue;
    }
    const std::string complaint = item == *list ? lloyd::detail::text(option, ": \"", item, "\"")
                                                : lloyd::detail::text(option, ": \"", item, "\" in \"", *list, "\"");
    const bool number_like = item.find_first_not_of("0123456789-") == std::string::npos;
    const bool name = names.possible() && (quoted || !number_like);
    const Index number = name ? names.number_of(item, complaint) : 0;
    if (number == 0 && names.possible() && names.are_names())
      refuse(complaint, ", expected names in line 1 of ", names.file(),
             " or numbers from 1, such as 2-5,8 (line 1: ", names.listed(), ")");
    if (number == 0) refuse(complaint, ", expected numbers of columns from 1 (names need a header), such as 2-5,8");
    by_name = true;
    ranges.push_back({number, number});
  }
  return ranges;
}

/// The number of the column of weights: as given, or where line 1 has that name. 0: none.
Index weights_of(const std::optional<std::string>& given, Names& names) {
  if (!given) return 0;
  Index number = 0;
  const auto result = std::from_chars(given->data(), given->data() + given->size(), number);
  if (result.ec == std::errc() && result.ptr == given->data() + given->size() && number > 0) return number;
  const std::string complaint = lloyd::detail::text("--weights: \"", *given, "\"");
  if (!names.possible()) refuse(complaint, ", expected the number of a column, from 1");
  const auto items = items_of(*given);  // a name in quotes, as in the lists, or one that needs none here
  number = names.number_of(items.size() == 1 ? items[0] : *given, complaint);
  if (number == 0)
    refuse(complaint, ", expected a name in line 1 of ", names.file(), ", or a number from 1",
           names.are_names() ? " (line 1: " + names.listed() + ")" : "");
  return number;
}

/// Ranges without a column.
Ranges without(const Ranges& ranges, Index column) {
  Ranges left;
  for (const auto& range : ranges) {
    if (column < range.first || column > range.last) {
      left.push_back(range);
      continue;
    }
    if (range.first < column) left.push_back({range.first, column - 1});
    if (column < range.last) left.push_back({column + 1, range.last});
  }
  return left;
}

/// Finds the columns of a model by their names, where it and line 1 have such. Otherwise they are taken as they come.
void choose_by_model(const RowsArguments& rows, Format format, Names& names, Choice& choice) {
  const auto& expected = rows.model_names;
  if (expected.empty() || !names.possible()) return;
  if (std::set<std::string>(expected.begin(), expected.end()).size() != expected.size()) return;
  const auto& fields = names.fields();
  if (fields.size() == 1 && expected.size() > 1) return;  // of another separator, which the reader's complaint names
  std::vector<bool> read, found(fields.size());
  try {
    read = lloyd::detail::wanted_columns(fields.size(), choice.csv_options(rows, format), {"read_csv", names.file()});
  } catch (const lloyd::BackendError&) {  // the reader will say so, with a hint
    return;
  }
  Ranges columns;
  for (const std::string& name : expected) {
    const Index number = names.number_of(name, read);
    if (number == 0 && !names.are_names(read)) return;
    if (number <= 0)
      refuse(names.file(), ": line 1 has ", number == 0 ? "no" : "more than one", " column \"", name,
             "\", which the model has",
             rows.columns || rows.skip_columns ? " (--columns and --skip-columns choose)" : "");
    columns.push_back({number, number});
    found[static_cast<std::size_t>(number - 1)] = true;
  }
  // Numbers that are the names of the model, all of them in its order, are no row. (A single one may be one.)
  choice.names_of_model = expected.size() > 1 && !names.are_names(found) && names.read_fields(read) == expected;
  if (!choice.names_of_model && !names.are_names(found)) return;
  choice.columns = std::move(columns);
  choice.skip_columns.clear();
}

}  // namespace

lloyd::CsvOptions Choice::csv_options(const RowsArguments& rows, Format format) const {
  lloyd::CsvOptions options{.separator = separator_of(format, rows.separator),
                            .header = names_of_model ? lloyd::CsvHeader::yes : rows.header,
                            .columns = columns,
                            .skip_columns = skip_columns};
  if (weights != 0 && !columns.empty()) options.columns.push_back({weights, weights});
  return options;
}

std::optional<Ranges> parse_ranges(const std::string& list) {
  Ranges ranges;
  for (const std::string& item : items_of(list)) {
    const auto range = parse_range(item);
    if (!range) return std::nullopt;
    ranges.push_back(*range);
  }
  return ranges.empty() ? std::nullopt : std::optional(ranges);
}

Choice choose_columns(const RowsArguments& rows, Format format) {
  Names names(rows, format);
  Choice choice;
  choice.columns = columns_of("--columns", rows.columns, names, choice.by_name);
  choice.skip_columns = columns_of("--skip-columns", rows.skip_columns, names, choice.by_name);
  choice.weights = weights_of(rows.weights, names);
  if (choice.weights != 0) choice.skip_columns = without(choice.skip_columns, choice.weights);
  choose_by_model(rows, format, names, choice);
  return choice;
}

}  // namespace program
