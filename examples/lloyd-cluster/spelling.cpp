// SPDX-License-Identifier: MIT
#include "spelling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "lloyd/csv.hpp"

namespace program {
namespace {

constexpr std::string_view digits = "0123456789";

/// What stands beside numbers, by its name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> signs = {{{"%", "a percent sign"},
                                                                                 {"$", "a dollar sign"},
                                                                                 {"\u20AC", "a euro sign"},
                                                                                 {"\u00A3", "a pound sign"},
                                                                                 {"\u00A5", "a yen sign"}}};

/// Blanks that do not break a line become plain ones, and so the apostrophe of print. @return whether there was a blank
bool replace_print(std::string& text) {
  constexpr std::array<std::pair<std::string_view, char>, 4> print = {
      {{"\u00A0", ' '}, {"\u202F", ' '}, {"\u2009", ' '}, {"\u2019", '\''}}};
  bool blank = false;
  for (const auto& [from, to] : print) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
      text.replace(at, from.size(), 1, to);
      blank = blank || to == ' ';
    }
  }
  return blank;
}

void trim(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
}

/// Takes a plus or a minus off the front. @return whether it was a minus
bool take_minus(std::string_view& text) {
  const bool minus = text.starts_with('-');
  if (minus || text.starts_with('+')) text.remove_prefix(1);
  return minus;
}

/// Takes a sign of money or percent off an end.
void take_sign(std::string_view& text, std::string& name) {
  for (const auto& [sign, called] : signs) {
    if (!text.starts_with(sign) && !text.ends_with(sign)) continue;
    text.starts_with(sign) ? text.remove_prefix(sign.size()) : text.remove_suffix(sign.size());
    name = called;
    return trim(text);
  }
}

/// Reads digits and the marks between them. @return whether they are a number
bool take_apart(std::string_view text, Spelled& spelled) {
  const std::size_t first = text.find_first_not_of(digits), last = text.find_last_not_of(digits);
  if (first == std::string_view::npos) return !text.empty();
  if (first == 0 || last + 1 == text.size()) return false;
  const char mark = text[first], end = text[last];
  if (first == last && (mark == '.' || mark == ',')) {
    spelled.decimal_comma = mark == ',';
    spelled.ambiguous = is_grouped(text, ',');
    return true;
  }
  if (std::string_view(".,' ").find(mark) == std::string_view::npos) return false;
  spelled.thousands = mark;
  if (is_grouped(text, mark)) return true;
  // The last mark is the decimal point, which stands once; it is one of the others where a comma was changed before.
  spelled.decimal_comma = end == ',';
  spelled.half_changed = mark == '.' && end == '.' && first != last;
  return (spelled.half_changed || (end != mark && (end == ',' || end == '.'))) &&
         is_grouped(text.substr(0, last), mark);
}

}  // namespace

bool is_grouped(std::string_view text, char between) {
  if (text.starts_with('0')) return false;
  for (bool first = true;; first = false) {
    const std::size_t length = (std::min)(text.find(between), text.size());
    if (length > 3 || length == 0 || (!first && length != 3)) return false;
    if (text.substr(0, length).find_first_not_of(digits) != std::string_view::npos) return false;
    if (length == text.size()) return !first;
    text.remove_prefix(length + 1);
  }
}

void Spelled::take_for_thousands() {
  thousands = ',';
  decimal_comma = false;
  plain.erase(plain.find('.'), 1);
}

std::optional<Spelled> spelled_number(const std::string& field) {
  Spelled spelled;
  std::string text = field;
  if (replace_print(text)) spelled.sign = "a blank that breaks no line";
  std::string_view rest = text;
  trim(rest);
  bool minus = take_minus(rest);
  take_sign(rest, spelled.sign);
  minus = take_minus(rest) || minus;
  if (!take_apart(rest, spelled)) return std::nullopt;
  if (spelled.thousands == ' ' && spelled.sign.starts_with("a blank")) spelled.sign.clear();
  if (spelled.sign.empty() && spelled.thousands == 0 && !spelled.decimal_comma) return std::nullopt;
  spelled.plain = rest;
  const std::size_t point = spelled.half_changed ? rest.rfind('.') : std::string_view::npos;
  for (std::size_t at = spelled.plain.size(); at-- > 0;)
    if (spelled.plain[at] == spelled.thousands && spelled.thousands != 0 && at != point) spelled.plain.erase(at, 1);
  std::replace(spelled.plain.begin(), spelled.plain.end(), ',', '.');
  if (minus) spelled.plain.insert(0, 1, '-');
  return spelled;
}

Kind kind_of(const std::string& field) {
  if (lloyd::detail::RowParser::holds_nothing({field}, {true})) return Kind::missing;
  const char* const last = field.data() + field.size();
  const auto parsed = lloyd::detail::parse_number<double>(field.data(), last);
  if (parsed.kind == lloyd::detail::Parse::no_number || parsed.end != last)
    return spelled_number(field) ? Kind::spelled : Kind::text;
  return std::isnan(parsed.value) ? Kind::missing : Kind::number;
}

}  // namespace program
