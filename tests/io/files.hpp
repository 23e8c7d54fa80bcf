// SPDX-License-Identifier: MIT
// What the tests of readers and writers share.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace lloyd::test {

/// A directory of the test's own, empty at first and removed with all it holds.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {  // random, because the same test of two builds may run at once
    std::random_device random;
    path_ = std::filesystem::path(testing::TempDir()) / ("lloyd-" + std::to_string(random()));
    if (!std::filesystem::create_directory(path_)) throw std::runtime_error(path_.string() + " exists already");
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator());
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// The text of the error that a call ends with, which must be an E; "" when there is none.
template <class E, class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

}  // namespace lloyd::test
