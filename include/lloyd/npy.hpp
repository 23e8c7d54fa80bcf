// SPDX-License-Identifier: MIT
/// @file
/// Matrices in NumPy's .npy files: read, and centroids and labels written.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "lloyd/io/file.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/npy/header.hpp"

namespace lloyd::inline LLOYD_ABI {

/// What a .npy file holds, as far as it can be read.
enum class NpyScalar : std::uint8_t { float32, float64 };

namespace detail {

static_assert(std::endian::native == std::endian::little, "lloyd: .npy files are read and written little-endian");

template <Real T>
inline constexpr NpyScalar npy_scalar_of = std::is_same_v<T, float> ? NpyScalar::float32 : NpyScalar::float64;

/// float32 or float64, or a refusal with the conversion to make. The order of bytes is the machine's where it is "=",
/// "|" or not given, as it is to numpy.dtype.
[[nodiscard]] inline NpyScalar npy_scalar(const NpyHeader& header, const Origin& origin) {
  const std::string_view type = std::string_view(header.descr).substr(header.descr.find_first_of("<=|") == 0 ? 1 : 0);
  if (type == "f4") return NpyScalar::float32;
  if (type == "f8") return NpyScalar::float64;
  const char* const wanted = header.descr == ">f8" ? "float64" : "float32";
  origin.refuse("holds ", npy_type_name(header.descr),
                ", expected float32 or float64: numpy.save(path, x.astype(numpy.", wanted, "))");
}

/// The shape as Python writes it.
[[nodiscard]] inline std::string npy_shape(const std::vector<Index>& shape) {
  std::string out = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) out += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return out + (shape.size() == 1 ? ",)" : ")");
}

/// Rows, columns and the bytes of their values, which fit in the address space.
struct NpyExtent {
  Index rows, cols;
  std::size_t bytes;
};

/// The extent of an array of T of one or two dimensions in C order, or a refusal with the conversion to make.
template <Real T>
[[nodiscard]] NpyExtent npy_extent(const NpyHeader& header, const Origin& origin) {
  if (npy_scalar(header, origin) != npy_scalar_of<T>) {
    constexpr bool single = std::is_same_v<T, float>;
    origin.refuse("holds ", single ? "float64" : "float32", ", asked for ", single ? "float32" : "float64",
                  ": use read_npy<", single ? "double" : "float", ">, or numpy.save(path, x.astype(numpy.",
                  single ? "float32" : "float64", "))");
  }
  const auto& shape = header.shape;
  if (shape.empty() || shape.size() > 2) {
    origin.refuse("has ", shape.size(), " dimensions ", npy_shape(shape),
                  ", expected 2: numpy.save(path, x.reshape(rows, columns))");
  }
  const Index rows = shape[0], cols = shape.size() == 2 ? shape[1] : 1;
  if (header.fortran_order && rows > 1 && cols > 1) {
    origin.refuse("is in Fortran order, expected C order: numpy.save(path, numpy.ascontiguousarray(x))");
  }
  if (!addressable(rows, cols, sizeof(T))) {
    origin.refuse("shape ", npy_shape(shape), " exceeds the address space");
  }
  return {rows, cols, static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) * sizeof(T)};
}

[[noreturn]] inline void refuse_npy_size(const NpyHeader& header, const Origin& origin, std::size_t needed,
                                         std::size_t found, bool more) {
  origin.refuse("shape ", npy_shape(header.shape), " needs ", needed, " bytes after the header, found ", found,
                more ? " or more" : "");
}

/// Reads the values that the header promises. Nothing is allocated on its word: where the stream knows its length that
/// is compared first, elsewhere memory grows with what arrives.
template <Real T>
[[nodiscard]] Matrix<T> read_npy(std::istream& in, const Origin& origin) {
  const NpyHeader header = read_npy_header(in, origin);
  const auto [rows, cols, bytes] = npy_extent<T>(header, origin);
  char beyond = 0;
  if (const auto left = bytes_left(in)) {
    if (*left != bytes) refuse_npy_size(header, origin, bytes, *left, false);
    Matrix<T> x(rows, cols);
    const std::size_t found = read_bytes(in, reinterpret_cast<char*>(x.data()), bytes, origin);
    if (found != bytes) refuse_npy_size(header, origin, bytes, found, false);
    return x;
  }
  constexpr std::size_t block = (std::size_t{1} << 20) / sizeof(T);
  const std::size_t count = bytes / sizeof(T);
  std::vector<T> values;
  while (values.size() < count) {
    const std::size_t before = values.size();
    values.resize((std::min)(count, before + block));
    const std::size_t wanted = (values.size() - before) * sizeof(T);
    const std::size_t found = read_bytes(in, reinterpret_cast<char*>(values.data() + before), wanted, origin);
    if (found != wanted) refuse_npy_size(header, origin, bytes, before * sizeof(T) + found, false);
  }
  if (read_bytes(in, &beyond, 1, origin) != 0) refuse_npy_size(header, origin, bytes, bytes + 1, true);
  return to_matrix(values, rows, cols);
}

