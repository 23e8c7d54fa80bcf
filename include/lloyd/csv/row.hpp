// SPDX-License-Identifier: MIT
/// @file
/// A table of text, a line at a time: lines, fields, rows of numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "lloyd/io/file.hpp"
#include "lloyd/io/number.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Lines of a stream, without their ends (LF, CRLF or the end of the file) and without a byte order mark.
class LineReader {
 public:
  LineReader(std::istream& in, const Origin& origin) : in_(in), origin_(origin), buffer_(block) {
    fill();
    const std::string_view start(buffer_.data(), end_);
    if (start.starts_with("\xEF\xBB\xBF")) begin_ = 3;
    refuse_other_content(start);
  }

  /// The next line, valid until the next call. @return false at the end
  [[nodiscard]] bool next(std::string_view& line) {
    std::size_t searched = 0;  // of the unfinished line, so that a huge one is not searched again from its beginning
    for (;;) {
      const char* const first = buffer_.data() + begin_;
      const std::size_t size = end_ - begin_;
      if (const void* const found = std::memchr(first + searched, '\n', size - searched)) {
        const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - first);
        begin_ += length + 1;
        return take(line, {first, length});
      }
      searched = size;
      if (fill()) continue;
      if (size == 0) return false;
      begin_ = end_;
      return take(line, {first, size});
    }
  }

  /// The number of the line that next() gave last, from 1.
  [[nodiscard]] Index number() const noexcept { return number_; }

 private:
  static constexpr std::size_t block = std::size_t{1} << 18;

  /// Refuses what begins as a file that is no text, or text of another encoding: by bytes that no table begins with.
  void refuse_other_content(std::string_view start) const {
    struct Content {
      std::string_view beginning;
      const char* name;
    };
    constexpr const char* utf16 = "UTF-16, expected UTF-8 (iconv -f UTF-16 -t UTF-8)";
    constexpr const char* old_workbook = "an old Excel workbook, expected text (save it as CSV UTF-8)";
    constexpr std::array<Content, 7> others = {
        {{"\xFF\xFE", utf16},
         {"\xFE\xFF", utf16},
         {"PK\x03\x04", "a zip archive, expected text (.xlsx: save it as CSV UTF-8)"},
         {"\xD0\xCF\x11\xE0", old_workbook},
         {"\x1F\x8B", "compressed by gzip, expected text (zcat)"},
         {"\x93NUMPY", "a NumPy array, expected text (its name is .npy)"},
         {"PAR1\x15", "of Parquet, expected text"}}};
    for (const auto& [beginning, name] : others)
      if (start.starts_with(beginning)) origin_.refuse("the file is ", name);
  }

  bool take(std::string_view& line, std::string_view found) {
    if (found.ends_with('\r')) found.remove_suffix(1);
    line = found;
    ++number_;
    return true;
  }

  /// Moves the unfinished line to the front and reads on. @return false when there was nothing more
  bool fill() {
    if (begin_ != 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    const std::size_t count = read_bytes(in_, buffer_.data() + end_, buffer_.size() - end_, origin_);
    end_ += count;
    return count != 0;
  }

  std::istream& in_;
  const Origin& origin_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  Index number_ = 0;
};

/// Reads the fields of lines as texts or as numbers. A quoted field ends on its line; "" within it is one quote.
class RowParser {
 public:
  RowParser(char separator, const Origin& origin) : separator_(separator), origin_(origin) {}

  /// Whether nothing but blanks is there; a separator is something.
  [[nodiscard]] bool is_blank(std::string_view line) const {
    return skip_blanks(line.data(), line.data() + line.size()) == line.data() + line.size();
  }

  /// The fields of a line without the blanks around them and without quotes.
  [[nodiscard]] std::vector<std::string> split(std::string_view line, Index number) const {
    std::vector<std::string> fields;
    const char* at = line.data();
    const char* const last = at + line.size();
    for (;;) {
      std::string& field = fields.emplace_back();
      at = read_field(at, last, field, number, fields.size());
      if (at == last) return fields;
      ++at;
    }
  }

  /// Appends the numbers of a line to `values`.
  /// @param wanted  for each column that is expected, whether it is read; what stands in another is not looked at
  template <Real T>
  void append(std::string_view line, Index number, const std::vector<bool>& wanted, std::vector<T>& values) const {
    const char* at = line.data();
    const char* const last = at + line.size();
    for (std::size_t column = 1;; ++column) {
      if (column > wanted.size()) refuse_ragged(line, number, wanted.size());
      if (wanted[column - 1]) {
        const Parsed<T> field = parse_field<T>(at, last);
        if (field.kind != Parse::number) refuse_field(line, number, column, wanted, field.kind, sizeof(T));
        values.push_back(field.value);
        at = field.end;
      } else {
        std::string ignored;
        at = read_field(at, last, ignored, number, column);
      }
      if (at == last) {
        if (column < wanted.size()) refuse_ragged(line, number, wanted.size());
        return;
      }
      ++at;
    }
  }

