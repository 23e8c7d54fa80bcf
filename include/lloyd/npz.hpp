// SPDX-License-Identifier: MIT
/// @file
/// Arrays by name in NumPy's .npz files: what numpy.savez writes and numpy.load reads.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <filesystem>
#include <istream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "lloyd/io/file.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/npy.hpp"
#include "lloyd/npz/zip.hpp"

namespace lloyd::inline LLOYD_ABI {
namespace detail {

/// The values that arrays of one dimension are made of.
template <class V>
concept NpzValue = Real<V> || std::same_as<V, Index> || std::same_as<V, Label>;

template <NpzValue V>
inline constexpr const char* npz_descr = std::same_as<V, float>    ? "<f4"
                                         : std::same_as<V, double> ? "<f8"
                                         : std::same_as<V, Index>  ? "<i8"
                                                                   : "<i4";

/// The width of NumPy's type "S", bytes filled up with NUL; 0 for another type.
[[nodiscard]] inline Index npz_text_width(std::string_view descr) {
  Index width = 0;
  if (!descr.starts_with("|S")) return 0;
  const auto [end, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), width);
  return error == std::errc() && end == descr.data() + descr.size() ? width : 0;
}

}  // namespace detail

/// Arrays by name, each kept as the bytes of a .npy file.
class Npz {
 public:
  Npz() = default;
  /// What a file holds; members that are no arrays are left out.
  Npz(std::vector<detail::ZipMember> members, detail::Origin origin)
      : members_(std::move(members)), origin_(std::move(origin)) {
    std::erase_if(members_, [](const auto& member) { return !member.name.ends_with(suffix); });
    for (auto& member : members_) member.name.resize(member.name.size() - suffix.size());
  }

