// SPDX-License-Identifier: MIT
// Any bytes are arrays or a BackendError, and what was read is written so that it is read as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "lloyd/npz.hpp"

namespace {

/// Reads an array as all that it could be.
void ask(const lloyd::Npz& arrays, const std::string& name) {
  try {
    if (arrays.scalar(name) == lloyd::NpyScalar::float32) {
      static_cast<void>(arrays.matrix<float>(name));
    } else {
      static_cast<void>(arrays.matrix<double>(name));
    }
  } catch (const lloyd::BackendError&) {  // refused with a message
  }
  try {
    static_cast<void>(arrays.texts(name));
  } catch (const lloyd::BackendError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const lloyd::Npz arrays = lloyd::read_npz(in);
    const auto members = arrays.members();
    for (const auto& member : members) ask(arrays, member.name.substr(0, member.name.size() - 4));
    std::string file;
    lloyd::detail::write_zip(members, {"npz_fuzz", "again"}, [&](std::string_view bytes) { file += bytes; });
    std::istringstream again(file);
    const auto read = lloyd::read_npz(again).members();
    if (read.size() != members.size()) std::abort();
    for (std::size_t i = 0; i < read.size(); ++i)
      if (read[i].name != members[i].name || read[i].bytes != members[i].bytes) std::abort();
  } catch (const lloyd::BackendError&) {  // refused with a message
  }
  return 0;
}
