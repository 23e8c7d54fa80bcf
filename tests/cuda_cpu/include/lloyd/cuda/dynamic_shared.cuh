// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE, found before the library's file of this name: shared memory is a fresh heap block for every block of
/// threads, of exactly the bytes asked for and filled with NaN, so that sanitizers see its ends.
#pragma once

#include "double/block.hpp"
#include "lloyd/version.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

template <class Storage>
Storage* dynamic_shared() {
  static_assert(alignof(Storage) <= 16);
  return static_cast<Storage*>(cuda_cpu::dynamic_shared_memory());
}

template <class Storage>
Storage& static_shared() {
  static const char key = 0;  // its address tells the type
  return *static_cast<Storage*>(cuda_cpu::static_shared_memory(&key, sizeof(Storage), alignof(Storage)));
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
