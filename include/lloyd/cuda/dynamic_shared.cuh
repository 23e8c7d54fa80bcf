// SPDX-License-Identifier: MIT
/// @file
/// Shared memory of a block. The only file of cuda/ with `__shared__`: what stands in for a GPU in the tests
/// (tests/cuda_cpu) replaces it by the order of include paths.
#pragma once

#include <cuda_runtime.h>

#include "lloyd/version.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// The block's dynamic shared memory, uninitialised: the bytes given to launch(), aligned to 16. For a Storage of plain
/// arrays, launched with sizeof(Storage) bytes, or for the first of several values.
template <class Storage>
__device__ __forceinline__ Storage* dynamic_shared() {
  static_assert(alignof(Storage) <= 16);
  extern __shared__ uint4 lloyd_dynamic_shared[];
  return reinterpret_cast<Storage*>(lloyd_dynamic_shared);
}

/// Static shared memory of a block, uninitialised, one object for each Storage type: take a type local to the kernel.
template <class Storage>
__device__ __forceinline__ Storage& static_shared() {
  __shared__ Storage storage;
  return storage;
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