  /// Whether none of the wanted fields, as split() gives them, is a number; one out of range also is.
  [[nodiscard]] static bool holds_no_number(const std::vector<std::string>& fields, const std::vector<bool>& wanted) {
    for (std::size_t j = 0; j < fields.size(); ++j) {
      if (wanted[j] && is_number(fields[j])) return false;
    }
    return true;
  }

  /// Whether all of the wanted fields are what tables write for a missing value: they name nothing.
  [[nodiscard]] static bool holds_nothing(const std::vector<std::string>& fields, const std::vector<bool>& wanted) {
    constexpr std::array<std::string_view, 29> missing = {
        "",        "NA",   "N/A",  "na",      "n/a",     "n.a.",  "null",   "NULL",  "Null",  "(null)",
        "\\N",     "None", "none", "NaT",     "<NA>",    "?",     "-",      "--",    ".",     "..",
        "-1.#IND", "#NA",  "#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!"};
    for (std::size_t j = 0; j < fields.size(); ++j) {
      if (wanted[j] && std::find(missing.begin(), missing.end(), fields[j]) == missing.end()) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] static bool is_number(const std::string& field) {
    const char* const last = field.data() + field.size();
    const Parsed<double> parsed = parse_number<double>(field.data(), last);
    return parsed.kind != Parse::no_number && parsed.end == last;
  }

  [[nodiscard]] const char* skip_blanks(const char* at, const char* last) const {
    while (at != last && (*at == ' ' || *at == '\t') && *at != separator_) ++at;
    return at;
  }

  /// Reads a field as text. @return the separator after it or the end of the line
  const char* read_field(const char* at, const char* last, std::string& field, Index number, std::size_t column) const {
    at = skip_blanks(at, last);
    if (at != last && *at == '"') return unquote(at, last, field, number, column);
    const char* const end = std::find(at, last, separator_);
    field.assign(at, end);
    field.resize(1 + field.find_last_not_of(" \t"));  // npos + 1 is 0
    return end;
  }

  /// A number with blanks and perhaps quotes around it; ends at the separator or the end of the line.
  template <Real T>
  [[nodiscard]] Parsed<T> parse_field(const char* at, const char* last) const {
    at = skip_blanks(at, last);
    const bool quote = at != last && *at == '"';
    if (quote) at = skip_blanks(at + 1, last);
    Parsed<T> parsed = parse_number<T>(at, last);
    if (parsed.kind == Parse::no_number) return parsed;
    parsed.end = skip_blanks(parsed.end, last);
    if (quote) {
      if (parsed.end == last || *parsed.end != '"') return {Parse::no_number, 0, parsed.end};
      parsed.end = skip_blanks(parsed.end + 1, last);
    }
    if (parsed.end != last && *parsed.end != separator_) parsed.kind = Parse::no_number;
    return parsed;
  }

  /// Appends a quoted field. @return the separator after it or the end of the line
  const char* unquote(const char* at, const char* last, std::string& field, Index number, std::size_t column) const {
    for (++at;; ++at) {
      if (at == last) origin_.refuse("line ", number, ", column ", column, ": the quote is not closed on its line");
      if (*at == '"' && (++at == last || *at != '"')) break;
      field += *at;
    }
    at = skip_blanks(at, last);
    if (at == last || *at == separator_) return at;
    origin_.refuse("line ", number, ", column ", column, ": ", excerpt({at, last}), " follows the closing quote");
  }

  [[noreturn]] void refuse_ragged(std::string_view line, Index number, std::size_t columns) const {
    const std::size_t found = split(line, number).size();
    origin_.refuse("line ", number, " has ", found, found == 1 ? " column" : " columns", ", expected ", columns,
                   " as in the first line");
  }

  [[noreturn]] void refuse_field(std::string_view line, Index number, std::size_t column,
                                 const std::vector<bool>& wanted, Parse kind, std::size_t size) const {
    const auto fields = split(line, number);
    if (fields.size() != wanted.size()) refuse_ragged(line, number, wanted.size());
    const std::string& field = fields[column - 1];
    const std::string where = text("line ", number, ", column ", column, ": ");
    if (kind == Parse::out_of_range) {
      origin_.refuse(where, excerpt(field), " is beyond the range of ", size == 4 ? "float" : "double");
    }
    const bool names = number == 1 && !field.empty() && holds_no_number(fields, wanted);
    const char* const expected = names ? "a number (set header to yes if line 1 holds names)" : "a number";
    if (field.empty()) origin_.refuse(where, "the field is empty, expected ", expected);
    origin_.refuse(where, excerpt(field), ", expected ", expected);
  }

  char separator_;
  const Origin& origin_;
};

}  // namespace lloyd::inline LLOYD_ABI::detail
