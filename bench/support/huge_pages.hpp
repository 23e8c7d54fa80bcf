// SPDX-License-Identifier: MIT
/// @file
/// Rows on the pages that the other engines' rows lie on: numpy asks for huge ones for its large arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace bench {

/// Memory for so many values, untouched, on huge pages where the system gives them to those who ask.
template <class V>
[[nodiscard]] std::unique_ptr<V[]> on_huge_pages(std::size_t count) {
  std::unique_ptr<V[]> values(new V[count]);
#ifdef __linux__
  constexpr std::uintptr_t page = 4096;
  const auto begin = (reinterpret_cast<std::uintptr_t>(values.get()) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(values.get() + count) / page * page;
  void* const from = reinterpret_cast<char*>(values.get()) + (begin - reinterpret_cast<std::uintptr_t>(values.get()));
  if (end > begin) (void)madvise(from, end - begin, MADV_HUGEPAGE);
#endif
  return values;
}

}  // namespace bench
