// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for CUDA: barriers, fences, shuffles and votes as kernels write them. Their place in the kernel comes by
/// default arguments.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "double/block.hpp"
#include "double/warp.hpp"

inline constexpr int warpSize = 32;

inline void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  cuda_cpu::barrier({file, line});
}
inline int __syncthreads_count(int predicate, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return cuda_cpu::barrier_count(predicate != 0, {file, line});
}
inline int __syncthreads_or(int predicate, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return cuda_cpu::barrier_count(predicate != 0, {file, line}) != 0 ? 1 : 0;
}
inline int __syncthreads_and(int predicate, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return cuda_cpu::barrier_count(predicate == 0, {file, line}) == 0 ? 1 : 0;
}
inline void __syncwarp(unsigned mask = 0xFFFFFFFFU, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  (void)cuda_cpu::meet(cuda_cpu::WarpOperation::synchronise, mask, 0, {file, line});
}
inline void __threadfence() { cuda_cpu::fence(); }
inline void __threadfence_block() { cuda_cpu::fence(); }
inline void __threadfence_system() { cuda_cpu::fence(); }

namespace cuda_cpu {

/// Gets the value of the lane that source(lane, first lane of the segment) names, or the own one where that is not in
/// the segment.
template <class T, class Source>
T shuffle(unsigned mask, T value, int width, const Place& place, const Source& source) {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  const Lanes lanes = meet(WarpOperation::shuffle, mask, bits, place);
  const int own = static_cast<int>(lane()), segment = own & ~(width - 1), from = source(own, segment);
  const int taken = from < segment || from >= segment + width ? own : from;
  std::memcpy(&value, &lanes.value[taken], sizeof value);
  return value;
}

}  // namespace cuda_cpu

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, const char* file = __builtin_FILE(),
              int line = __builtin_LINE()) {
  return cuda_cpu::shuffle(mask, value, width, {file, line},
                           [=](int, int segment) { return segment + (source & (width - 1)); });
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, const char* file = __builtin_FILE(),
                 int line = __builtin_LINE()) {
  return cuda_cpu::shuffle(mask, value, width, {file, line},
                           [=](int own, int) { return own - static_cast<int>(delta); });
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, const char* file = __builtin_FILE(),
                   int line = __builtin_LINE()) {
  return cuda_cpu::shuffle(mask, value, width, {file, line},
                           [=](int own, int) { return own + static_cast<int>(delta); });
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  return cuda_cpu::shuffle(mask, value, width, {file, line}, [=](int own, int) { return own ^ lanes; });
}

inline unsigned __ballot_sync(unsigned mask, int predicate, const char* file = __builtin_FILE(),
                              int line = __builtin_LINE()) {
  const auto lanes =
      cuda_cpu::meet(cuda_cpu::WarpOperation::vote, mask, static_cast<std::uint64_t>(predicate != 0), {file, line});
  unsigned votes = 0;
  for (unsigned i = 0; i < cuda_cpu::warp_size; ++i)
    if (lanes.value[i] == 1) votes |= 1U << i;
  return votes;
}
inline int __any_sync(unsigned mask, int predicate, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return __ballot_sync(mask, predicate, file, line) != 0 ? 1 : 0;
}
inline int __all_sync(unsigned mask, int predicate, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return __ballot_sync(mask, predicate, file, line) == mask ? 1 : 0;
}
template <class T>
unsigned __match_any_sync(unsigned mask, T value, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  const auto lanes = cuda_cpu::meet(cuda_cpu::WarpOperation::match, mask, bits, {file, line});
  unsigned equal = 0;
  for (unsigned i = 0; i < cuda_cpu::warp_size; ++i)
    if ((mask >> i & 1U) != 0 && lanes.value[i] == bits) equal |= 1U << i;
  return equal;
}
