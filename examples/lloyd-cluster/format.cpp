// SPDX-License-Identifier: MIT
#include "format.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <system_error>
#include <utility>

#include "errors.hpp"

namespace program {
namespace {

struct Ending {
  std::string_view text;
  Format format;
};
constexpr std::array<Ending, 9> endings = {{{".csv", Format::csv},
                                            {".tsv", Format::tsv},
                                            {".npy", Format::npy},
                                            {".npz", Format::npz},
                                            {".fvecs", Format::fvecs},
                                            {".png", Format::png},
                                            {".jpg", Format::jpeg},
                                            {".jpeg", Format::jpeg},
                                            {".svg", Format::svg}}};

/// What to do with a file of rows whose name ends otherwise.
const char* hint_of_rows(const fs::path& path, const fs::path& extension) {
  std::error_code missing;  // which the reader says
  if (fs::is_directory(path, missing)) return " (it is a directory)";
  if (path == "-") return " (standard input is /dev/stdin)";
  if (extension == ".gz") return " (/dev/stdin takes what zcat writes)";
  if (extension == ".bz2") return " (/dev/stdin takes what bzcat writes)";
  if (extension == ".xz") return " (/dev/stdin takes what xzcat writes)";
  if (extension == ".zst") return " (/dev/stdin takes what zstdcat writes)";
  if (extension == ".zip") return " (/dev/stdin takes what unzip -p writes)";
  if (extension == ".npz") return " (a model: predict takes it before the rows, fit by --start)";
  if (extension == ".png" || extension == ".jpg" || extension == ".jpeg") return " (quantize reads pictures)";
  if (extension == ".xlsx" || extension == ".xls" || extension == ".ods") return " (a workbook is saved as CSV UTF-8)";
  if (extension == ".parquet") return " (pandas.read_parquet(path).to_csv(\"rows.csv\", index=False) writes a .csv)";
  return " (what comes through /dev/stdin is read as .csv; --separator says what separates columns)";
}

}  // namespace

Format format_of(const fs::path& path, std::initializer_list<Format> taken, const char* hint) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  std::string expected;
  const auto count = std::count_if(endings.begin(), endings.end(), [&](const Ending& ending) {
    return std::find(taken.begin(), taken.end(), ending.format) != taken.end();
  });
  long position = 0;
  for (const auto& [text, format] : endings) {
    if (std::find(taken.begin(), taken.end(), format) == taken.end()) continue;
    if (extension == text) return format;
    ++position;
    expected += position == 1 ? "" : position == count ? " or " : ", ";
    expected += text;
  }
  refuse("\"", path.string(), "\" does not end in ", expected, hint);
}

Format format_of_rows(const fs::path& path) {
  const fs::path extension = path.extension();
  std::error_code missing;  // which the reader says
  const bool has_no_name = path.string().starts_with("/dev/") || path.string().starts_with("/proc/");
  if (extension.empty() && (has_no_name || fs::is_other(path, missing))) return Format::csv;
  return format_of(path, {Format::csv, Format::tsv, Format::npy, Format::fvecs}, hint_of_rows(path, extension));
}

std::string digits(double value, std::chars_format format, int precision) {
  std::array<char, 400> text;  // the largest double has 309 digits before the point
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value, format, precision);
  return {text.data(), result.ptr};
}

}  // namespace program
