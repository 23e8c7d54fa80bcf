// SPDX-License-Identifier: MIT
#pragma once

#include <istream>
#include <streambuf>
#include <string>
#include <utility>

namespace lloyd::test {

/// A stream that cannot seek, like a pipe.
class Pipe : private std::streambuf, public std::istream {
 public:
  explicit Pipe(std::string bytes) : std::istream(this), bytes_(std::move(bytes)) {
    setg(bytes_.data(), bytes_.data(), bytes_.data() + bytes_.size());
  }

 private:
  std::string bytes_;
};

}  // namespace lloyd::test