  /// Whether there is an array of this name.
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != members_.end(); }

  /// Whether an array holds float32 or float64. @throws BackendError for another type, and where there is no such array
  [[nodiscard]] NpyScalar scalar(std::string_view name) const {
    std::istringstream in(bytes(name));
    const auto origin = origin_of(name);
    return detail::npy_scalar(detail::read_npy_header(in, origin), origin);
  }

  /// An array of two dimensions, or of one as a column. @throws BackendError as read_npy, and where there is none
  template <Real T = float>
  [[nodiscard]] Matrix<T> matrix(std::string_view name) const {
    std::istringstream in(bytes(name));
    return detail::read_npy<T>(in, origin_of(name));
  }

  /// An array of one dimension of texts, of NumPy's type "S", without the NUL bytes that fill them up.
  /// @throws BackendError for another type or shape, and where there is no such array
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const {
    std::istringstream in(bytes(name));
    const auto origin = origin_of(name);
    const detail::NpyHeader header = detail::read_npy_header(in, origin);
    const Index width = detail::npz_text_width(header.descr);
    if (width == 0 || header.shape.size() != 1) {
      origin.refuse("holds ", detail::npy_type_name(header.descr), " of shape ", detail::npy_shape(header.shape),
                    ", expected a vector of texts: numpy.array(names, dtype=\"S\")");
    }
    const std::string all = detail::read_all(in, origin);
    const auto size = static_cast<std::size_t>(width);
    if (all.size() % size != 0 || std::cmp_not_equal(all.size() / size, header.shape[0])) {
      origin.refuse("shape ", detail::npy_shape(header.shape), " of ", width, " bytes each, found ", all.size());
    }
    std::vector<std::string> found;
    for (std::size_t at = 0; at < all.size(); at += size)
      found.push_back(all.substr(at, 1 + all.substr(at, size).find_last_not_of('\0')));  // npos + 1 is 0
    return found;
  }

  /// Adds a matrix as an array of two dimensions. @throws InvalidArgument for an empty name, or one that is there
  template <MatrixLike X>
  void add(std::string_view name, const X& x) {
    const auto view = MatrixTraits<X>::view(x);
    using T = typename decltype(view)::Scalar;
    std::string& array = append(name, detail::npy_header_bytes(detail::npz_descr<T>, {view.rows(), view.cols()}));
    for (Index i = 0; i < view.rows(); ++i) array += detail::bytes_of(view.row(i), view.cols());
  }

  /// Adds values as an array of one dimension.
  template <detail::NpzValue V>
  void add(std::string_view name, const std::vector<V>& values) {
    const auto count = static_cast<Index>(values.size());
    append(name, detail::npy_header_bytes(detail::npz_descr<V>, {count})) += detail::bytes_of(values.data(), count);
  }

  /// Adds a number as an array of no dimension.
  void add(std::string_view name, double value) {
    append(name, detail::npy_header_bytes("<f8", {})) += detail::bytes_of(&value, 1);
  }

  /// Adds texts as an array of one dimension and NumPy's type "S", whose values Python must decode.
  void add(std::string_view name, const std::vector<std::string>& texts) {
    std::size_t width = 1;
    for (const auto& value : texts) width = (std::max)(width, value.size());
    const auto count = static_cast<Index>(texts.size());
    std::string& array = append(name, detail::npy_header_bytes(detail::text("|S", width), {count}));
    for (const auto& value : texts) array.append(value).append(width - value.size(), '\0');
  }

  /// The members of an archive that holds all of this.
  [[nodiscard]] std::vector<detail::ZipMember> members() const {
    auto members = members_;
    for (auto& member : members) member.name += suffix;
    return members;
  }

 private:
  static constexpr std::string_view suffix = ".npy";

  [[nodiscard]] std::vector<detail::ZipMember>::const_iterator find(std::string_view name) const {
    return std::find_if(members_.begin(), members_.end(), [&](const auto& member) { return member.name == name; });
  }

  [[nodiscard]] const std::string& bytes(std::string_view name) const {
    const auto found = find(name);
    if (found != members_.end()) return found->bytes;
    std::string names;
    for (const auto& member : members_) names += (names.empty() ? "" : ", ") + member.name;
    origin_.refuse("has no array ", detail::excerpt(name), members_.empty() ? "" : ", only " + names);
  }

  [[nodiscard]] detail::Origin origin_of(std::string_view name) const {
    return {origin_.who, origin_.name + ": " + std::string(name)};
  }

  std::string& append(std::string_view name, std::string header) {
    detail::demand(!name.empty(), "Npz::add: a name is empty");
    detail::demand(!contains(name), "Npz::add: ", detail::excerpt(name), " is there already");
    return members_.emplace_back(detail::ZipMember{std::string(name), std::move(header)}).bytes;
  }

  std::vector<detail::ZipMember> members_;
  detail::Origin origin_{"Npz", "arrays"};
};

/// Reads all arrays of a file that numpy.savez wrote, and checks the checksum of each.
/// @throws BackendError for a file that cannot be read, is no .npz file, is damaged or cut off, and for arrays that are
///         compressed (numpy.savez_compressed), encrypted, or of 4 GiB and more
/// Memory: twice the file while it reads.
[[nodiscard]] inline Npz read_npz(const std::filesystem::path& path) {
  detail::Origin origin{"read_npz", path.string()};
  auto in = detail::open_to_read(path, origin);
  const std::string bytes = detail::read_all(in, origin);
  return {detail::ZipReader(bytes, origin).members(), origin};
}

/// The same from a stream, read to its end; `name` stands for it in messages.
[[nodiscard]] inline Npz read_npz(std::istream& in, std::string_view name = "stream") {
  const detail::SilentStream silent(in);
  detail::Origin origin{"read_npz", std::string(name)};
  const std::string bytes = detail::read_all(in, origin);
  return {detail::ZipReader(bytes, origin).members(), origin};
}

/// Writes arrays by name; the file appears whole or not at all. Equal arrays give equal files.
/// @throws BackendError if the file cannot be written, or would be larger than 4 GiB
inline void write_npz(const std::filesystem::path& path, const Npz& arrays) {
  detail::OutputFile file(path, "write_npz");
  detail::write_zip(arrays.members(), file.origin(), [&](std::string_view bytes) { file.write(bytes); });
  file.commit();
}

}  // namespace lloyd::inline LLOYD_ABI
