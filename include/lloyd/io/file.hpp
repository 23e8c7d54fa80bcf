// SPDX-License-Identifier: MIT
/// @file
/// What the readers and writers of files share: messages, checked opening and reading, writing beside and renaming.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <ios>
#include <istream>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "lloyd/error.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Where bytes come from, for messages: "lloyd::<who>: <name>: ...".
struct Origin {
  std::string who, name;

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    throw BackendError(text("lloyd::", who, ": ", name, ": ", parts...));
  }
};

/// Foreign text for a message: in quotes, at most 40 bytes of it, what cannot be printed as \xNN.
[[nodiscard]] inline std::string excerpt(std::string_view foreign) {
  constexpr std::size_t longest = 40;
  constexpr std::string_view hex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : foreign.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || byte >= 0x80) {
      out.append("\\x").append(1, hex[byte >> 4U]).append(1, hex[byte & 15U]);
    } else {
      out += c;
    }
  }
  return out + (foreign.size() > longest ? "...\"" : "\"");
}

/// The text of an errno, by the C++ library, whose function may be called from any thread.
[[nodiscard]] inline std::string error_text(int code) { return std::generic_category().message(code); }

/// Opens a file to be read as bytes.
[[nodiscard]] inline std::ifstream open_to_read(const std::filesystem::path& path, const Origin& origin) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) origin.refuse("no such file");
  if (std::filesystem::is_directory(path, ignored)) origin.refuse("is a directory, expected a file");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) origin.refuse("cannot be opened: ", error_text(errno));
  return in;
}

/// A stream whose state tells what happened, without exceptions of its own, while this lives. Then the caller's mask is
/// back; it throws no more for what is known already.
class SilentStream {
 public:
  explicit SilentStream(std::istream& in) : in_(in), mask_(in.exceptions()) { in.exceptions(std::ios::goodbit); }
  SilentStream(const SilentStream&) = delete;
  SilentStream& operator=(const SilentStream&) = delete;
  ~SilentStream() {
    try {
      in_.exceptions(mask_);
    } catch (const std::ios::failure&) {  // the mask is set, and the end was reached
    }
  }

 private:
  std::istream& in_;
  std::ios::iostate mask_;
};

/// Reads up to `count` bytes; fewer only at the end.
[[nodiscard]] inline std::size_t read_bytes(std::istream& in, char* to, std::size_t count, const Origin& origin) {
  if (in.eof()) return 0;
  if (!in.good()) origin.refuse("the stream has failed before it was read");
  in.read(to, static_cast<std::streamsize>(count));
  if (in.bad()) origin.refuse("reading failed");
  return static_cast<std::size_t>(in.gcount());
}

/// The bytes between here and the end, where the stream can say so (a file or a string can, a pipe cannot).
/// Asks the buffer, because asking the stream would leave a failed one behind.
[[nodiscard]] inline std::optional<std::size_t> bytes_left(std::istream& in) {
  const std::streamoff here = in.rdbuf()->pubseekoff(0, std::ios::cur, std::ios::in);
  if (here < 0) return std::nullopt;
  const std::streamoff end = in.rdbuf()->pubseekoff(0, std::ios::end, std::ios::in);
  const std::streamoff back = in.rdbuf()->pubseekoff(here, std::ios::beg, std::ios::in);
  if (end < here || back != here) return std::nullopt;
  return static_cast<std::size_t>(end - here);
}

/// A matrix of values that were collected before their number was known.
template <Real T>
[[nodiscard]] Matrix<T> to_matrix(const std::vector<T>& values, Index rows, Index cols) {
  Matrix<T> x(rows, cols);
  std::copy(values.begin(), values.end(), x.data());
  return x;
}

/// What a path leads to when it is written: links are followed, be there something at their end or not.
[[nodiscard]] inline std::filesystem::path end_of_links(std::filesystem::path path, const Origin& origin) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  constexpr int most_links = 40;
  for (int links = 0; links < most_links && fs::is_symlink(path, ignored); ++links)
    path = path.parent_path() / fs::read_symlink(path, ignored);
  if (fs::is_symlink(path, ignored)) origin.refuse("is a link that leads nowhere");
  return path;
}

/// A file that appears whole or not at all: written under a name of its own in the same directory, renamed by commit(),
/// removed by the destructor otherwise. A device or a pipe (/dev/stdout) is written directly; a link stays, and what it
/// points to is written, be it there or not.
class OutputFile {
 public:
  OutputFile(const std::filesystem::path& path, const char* who)
      : origin_{who, path.string()}, target_(end_of_links(path, origin_)) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const fs::file_status status = fs::status(target_, ignored);
    if (fs::is_directory(status)) origin_.refuse("is a directory, expected the name of a file");
    if (!target_.has_filename()) origin_.refuse("is no name of a file");
    if (fs::exists(status) && !fs::is_regular_file(status)) {
      file_ = std::fopen(target_.string().c_str(), "wb");
      if (file_ == nullptr) origin_.refuse("cannot be written: ", error_text(errno));
      return;
    }
    create_beside();
    if (fs::exists(status)) fs::permissions(beside_, status.permissions(), ignored);
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() {
    if (file_ != nullptr) static_cast<void>(std::fclose(file_));
    std::error_code ignored;
    if (!beside_.empty()) std::filesystem::remove(beside_, ignored);
  }

  void write(std::string_view bytes) {
    if (bytes.empty()) return;  // whose pointer may be null
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
      origin_.refuse("writing failed: ", error_text(errno));
    }
  }

  /// All is written; a full disk is found here at the latest.
  void close() {
    std::FILE* const file = std::exchange(file_, nullptr);
    if (file != nullptr && std::fclose(file) != 0) origin_.refuse("writing failed: ", error_text(errno));
  }

  /// Gives the file its name, closed before or not.
  void commit() {
    close();
    if (beside_.empty()) return;
    std::error_code error;
    std::filesystem::rename(beside_, target_, error);
    if (error) origin_.refuse("cannot be written: ", error.message());
    beside_.clear();
  }

  [[nodiscard]] const Origin& origin() const noexcept { return origin_; }

 private:
  /// "x" refuses a name that exists, so two writers never share one; the name is short, whatever the target's length.
  void create_beside() {
    std::random_device random;
    for (int trial = 0; trial < 16 && file_ == nullptr; ++trial) {
      const auto beside = target_.parent_path() / text(".lloyd-", std::to_string(random()), ".part");
      file_ = std::fopen(beside.string().c_str(), "wbx");
      if (file_ != nullptr) {
        beside_ = beside;
      } else if (errno != EEXIST) {
        break;
      }
    }
    if (file_ == nullptr) origin_.refuse("cannot be written: ", error_text(errno));
  }

  Origin origin_;
  std::filesystem::path target_, beside_;
  std::FILE* file_ = nullptr;
};

}  // namespace lloyd::inline LLOYD_ABI::detail
