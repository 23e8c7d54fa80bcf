// SPDX-License-Identifier: MIT
// Any bytes are an array or a BackendError, and the same from a stream that knows its length as from one that does not.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <istream>
#include <optional>
#include <sstream>
#include <string>

#include "io/pipe.hpp"
#include "lloyd/npy.hpp"

namespace {

template <lloyd::Real T>
std::optional<lloyd::Matrix<T>> read(std::istream& in) {
  try {
    return lloyd::read_npy<T>(in);
  } catch (const lloyd::BackendError&) {
    return std::nullopt;  // refused with a message
  }
}

template <lloyd::Real T>
void compare(const std::string& bytes) {
  std::istringstream file(bytes);
  lloyd::test::Pipe pipe(bytes);
  const auto x = read<T>(file), y = read<T>(pipe);
  if (x.has_value() != y.has_value()) std::abort();
  if (!x) return;
  if (x->rows() != y->rows() || x->cols() != y->cols()) std::abort();
  const auto count = static_cast<std::size_t>(x->rows() * x->cols());
  if (count != 0 && std::memcmp(x->data(), y->data(), count * sizeof(T)) != 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  compare<float>(bytes);
  compare<double>(bytes);
  return 0;
}
