// SPDX-License-Identifier: MIT
// In place of png.cpp where libpng is not there.
#include "errors.hpp"
#include "picture.hpp"

namespace program {

void require_png() {
  refuse(
      "this lloyd-cluster was built without libpng, which quantize needs (Debian: apt-get install libpng-dev "
      "libjpeg-dev, then configure and build again)");
}

Picture read_png(const std::string&, const std::string&) {
  require_png();
  return {};
}
std::string png_bytes(const Picture&) {
  require_png();
  return {};
}
std::string png_bytes(std::size_t, std::size_t, const std::vector<std::uint8_t>&, const std::vector<std::uint8_t>&) {
  require_png();
  return {};
}

}  // namespace program
