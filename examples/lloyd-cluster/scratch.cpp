// SPDX-License-Identifier: MIT
#include "scratch.hpp"

#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>

#include "errors.hpp"
#include "lloyd/io/file.hpp"

namespace program {
namespace {

[[noreturn]] void refuse_to_go_on() {
  refuse("no temporary file can be written: ", std::generic_category().message(errno));
}

}  // namespace

ScratchFile scratch_file() {
  ScratchFile file(std::tmpfile());
  if (file == nullptr) refuse_to_go_on();
  return file;
}

void append(const ScratchFile& file, std::string_view content) {
  if (std::fwrite(content.data(), 1, content.size(), file.get()) != content.size() || std::fflush(file.get()) != 0)
    refuse_to_go_on();
}

Reopened::Reopened(const fs::path& path) : path_(path) {
  std::error_code missing;  // which the reader says
  if (!fs::is_other(path, missing)) return;
  auto in = lloyd::detail::open_to_read(path, {"read_csv", path.string()});
  copy_ = scratch_file();
  std::string block(std::size_t{1} << 16, '\0');
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0)
    append(copy_, std::string_view(block).substr(0, static_cast<std::size_t>(in.gcount())));
  path_ = lloyd::detail::text("/proc/self/fd/", fileno(copy_.get()));
}

}  // namespace program
