// SPDX-License-Identifier: MIT
/// @file
/// Archives of the .zip format whose members are stored as they are: read and written.
/// @see PKWARE, .ZIP File Format Specification (APPNOTE.TXT), 4.3 and 4.4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lloyd/io/file.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

struct ZipMember {
  std::string name, bytes;
};

/// The checksum of ISO 3309, as archives have it: polynomial 0x04c11db7, bits reflected.
[[nodiscard]] inline std::uint32_t crc32(std::string_view bytes) {
  static constexpr auto table = [] {
    std::array<std::uint32_t, 256> values{};
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      std::uint32_t crc = i;
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
      values[i] = crc;
    }
    return values;
  }();
  std::uint32_t crc = 0xffffffffU;
  for (const char c : bytes) crc = (crc >> 8) ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xffU];
  return ~crc;
}

/// The layout of an archive: a header and the bytes of each member, the directory with an entry a member, the end.
struct ZipFormat {
  static constexpr std::string_view member = "PK\3\4", entry = "PK\1\2", end = "PK\5\6";
  static constexpr std::size_t member_size = 30, entry_size = 46, end_size = 22, longest_comment = 65535;
};

/// Appends an integer of so many bytes, the lowest first.
inline void append_bytes(std::string& out, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out += static_cast<char>(value >> (8 * i) & 0xffU);
}

/// Gives the bytes of an archive to `write`, each member stored. What ends beyond the format's 4 GiB is refused.
template <class Write>
void write_zip(const std::vector<ZipMember>& members, const Origin& origin, const Write& write) {
  constexpr std::size_t most = (std::numeric_limits<std::uint32_t>::max)() - 1;
  std::string directory;
  std::size_t offset = 0;
  for (const auto& [name, bytes] : members) {
    if (bytes.size() > most || offset > most) origin.refuse(name, " ends beyond 4 GiB, which no archive holds");
    std::string common;  // what header and entry share: version, flags, method, time, date, checksum, sizes, lengths
    append_bytes(common, 20, 2);
    append_bytes(common, 0x0800, 2);  // the name is UTF-8
    append_bytes(common, 0, 2);
    append_bytes(common, 0x00210000, 4);  // the first day of 1980, so that equal arrays are equal files
    append_bytes(common, crc32(bytes), 4);
    append_bytes(common, bytes.size(), 4);
    append_bytes(common, bytes.size(), 4);
    append_bytes(common, name.size(), 2);
    append_bytes(common, 0, 2);
    for (const std::string_view part :
         {ZipFormat::member, std::string_view(common), std::string_view(name), std::string_view(bytes)})
      write(part);
    directory += ZipFormat::entry;
    append_bytes(directory, 20, 2);
    directory += common;
    directory.append(10, '\0');  // comment, disk, attributes
    append_bytes(directory, offset, 4);
    directory += name;
    offset += ZipFormat::member_size + name.size() + bytes.size();
  }
  if (offset > most || members.size() > 65534) origin.refuse("more than an archive holds");
  std::string end(ZipFormat::end);
  append_bytes(end, 0, 4);
  append_bytes(end, members.size(), 2);
  append_bytes(end, members.size(), 2);
  append_bytes(end, directory.size(), 4);
  append_bytes(end, offset, 4);
  append_bytes(end, 0, 2);
  write(directory + end);
}

/// Takes an archive that is in memory apart.
class ZipReader {
 public:
  ZipReader(std::string_view bytes, const Origin& origin) : bytes_(bytes), origin_(origin) {}

