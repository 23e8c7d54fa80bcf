// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for CUDA: atomics, relaxed as in CUDA: they order nothing but themselves.
#pragma once

#include <cstdint>
#include <type_traits>

namespace cuda_cpu {

/// *address = change(*address); what stood there before.
template <class T, class Change>
T atomic_change(T* address, const Change& change) {
  T before = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(address, &before, change(before), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return before;
}

// The types for which CUDA has the operation, in 32 and 64 bits.
template <class T>
concept Word32or64 = std::is_same_v<T, int> || std::is_same_v<T, unsigned> || std::is_same_v<T, unsigned long long>;
template <class T>
concept Comparable = Word32or64<T> || std::is_same_v<T, long long>;

}  // namespace cuda_cpu

template <cuda_cpu::Word32or64 T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
inline int atomicSub(int* address, int value) { return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED); }
inline unsigned atomicSub(unsigned* address, unsigned value) {
  return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}
template <cuda_cpu::Comparable T>
T atomicMin(T* address, std::type_identity_t<T> value) {
  return cuda_cpu::atomic_change(address, [=](T before) { return value < before ? value : before; });
}
template <cuda_cpu::Comparable T>
T atomicMax(T* address, std::type_identity_t<T> value) {
  return cuda_cpu::atomic_change(address, [=](T before) { return before < value ? value : before; });
}
template <cuda_cpu::Word32or64 T>
T atomicAnd(T* address, std::type_identity_t<T> value) {
  return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);
}
template <cuda_cpu::Word32or64 T>
T atomicOr(T* address, std::type_identity_t<T> value) {
  return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
}
template <cuda_cpu::Word32or64 T>
T atomicXor(T* address, std::type_identity_t<T> value) {
  return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);
}
template <cuda_cpu::Word32or64 T>
T atomicExch(T* address, std::type_identity_t<T> value) {
  return __atomic_exchange_n(address, value, __ATOMIC_RELAXED);
}
template <cuda_cpu::Word32or64 T>
T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  (void)__atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
