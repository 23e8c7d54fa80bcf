// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for cub::WarpReduce, found before the real header. As there, the result is lane 0's alone.
#pragma once

#include <cstring>

#include "double/warp_functions.hpp"

namespace cub {

template <class T>
class WarpReduce {
 public:
  struct TempStorage {};
  explicit WarpReduce(TempStorage& /*storage*/) {}

  template <class Operation>
  T Reduce(T value, Operation operation, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    for (unsigned delta = 16; delta > 0; delta /= 2)
      value = operation(value, __shfl_down_sync(0xFFFFFFFFU, value, delta, 32, file, line));
    if (cuda_cpu::lane() != 0) std::memset(&value, 0xFF, sizeof value);
    return value;
  }
  T Sum(T value, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return Reduce(
        value, [](T a, T b) { return static_cast<T>(a + b); }, file, line);
  }
};

}  // namespace cub
