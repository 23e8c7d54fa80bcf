// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for CUDA: what AddressSanitizer and ThreadSanitizer must be told. Nothing in a plain build.
///
/// The sources beside this file are not instrumented for ThreadSanitizer (CUDA_CPU_TSAN tells them that the kernels
/// are), and what they allocate and free is Unwatched: so only what kernels, copies and the host touch is looked at.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef CUDA_CPU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef CUDA_CPU_TSAN
#include <sanitizer/tsan_interface.h>
extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

namespace cuda_cpu {

#ifdef CUDA_CPU_ASAN
inline constexpr bool with_asan = true;
#else
inline constexpr bool with_asan = false;
#endif
#ifdef CUDA_CPU_TSAN
inline constexpr bool with_tsan = true;
#else
inline constexpr bool with_tsan = false;
#endif

/// Whether a number could be an address in what a sanitizer maps for itself, where no program has memory: half of all
/// numbers of 45 bits would be taken for addresses otherwise.
[[nodiscard]] inline bool in_shadow(std::uintptr_t value) {
  if (with_asan) return value >= 0x7fff8000 && value < 0x10007fff8000;
  const auto between = [=](std::uintptr_t begin, std::uintptr_t end) { return value >= begin && value < end; };
  return with_tsan && (between(0x008000000000, 0x550000000000) || between(0x568000000000, 0x7b0000000000));
}

inline void poison([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef CUDA_CPU_ASAN
  __asan_poison_memory_region(memory, bytes);
#endif
}
inline void unpoison([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef CUDA_CPU_ASAN
  __asan_unpoison_memory_region(memory, bytes);
#endif
}

/// A thread as ThreadSanitizer knows it: a CUDA thread, a stream, or a thread of the host.
using Context = void*;

[[nodiscard]] inline Context create_context() {
#ifdef CUDA_CPU_TSAN
  return __tsan_create_fiber(0);
#else
  return nullptr;
#endif
}
inline void destroy_context([[maybe_unused]] Context context) {
#ifdef CUDA_CPU_TSAN
  __tsan_destroy_fiber(context);
#endif
}
[[nodiscard]] inline Context current_context() {
#ifdef CUDA_CPU_TSAN
  return __tsan_get_current_fiber();
#else
  return nullptr;
#endif
}
/// What follows is done by `context`; it is not ordered after what went before.
inline void switch_context([[maybe_unused]] Context context) {
#ifdef CUDA_CPU_TSAN
  __tsan_switch_to_fiber(context, __tsan_switch_to_fiber_no_sync);
#endif
}
/// All that the current context did comes before what others do after they acquire this token.
inline void release([[maybe_unused]] void* token) {
#ifdef CUDA_CPU_TSAN
  __tsan_release(token);
#endif
}
inline void acquire([[maybe_unused]] void* token) {
#ifdef CUDA_CPU_TSAN
  __tsan_acquire(token);
#endif
}

/// The current context reads or writes this memory.
void touch_range(const void* memory, std::size_t bytes, bool write);

inline void watch([[maybe_unused]] bool on) {
#ifdef CUDA_CPU_TSAN
  (on ? AnnotateIgnoreReadsEnd : AnnotateIgnoreReadsBegin)(__FILE__, __LINE__);
  (on ? AnnotateIgnoreWritesEnd : AnnotateIgnoreWritesBegin)(__FILE__, __LINE__);
#endif
}
/// While it lives, ThreadSanitizer does not look at what the current context touches; inside, Watched turns that back.
/// Both belong to the context that made them: another one must not be switched to for good meanwhile.
template <bool On>
class Watching {
 public:
  Watching() { watch(On); }
  ~Watching() { watch(!On); }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;
};
using Unwatched = Watching<false>;
using Watched = Watching<true>;

/// While it lives, this thread is `context`.
class OnContext {
 public:
  explicit OnContext(Context context) : before_(current_context()) { switch_context(context); }
  ~OnContext() { switch_context(before_); }
  OnContext(const OnContext&) = delete;
  OnContext& operator=(const OnContext&) = delete;

 private:
  Context before_;
};

}  // namespace cuda_cpu