/// A version 1 header whose length puts the values at a multiple of 64 bytes, as NumPy does.
[[nodiscard]] inline std::string npy_header_bytes(std::string_view descr, const std::vector<Index>& shape) {
  std::string dictionary = text("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", npy_shape(shape), ", }");
  const std::size_t before = npy_magic.size() + 4;
  const std::size_t total = (before + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.resize(total - before - 1, ' ');
  dictionary += '\n';
  std::string bytes(npy_magic);
  bytes += {'\1', '\0', static_cast<char>(dictionary.size() % 256), static_cast<char>(dictionary.size() / 256)};
  return bytes + dictionary;
}

template <class T>
[[nodiscard]] std::string_view bytes_of(const T* values, Index count) {
  return {reinterpret_cast<const char*>(values), static_cast<std::size_t>(count) * sizeof(T)};
}

template <Real T>
void write_npy_rows(OutputFile& file, MatrixView<const T> x) {
  file.write(npy_header_bytes(std::is_same_v<T, float> ? "<f4" : "<f8", {x.rows(), x.cols()}));
  for (Index i = 0; i < x.rows(); ++i) file.write(bytes_of(x.row(i), x.cols()));
}

inline void write_npy_labels(OutputFile& file, std::span<const Label> labels) {
  const auto count = static_cast<Index>(labels.size());
  file.write(npy_header_bytes("<i4", {count}));
  file.write(bytes_of(labels.data(), count));
}

}  // namespace detail

/// Whether a .npy file holds float32 or float64, from its header.
/// @throws BackendError for a file that cannot be read, is no .npy file, or holds another type
[[nodiscard]] inline NpyScalar npy_scalar(const std::filesystem::path& path) {
  const detail::Origin origin{"npy_scalar", path.string()};
  auto in = detail::open_to_read(path, origin);
  return detail::npy_scalar(detail::read_npy_header(in, origin), origin);
}

/// Reads a NumPy array of two dimensions in C order; one of one dimension is read as a column.
///
/// The type is not converted: read_npy<float> reads float32, read_npy<double> float64, both little-endian, of version
/// 1, 2 or 3 of the format.
/// @throws BackendError for a file that cannot be read, is no .npy file, is cut off or too long (with the bytes needed
/// and
///         found), or holds another type, order or number of dimensions (with the conversion to make in Python)
/// Memory: the matrix; from a pipe twice the matrix. A header that promises more than the file holds allocates nothing.
template <Real T = float>
[[nodiscard]] Matrix<T> read_npy(const std::filesystem::path& path) {
  const detail::Origin origin{"read_npy", path.string()};
  auto in = detail::open_to_read(path, origin);
  return detail::read_npy<T>(in, origin);
}

/// The same from a stream that holds nothing else; `name` stands for it in messages.
template <Real T = float>
[[nodiscard]] Matrix<T> read_npy(std::istream& in, std::string_view name = "stream") {
  const detail::SilentStream silent(in);
  return detail::read_npy<T>(in, {"read_npy", std::string(name)});
}

/// Writes a matrix as a NumPy array of two dimensions, float32 or float64.
///
/// The file appears whole or not at all: it is written beside its place and renamed.
/// @throws BackendError if the file cannot be written
template <MatrixLike X>
void write_npy(const std::filesystem::path& path, const X& x) {
  detail::OutputFile file(path, "write_npy");
  detail::write_npy_rows(file, MatrixTraits<X>::view(x));
  file.commit();
}

/// Writes labels as a NumPy array of one dimension, int32; whole or not at all.
/// @throws BackendError if the file cannot be written
inline void write_npy(const std::filesystem::path& path, std::span<const Label> labels) {
  detail::OutputFile file(path, "write_npy");
  detail::write_npy_labels(file, labels);
  file.commit();
}

}  // namespace lloyd::inline LLOYD_ABI
