// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for CUDA: how it complains, and where in a kernel.
#pragma once

#include <string>

namespace cuda_cpu {

/// A line of a kernel.
struct Place {
  const char* file = "";
  int line = 0;

  friend bool operator==(const Place& a, const Place& b);
};

/// file.cuh:12, without folders.
[[nodiscard]] std::string text(const Place& place);

/// Prints "cuda_cpu: <what>" and ends the process with exit_code: what a GPU would answer with a hang, a wrong value
/// or a sticky error has no code to return.
[[noreturn]] void fail(const std::string& what);
inline constexpr int exit_code = 99;

}  // namespace cuda_cpu