  [[nodiscard]] std::vector<ZipMember> members() const {
    const std::size_t end = find_end();
    const std::size_t count = number(end + 10, 2), first = number(end + 16, 4);
    if (count == 65535 || first == 0xffffffffU) origin_.refuse("is a ZIP64 archive, which is not read");
    std::vector<ZipMember> found;
    std::set<std::string> names;
    std::size_t at = first, total = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!has(at, ZipFormat::entry, ZipFormat::entry_size)) refuse_damage("directory");
      const std::size_t length = number(at + 28, 2);
      if (bytes_.size() - at - ZipFormat::entry_size < length) refuse_damage("directory");
      std::string name(bytes_.substr(at + ZipFormat::entry_size, length));
      if (!names.insert(name).second) origin_.refuse(excerpt(name), " is there twice");
      std::string bytes = read_member(at, name);
      total += bytes.size();
      if (total > bytes_.size()) refuse_damage("directory");  // members that overlap: none of our memory for them
      found.push_back({std::move(name), std::move(bytes)});
      at += ZipFormat::entry_size + length + number(at + 30, 2) + number(at + 32, 2);
    }
    return found;
  }

 private:
  [[nodiscard]] std::size_t number(std::size_t at, std::size_t count) const {
    std::size_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = 256 * value + static_cast<unsigned char>(bytes_[at + i]);
    return value;
  }

  /// Whether `size` bytes that begin with `signature` stand there.
  [[nodiscard]] bool has(std::size_t at, std::string_view signature, std::size_t size) const {
    return at <= bytes_.size() && bytes_.size() - at >= size && bytes_.substr(at).starts_with(signature);
  }

  [[noreturn]] void refuse_damage(const char* what) const {
    origin_.refuse("the ", what, " of the archive is damaged or cut off");
  }

  /// The end's place: behind it is only its comment.
  [[nodiscard]] std::size_t find_end() const {
    if (bytes_.empty()) origin_.refuse("the file is empty, expected a .npz file");
    if (!bytes_.starts_with(ZipFormat::member) && !bytes_.starts_with(ZipFormat::end)) {
      origin_.refuse("begins with ", excerpt(bytes_.substr(0, 8)), ", expected ", excerpt(ZipFormat::member),
                     " of a .npz file");
    }
    for (std::size_t back = ZipFormat::end_size; back <= bytes_.size(); ++back) {
      if (back > ZipFormat::end_size + ZipFormat::longest_comment) break;
      const std::size_t at = bytes_.size() - back;
      if (has(at, ZipFormat::end, ZipFormat::end_size) && number(at + 20, 2) == back - ZipFormat::end_size) return at;
    }
    refuse_damage("end");
  }

  /// The bytes of the member whose directory entry is there.
  [[nodiscard]] std::string read_member(std::size_t entry, const std::string& name) const {
    if ((number(entry + 8, 2) & 1U) != 0) origin_.refuse(excerpt(name), " is encrypted");
    if (number(entry + 10, 2) != 0) {
      origin_.refuse(excerpt(name), " is compressed, expected numpy.savez, which stores arrays as they are");
    }
    const std::size_t size = number(entry + 24, 4), at = number(entry + 42, 4);
    if (size == 0xffffffffU || at == 0xffffffffU)
      origin_.refuse(excerpt(name), " is 4 GiB or larger, which is not read");
    if (!has(at, ZipFormat::member, ZipFormat::member_size)) refuse_damage("directory");
    const std::size_t first = at + ZipFormat::member_size + number(at + 26, 2) + number(at + 28, 2);
    if (first > bytes_.size() || bytes_.size() - first < size) {
      origin_.refuse(excerpt(name), " is cut off: needs ", size, " bytes, found ",
                     first > bytes_.size() ? 0 : bytes_.size() - first);
    }
    const std::string_view bytes = bytes_.substr(first, size);
    if (crc32(bytes) != number(entry + 16, 4)) origin_.refuse(excerpt(name), " is damaged: its checksum differs");
    return std::string(bytes);
  }

  std::string_view bytes_;
  const Origin& origin_;
};

/// All bytes up to the end.
[[nodiscard]] inline std::string read_all(std::istream& in, const Origin& origin) {
  constexpr std::size_t block = std::size_t{1} << 16;
  std::string bytes;
  for (std::size_t found = block; found == block;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + block);
    found = read_bytes(in, bytes.data() + before, block, origin);
    bytes.resize(before + found);
  }
  return bytes;
}

}  // namespace lloyd::inline LLOYD_ABI::detail
