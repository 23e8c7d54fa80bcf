// SPDX-License-Identifier: MIT
/// @file
/// The header of NumPy's .npy format, versions 1 to 3: magic, version, length, and a dictionary as Python writes it.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "lloyd/io/file.hpp"
#include "lloyd/io/number.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<Index> shape;
};

/// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`, keys in any order.
class NpyHeaderParser {
 public:
  NpyHeaderParser(std::string_view header, const Origin& origin) : text_(header), origin_(origin) {}

  [[nodiscard]] NpyHeader parse() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !descr) {
        descr = true;
        if (peek() == '[' || peek() == '(')
          origin_.refuse("holds records of several fields, expected float32 or float64");
        header.descr = string();
      } else if (key == "fortran_order" && !order) {
        order = true;
        header.fortran_order = boolean();
      } else if (key == "shape" && !shape) {
        shape = true;
        header.shape = tuple();
      } else {
        origin_.refuse("header: key ", excerpt(key), " is unknown or comes twice");
      }
      if (!accept(',') && peek() != '}') fail("',' or '}'");
    }
    peek();
    if (at_ != text_.size()) fail("its end");
    if (!descr || !order || !shape) origin_.refuse("header: one of 'descr', 'fortran_order' and 'shape' is missing");
    return header;
  }

 private:
  /// The next character that is not blank, NUL at the end.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(text('\'', c, '\''));
  }

  [[noreturn]] void fail(const std::string& expected) const {
    origin_.refuse("header: ", excerpt(text_.substr(at_)), " at byte ", at_, ", expected ", expected);
  }

  std::string_view string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("a text in quotes");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a text in quotes");
    const std::string_view found = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return found;
  }

  bool boolean() {
    peek();
    for (const bool value : {false, true}) {
      const std::string_view name = value ? "True" : "False";
      if (!text_.substr(at_).starts_with(name)) continue;
      at_ += name.size();
      return value;
    }
    fail("True or False");
  }

  std::vector<Index> tuple() {
    std::vector<Index> sizes;
    expect('(');
    while (!accept(')')) {
      if (!is_digit(peek())) fail("a size");
      Index& size = sizes.emplace_back();
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (error != std::errc()) fail("a size below 2^63");
      at_ = static_cast<std::size_t>(end - text_.data());
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // a long integer, as Python 2 wrote them
      if (!accept(',') && peek() != ')') fail("',' or ')'");
    }
    return sizes;
  }

  std::string_view text_;
  const Origin& origin_;
  std::size_t at_ = 0;
};

/// Reads the header and leaves the stream at the first value.
[[nodiscard]] inline NpyHeader read_npy_header(std::istream& in, const Origin& origin) {
  constexpr std::size_t longest = 65535;  // longer ones describe records, which are refused anyway
  std::string bytes(npy_magic.size() + 2, '\0');
  const std::size_t found = read_bytes(in, bytes.data(), bytes.size(), origin);
  if (found == 0) origin.refuse("the file is empty, expected a .npy file");
  if (!bytes.starts_with(npy_magic.substr(0, found))) {
    origin.refuse("begins with ", excerpt({bytes.data(), found}), ", expected ", excerpt(npy_magic), " of a .npy file");
  }
  if (found < bytes.size()) origin.refuse("the header is cut off after ", found, " bytes");
  const int version = static_cast<unsigned char>(bytes[npy_magic.size()]);
  if (version < 1 || version > 3) origin.refuse("is of version ", version, " of the .npy format, expected 1, 2 or 3");
  const std::size_t width = version == 1 ? 2 : 4;
  std::string length(width, '\0');
  if (read_bytes(in, length.data(), width, origin) != width) origin.refuse("the header is cut off within its length");
  std::size_t size = 0;
  for (std::size_t i = width; i-- > 0;) size = 256 * size + static_cast<unsigned char>(length[i]);
  if (size > longest) origin.refuse("a header of ", size, " bytes, expected at most ", longest);
  std::string header(size, '\0');
  if (const std::size_t have = read_bytes(in, header.data(), size, origin); have != size) {
    origin.refuse("the header is cut off: needs ", size, " bytes, found ", have);
  }
  return NpyHeaderParser(header, origin).parse();
}

/// A type of NumPy by the name that Python knows: "float32" for "<f4".
[[nodiscard]] inline std::string npy_type_name(std::string_view descr) {
  const std::string order = descr.starts_with('>') ? "big-endian " : "";
  const std::string_view code = descr.substr(descr.find_first_of("<>|=") == 0 ? 1 : 0);
  if (code == "f2") return order + "float16";
  if (code == "f4") return order + "float32";
  if (code == "f8") return order + "float64";
  if (code == "b1") return "bool";
  if (code.starts_with('O')) return "Python objects";
  if (code.starts_with('U') || code.starts_with('S')) return "texts";
  if (code.starts_with('c')) return order + "complex numbers";
  if (code.starts_with('i') || code.starts_with('u')) return order + "integers";
  return "values of type " + excerpt(descr);
}

}  // namespace lloyd::inline LLOYD_ABI::detail
