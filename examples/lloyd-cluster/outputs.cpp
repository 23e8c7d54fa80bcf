// SPDX-License-Identifier: MIT
#include "outputs.hpp"

#include <cstddef>
#include <string>
#include <system_error>
#include <type_traits>

#include "errors.hpp"
#include "lloyd/csv.hpp"
#include "lloyd/fvecs.hpp"
#include "lloyd/npy.hpp"
#include "lloyd/npz.hpp"

namespace program {

namespace {

/// The one name of a file that may have many, be it there or not: absolute, without links and dots.
fs::path place_of(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(lloyd::detail::end_of_links(path, {"write", path.string()}), error);
  const fs::path place = fs::weakly_canonical(whole, error);
  return error ? whole.lexically_normal() : place;
}

}  // namespace

Outputs::Outputs(const std::vector<fs::path>& inputs) {
  for (const auto& path : inputs) {
    std::error_code missing;  // which the reader says
    if (!path.empty()) places_.push_back({path, fs::canonical(path, missing), ""});
  }
}

void Outputs::promise(const char* option, const fs::path& path, std::initializer_list<Format> taken) {
  if (path.empty()) return;
  const std::string who = std::string(option) + ": ";
  try {
    static_cast<void>(format_of(path, taken));
  } catch (const std::runtime_error& error) {
    refuse(who + error.what());
  }
  const fs::path parent = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code error;
  if (!fs::is_directory(parent, error)) {
    const bool missing = !error || error == std::errc::no_such_file_or_directory;
    refuse(who, "there is no directory \"", parent.string(), missing ? "\"" : "\": " + error.message());
  }
  try {
    const fs::path place = place_of(path);
    for (const auto& other : places_)
      if (place == other.place)
        refuse("\"", path.string(), "\" would overwrite \"", other.given.string(), "\"", other.of);
    places_.push_back({path, place, lloyd::detail::text(", the file of ", option)});
    if (fs::is_other(path, error)) return;  // a pipe or a device may be opened but once
    const lloyd::detail::OutputFile file(path, "write");
  } catch (const std::runtime_error& failure) {
    refuse(who + in_own_words(failure.what()));
  }
}

lloyd::detail::OutputFile& Outputs::open(const fs::path& path) {
  if (!asks_) asks_.emplace();
  return files_.emplace_back(path, "write");
}

void Outputs::commit() {
  for (auto& file : files_) file.close();
  if (interrupted() != 0) throw Interrupted("cancelled; nothing was written", interrupted());
  if (!files_.empty()) files_are_written();
  for (auto& file : files_) file.commit();
  files_.clear();
  asks_.reset();
}

template <class T>
void write_matrix(Outputs& outputs, const fs::path& path, const lloyd::Matrix<T>& x,
                  const std::vector<std::string>& names, std::optional<char> separator) {
  auto& file = outputs.open(path);
  const Format format = format_of(path, {Format::csv, Format::tsv, Format::npy, Format::fvecs});
  if (format == Format::npy) return lloyd::detail::write_npy_rows(file, x.view());
  if constexpr (std::is_same_v<T, float>)
    if (format == Format::fvecs) return lloyd::detail::write_fvecs_rows(file, x.view());
  const lloyd::CsvOptions options{.separator = separator_of(format, separator)};
  file.write(lloyd::detail::csv_header(names, x.cols(), options));
  lloyd::detail::write_csv_rows(file, x.view(), options.separator);
}

template <class V>
void write_column(Outputs& outputs, const fs::path& path, const std::vector<V>& values, const std::string& name) {
  namespace parts = lloyd::detail;
  auto& file = outputs.open(path);
  if (format_of(path, {Format::csv, Format::tsv, Format::npy}) == Format::npy) {
    const auto count = static_cast<lloyd::Index>(values.size());
    file.write(parts::npy_header_bytes(parts::npz_descr<V>, {count}));
    return file.write(parts::bytes_of(values.data(), count));
  }
  constexpr std::size_t block = std::size_t{1} << 16;
  std::string lines = name.empty() ? "" : name + '\n';
  for (const V value : values) {
    parts::append_number(lines, value);
    lines += '\n';
    if (lines.size() < block) continue;
    file.write(lines);
    lines.clear();
  }
  file.write(lines);
}

template void write_matrix(Outputs&, const fs::path&, const lloyd::Matrix<float>&, const std::vector<std::string>&,
                           std::optional<char>);
template void write_matrix(Outputs&, const fs::path&, const lloyd::Matrix<double>&, const std::vector<std::string>&,
                           std::optional<char>);
template void write_column(Outputs&, const fs::path&, const std::vector<lloyd::Label>&, const std::string&);
template void write_column(Outputs&, const fs::path&, const std::vector<double>&, const std::string&);

}  // namespace program
