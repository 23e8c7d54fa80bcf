// SPDX-License-Identifier: MIT
/// @file
/// Vectors in .fvecs files, as collections for nearest-neighbour search have them: read and written.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "lloyd/io/file.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI {
namespace detail {

static_assert(std::endian::native == std::endian::little, "lloyd: .fvecs files are read and written little-endian");

/// More is no dimension but another kind of file; it also bounds what a file's first word can make us allocate.
inline constexpr std::int32_t most_fvecs_dimensions = std::int32_t{1} << 24;

/// The bytes of a vector: its dimension and its values.
[[nodiscard]] constexpr std::size_t fvecs_record(std::int32_t d) { return 4 * (static_cast<std::size_t>(d) + 1); }

/// The first word of a file.
[[nodiscard]] inline std::int32_t read_fvecs_dimension(std::istream& in, const Origin& origin) {
  std::int32_t d = 0;
  const std::size_t found = read_bytes(in, reinterpret_cast<char*>(&d), sizeof d, origin);
  if (found == 0) origin.refuse("the file is empty, expected a .fvecs file");
  if (found < sizeof d) origin.refuse("vector 1 is cut off within its dimension");
  if (d < 1 || d > most_fvecs_dimensions) {
    origin.refuse("vector 1 has dimension ", d, ", expected 1 to ", most_fvecs_dimensions, " (is it a .fvecs file?)");
  }
  return d;
}

/// Reads on behind the first word and gives the bytes of the values of each vector to `take`, a block at a time.
template <class Take>
void for_each_fvec(std::istream& in, std::int32_t d, const Origin& origin, const Take& take) {
  const std::size_t record = fvecs_record(d), records = (std::size_t{1} << 16) / record;
  std::vector<char> block(record * (records == 0 ? 1 : records));
  std::memcpy(block.data(), &d, sizeof d);
  std::size_t have = sizeof d;
  for (Index number = 1;;) {
    have += read_bytes(in, block.data() + have, block.size() - have, origin);
    for (std::size_t at = 0; at != have; at += record, ++number) {
      std::int32_t own = 0;
      if (have - at < sizeof own) origin.refuse("vector ", number, " is cut off within its dimension");
      std::memcpy(&own, block.data() + at, sizeof own);
      if (own != d) origin.refuse("vector ", number, " has dimension ", own, ", expected ", d, " as vector 1 has");
      if (have - at < record) {
        origin.refuse("vector ", number, " is cut off: needs ", record - sizeof own, " bytes, found ",
                      have - at - sizeof own);
      }
      take(block.data() + at + sizeof own);
    }
    if (have < block.size()) return;
    have = 0;
  }
}

[[nodiscard]] inline Matrix<float> read_fvecs(std::istream& in, const Origin& origin) {
  const std::int32_t d = read_fvecs_dimension(in, origin);
  const std::size_t bytes = fvecs_record(d) - sizeof d;
  if (const auto left = bytes_left(in)) {
    Matrix<float> x((*left + sizeof d) / fvecs_record(d), d);
    Index i = 0;
    for_each_fvec(in, d, origin, [&](const char* values) {
      if (i == x.rows()) origin.refuse("grows while it is read");
      std::memcpy(x.row(i++), values, bytes);
    });
    if (i != x.rows()) origin.refuse("ends after vector ", i, ", expected ", x.rows());
    return x;
  }
  std::vector<float> all;
  for_each_fvec(in, d, origin, [&](const char* values) {
    all.resize(all.size() + static_cast<std::size_t>(d));
    std::memcpy(all.data() + all.size() - d, values, bytes);
  });
  return to_matrix(all, static_cast<Index>(all.size()) / d, d);
}

inline void write_fvecs_rows(OutputFile& file, MatrixView<const float> x) {
  demand(1 <= x.cols() && x.cols() <= most_fvecs_dimensions, "write_fvecs: ", x.cols(), " columns, expected 1 to ",
         most_fvecs_dimensions);
  const auto d = static_cast<std::int32_t>(x.cols());
  for (Index i = 0; i < x.rows(); ++i) {
    file.write({reinterpret_cast<const char*>(&d), sizeof d});
    file.write({reinterpret_cast<const char*>(x.row(i)), fvecs_record(d) - sizeof d});
  }
}

}  // namespace detail

/// Reads vectors as the rows of a matrix. A vector is its dimension, an int32, and that many float32, little-endian;
/// all of a file have the same dimension.
/// @throws BackendError for a file that cannot be read, an empty one, one that is cut off (with the bytes needed and
///         found), and a vector of another dimension than the first; the message counts vectors from 1
/// Memory: the matrix and 64 KiB; from a pipe twice the matrix. Nothing is allocated on the word of a file beyond its
///         length.
[[nodiscard]] inline Matrix<float> read_fvecs(const std::filesystem::path& path) {
  const detail::Origin origin{"read_fvecs", path.string()};
  auto in = detail::open_to_read(path, origin);
  return detail::read_fvecs(in, origin);
}

/// The same from a stream that holds nothing else; `name` stands for it in messages.
[[nodiscard]] inline Matrix<float> read_fvecs(std::istream& in, std::string_view name = "stream") {
  const detail::SilentStream silent(in);
  return detail::read_fvecs(in, {"read_fvecs", std::string(name)});
}

/// Writes the rows of a float matrix as vectors; the file appears whole or not at all.
/// @throws BackendError if the file cannot be written; InvalidArgument for a matrix without columns, or with more than
///         2^24
template <MatrixLike X>
void write_fvecs(const std::filesystem::path& path, const X& x) {
  detail::OutputFile file(path, "write_fvecs");
  detail::write_fvecs_rows(file, MatrixTraits<X>::view(x));
  file.commit();
}

}  // namespace lloyd::inline LLOYD_ABI
