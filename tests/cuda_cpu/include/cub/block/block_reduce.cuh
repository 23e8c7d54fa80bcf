// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for cub::BlockReduce, found before the real header. As there, the result is thread 0's alone, and its
/// storage must not be used again without a barrier.
#pragma once

#include <cstring>

#include "double/block.hpp"

namespace cub {

template <class T, int BlockThreads>
class BlockReduce {
 public:
  struct TempStorage {
    T values[static_cast<std::size_t>(BlockThreads)];
  };
  explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

  template <class Operation>
  T Reduce(T value, Operation operation, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    storage_.values[threadIdx.x] = value;
    cuda_cpu::barrier({file, line});
    if (threadIdx.x != 0) {
      std::memset(&value, 0xFF, sizeof value);
      return value;
    }
    for (int i = 1; i < BlockThreads; ++i) value = operation(value, storage_.values[i]);
    return value;
  }
  T Sum(T value, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return Reduce(
        value, [](T a, T b) { return static_cast<T>(a + b); }, file, line);
  }

 private:
  TempStorage& storage_;
};

}  // namespace cub
