// SPDX-License-Identifier: MIT
// Files without a name: they take what has to be read more than once, and are gone with whoever holds them.
#pragma once

#include <cstdio>
#include <memory>
#include <string_view>

#include "format.hpp"

namespace program {

struct CloseFile {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};
using ScratchFile = std::unique_ptr<std::FILE, CloseFile>;

/// An empty one.
/// @throws std::runtime_error where there is no place for it
[[nodiscard]] ScratchFile scratch_file();

/// Adds to its end, to be read by others.
void append(const ScratchFile& file, std::string_view content);

/// What a path leads to, to be opened any number of times: what comes through a pipe is kept in a file without a name.
class Reopened {
 public:
  /// Reads a pipe to its end.
  explicit Reopened(const fs::path& path);

  /// Where to open it, as long as this lives.
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  ScratchFile copy_;
};

}  // namespace program
