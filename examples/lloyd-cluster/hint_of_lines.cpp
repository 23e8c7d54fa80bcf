// SPDX-License-Identifier: MIT
#include "hint_of_lines.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "errors.hpp"
#include "spelling.hpp"

namespace program {
namespace {

using Lines = std::vector<std::string>;

/// How often a separator stands in a line outside of quotes.
std::size_t count_of(std::string_view line, char separator) {
  std::size_t count = 0;
  bool quoted = false;
  for (const char c : line) {
    quoted = quoted != (c == '"');
    count += !quoted && c == separator ? 1 : 0;
  }
  return count;
}

std::vector<std::size_t> counts_of(const Lines& lines, char separator) {
  std::vector<std::size_t> counts;
  for (const std::string& line : lines) counts.push_back(count_of(line, separator));
  return counts;
}

/// How many lines stand above the table, if this separates its columns: such as are not divided, and remarks.
std::size_t lines_above(const Lines& lines, char separator) {
  const auto counts = counts_of(lines, separator);
  std::size_t above = 0;
  while (above < lines.size() && (counts[above] == 0 || lines[above].starts_with('#'))) ++above;
  if (above == 0 || above + 1 >= lines.size() || counts[above + 1] != counts[above]) return 0;
  for (std::size_t i = 0; i < above; ++i)
    if (kind_of(lines[i]) == Kind::number) return 0;
  // A single comma may be that of a decimal fraction; names are none.
  const std::string& line = lines[above];
  const bool names = std::any_of(line.begin(), line.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  const bool one_word = above == 1 && lines[0].find_first_of(" #") == std::string::npos && !lines[0].empty();
  return counts[above] > 1 || (names && !one_word) ? above : 0;
}

std::string hint_of_title(const Lines& lines, std::optional<char> given) {
  const std::string candidates = given ? std::string(1, *given) : ",;\t|";
  for (const char separator : candidates) {  // one that divides line 1 as the next leaves no room for a title
    const auto counts = counts_of(lines, separator);
    const bool remark = !lines[0].empty() && lines[0].front() == '#';
    if (!remark && counts[0] > 0 && (counts.size() == 1 || counts[0] == counts[1])) return "";
  }
  for (const char separator : candidates) {
    const std::size_t above = lines_above(lines, separator);
    if (above == 0) continue;
    return lloyd::detail::text(above == 1
                                   ? " (line 1 looks like a title: tail -n +"
                                   : lloyd::detail::text(" (lines 1 to ", above, " look like a title: tail -n +"),
                               above + 1, above == 1 ? " leaves it out)" : " leaves them out)");
  }
  return "";
}

/// Line 1 has one field fewer than all others: names of rows have no name, or lines end with a separator.
std::string hint_of_short_header(const Lines& lines, char separator) {
  const auto counts = counts_of(lines, separator);
  if (counts.size() < 2 || counts[0] == 0) return "";
  if (!std::all_of(counts.begin() + 1, counts.end(), [&](std::size_t each) { return each == counts[0] + 1; }))
    return "";
  const std::string shown = separator == '\t' ? "\\t" : std::string(1, separator);
  if (std::all_of(lines.begin() + 1, lines.end(), [&](const std::string& line) { return line.back() == separator; }))
    return " (the rows end with \"" + shown + "\", line 1 does not: sed " + shell_word("s/" + shown + "$//") +
           " takes it off)";
  return " (line 1 has one name fewer than the rows have columns: row names? sed " +
         shell_word("1s/^/row" + shown + "/") + " gives them a name)";
}

bool is_aligned(const std::string& line) {
  return line.starts_with(' ') || line.ends_with(' ') || line.find("  ") != std::string::npos;
}

}  // namespace

char other_separator(std::string_view text, char separator) {
  for (const char c : {';', '\t', '|', ',', ' '})
    if (c != separator && text.find(c) != std::string_view::npos) return c;
  return 0;
}

std::string hint_of_lines(Lines lines, std::optional<char> given, char separator) {
  while (!lines.empty() && lines.back().find_first_not_of(" \t") == std::string::npos) lines.pop_back();
  if (lines.empty()) return "";
  const std::string& first = lines.front();
  if (first.starts_with("sep=")) return " (line 1 is a note of Excel: tail -n +2 leaves it out)";
  if (first.find('\r') == first.size() - 1 && !first.empty())
    return " (lines end with two carriage returns: tr -d '\\r' takes both off)";
  if (first.find('\r') != std::string::npos)
    return " (line 1 holds a carriage return: tr '\\r' '\\n' if that ends lines)";
  if (std::string hint = hint_of_title(lines, given); !hint.empty()) return hint;
  const bool blanks =
      given ? *given == ' ' : count_of(first, separator) == 0 && other_separator(first, separator) == ' ';
  if (blanks && std::any_of(lines.begin(), lines.end(), is_aligned))
    return " (several blanks between columns? tr -s ' ' | sed 's/^ //; s/ $//' leaves one, for --separator space)";
  return hint_of_short_header(lines, separator);
}

}  // namespace program
