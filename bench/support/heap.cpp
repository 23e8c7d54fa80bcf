// SPDX-License-Identifier: MIT
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "support/meters.hpp"

namespace {

std::atomic<bool> counting = false;
std::atomic<std::int64_t> live = 0, peak = 0;

void count(std::int64_t bytes) {
  const std::int64_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t most = peak.load(std::memory_order_relaxed);
  while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

}  // namespace

// Timed calls pay one test of a flag; only the first call of a process is counted. The one that returns null is there
// for std::stable_sort: a sanitizer's would not go with the delete below.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  void* memory = std::malloc(size > 0 ? size : 1);
  if (memory != nullptr && counting.load(std::memory_order_relaxed))
    count(static_cast<std::int64_t>(malloc_usable_size(memory)));
  return memory;
}
void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  void* memory = std::aligned_alloc(to, (size + to - 1) / to * to);
  if (memory == nullptr) throw std::bad_alloc();
  if (counting.load(std::memory_order_relaxed)) count(static_cast<std::int64_t>(malloc_usable_size(memory)));
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory != nullptr && counting.load(std::memory_order_relaxed))
    count(-static_cast<std::int64_t>(malloc_usable_size(memory)));
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept { operator delete(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { operator delete(memory); }
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  operator delete(memory);
}

namespace bench {

HeapPeak::HeapPeak() {
  live = peak = 0;
  counting = true;
}
HeapPeak::~HeapPeak() { counting = false; }
std::int64_t HeapPeak::bytes() const { return peak.load(); }

}  // namespace bench
