// SPDX-License-Identifier: MIT
// The operators new and delete of this program, which keep the ledger, and a check that they do.
#include "memory/ledger.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace lloyd::test {
namespace {

[[nodiscard]] void* take(std::size_t bytes, std::size_t alignment) {
  if (!ledger.permit()) return nullptr;
  const std::size_t rounded = (std::max(bytes, std::size_t{1}) + alignment - 1) / alignment * alignment;
  void* memory = alignment <= alignof(std::max_align_t) ? std::malloc(rounded) : std::aligned_alloc(alignment, rounded);
  if (memory != nullptr) ledger.came(malloc_usable_size(memory));
  return memory;
}

[[nodiscard]] void* take_or_throw(std::size_t bytes, std::size_t alignment) {
  void* memory = take(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void give(void* memory) noexcept {
  if (memory == nullptr) return;
  ledger.went(malloc_usable_size(memory));
  std::free(memory);
}

constexpr std::size_t usual = alignof(std::max_align_t);

}  // namespace
}  // namespace lloyd::test

using lloyd::test::give;
using lloyd::test::take;
using lloyd::test::take_or_throw;
using lloyd::test::usual;

void* operator new(std::size_t n) { return take_or_throw(n, usual); }
void* operator new[](std::size_t n) { return take_or_throw(n, usual); }
void* operator new(std::size_t n, std::align_val_t a) { return take_or_throw(n, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return take_or_throw(n, static_cast<std::size_t>(a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return take(n, usual); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return take(n, usual); }
void operator delete(void* p) noexcept { give(p); }
void operator delete[](void* p) noexcept { give(p); }
void operator delete(void* p, std::size_t) noexcept { give(p); }
void operator delete[](void* p, std::size_t) noexcept { give(p); }
void operator delete(void* p, std::align_val_t) noexcept { give(p); }
void operator delete[](void* p, std::align_val_t) noexcept { give(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { give(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { give(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { give(p); }

namespace lloyd::test {
namespace {

TEST(Ledger, KnowsThePeak) {
  const auto peak = peak_of([] {
    std::vector<char> small(1000);
    { std::vector<double> large(100000); }
    std::vector<char> medium(2000);
  });
  EXPECT_GE(peak, 801000);
  EXPECT_LT(peak, 810000);
  EXPECT_LT(peak_of([] {}), 1);
}

TEST(Ledger, FailsWhereTold) {
  const Allowance two(2);
  const auto first = std::make_unique<int>(1), second = std::make_unique<int>(2);
  EXPECT_THROW((void)std::make_unique<int>(3), std::bad_alloc);
}

}  // namespace
}  // namespace lloyd::test
