// SPDX-License-Identifier: MIT
#include "double/report.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace cuda_cpu {

bool operator==(const Place& a, const Place& b) {
  return a.line == b.line && (a.file == b.file || std::string_view(a.file) == std::string_view(b.file));
}

std::string text(const Place& place) {
  const std::string_view file = place.file;
  return std::string(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(place.line);
}

void fail(const std::string& what) {
  std::fflush(stdout);
  std::fprintf(stderr, "cuda_cpu: %s\n", what.c_str());
  std::fflush(stderr);
  std::_Exit(exit_code);
}

}  // namespace cuda_cpu
