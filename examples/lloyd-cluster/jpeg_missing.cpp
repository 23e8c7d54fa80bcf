// SPDX-License-Identifier: MIT
// In place of jpeg.cpp where libjpeg is not there.
#include "errors.hpp"
#include "picture.hpp"

namespace program {

void require_jpeg() {
  refuse(
      "this lloyd-cluster was built without libjpeg, which .jpg files need (Debian: apt-get install libjpeg-dev, then "
      "configure and build again)");
}

Picture read_jpeg(const std::string&, const std::string&) {
  require_jpeg();
  return {};
}

}  // namespace program
