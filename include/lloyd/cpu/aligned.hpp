// SPDX-License-Identifier: MIT
/// @file
/// Vectors that begin at a cache line, so that no register of theirs lies across two.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "lloyd/version.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

template <class V>
struct CacheLineAllocator {
  using value_type = V;
  static constexpr std::align_val_t line{64};

  CacheLineAllocator() = default;
  template <class Other>
  explicit CacheLineAllocator(const CacheLineAllocator<Other>& /*other*/) {}

  [[nodiscard]] V* allocate(std::size_t count) { return static_cast<V*>(::operator new(count * sizeof(V), line)); }
  void deallocate(V* values, std::size_t /*count*/) { ::operator delete(values, line); }
  friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};

template <class V>
using Aligned = std::vector<V, CacheLineAllocator<V>>;

}  // namespace lloyd::inline LLOYD_ABI::cpu
