// SPDX-License-Identifier: MIT
// Any bytes are vectors or a BackendError, the same from a stream that knows its length as from one that does not.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <istream>
#include <sstream>
#include <string>

#include "io/pipe.hpp"
#include "lloyd/fvecs.hpp"

namespace {

/// The bytes of the vectors, or why there are none.
std::string read(std::istream& in) {
  try {
    const auto x = lloyd::read_fvecs(in);
    const char* const values = reinterpret_cast<const char*>(x.data());
    return std::to_string(x.rows()) + " " + std::string(values, static_cast<std::size_t>(x.rows() * x.cols()) * 4);
  } catch (const lloyd::BackendError& error) {
    return error.what();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  std::istringstream file(bytes);
  lloyd::test::Pipe pipe(bytes);
  if (read(file) != read(pipe)) std::abort();
  return 0;
}
