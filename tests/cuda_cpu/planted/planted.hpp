// SPDX-License-Identifier: MIT
/// @file
/// Planted bugs: for each a program that has it and its sound twin, which differs in the bug alone.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <span>

#include "support/device.hpp"

namespace lloyd::planted {

struct Bug {
  const char* name;
  const char* what;
  void (*run)(bool planted);
};

[[nodiscard]] std::span<const Bug> bugs_of_blocks();
[[nodiscard]] std::span<const Bug> bugs_of_warps();
[[nodiscard]] std::span<const Bug> bugs_of_memory();
[[nodiscard]] std::span<const Bug> bugs_of_streams();

inline void demand(bool right) {
  if (right) return;
  std::printf("wrong result\n");
  std::fflush(stdout);
  std::_Exit(1);
}

/// Launches one of a kernel's twins.
template <class... Parameters, class... Arguments>
void launch(bool planted, cudaStream_t stream, dim3 grid, dim3 block, std::size_t shared_bytes,
            void (*bad)(Parameters...), void (*sound)(Parameters...), const Arguments&... arguments) {
  cuda::launch(stream, grid, block, shared_bytes, planted ? bad : sound, arguments...);
}

}  // namespace lloyd::planted
