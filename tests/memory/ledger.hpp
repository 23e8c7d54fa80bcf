// SPDX-License-Identifier: MIT
/// @file
/// What a program has allocated, and allocations that fail on purpose. One unit of a program, ledger_test.cpp here,
/// replaces operator new.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace lloyd::test {

/// Live bytes by operator new, their peak, and how many allocations are left before one fails.
struct Ledger {
  std::atomic<std::int64_t> live{0}, peak{0}, calls{0};
  std::atomic<std::int64_t> left{std::numeric_limits<std::int64_t>::max()};

  /// Counts a call. False: it must fail.
  [[nodiscard]] bool permit() {
    ++calls;
    return left.load(std::memory_order_relaxed) == std::numeric_limits<std::int64_t>::max() || left-- > 0;
  }
  void came(std::size_t bytes) {
    const std::int64_t now = live += static_cast<std::int64_t>(bytes);
    std::int64_t most = peak.load();
    while (now > most && !peak.compare_exchange_weak(most, now)) {
    }
  }
  void went(std::size_t bytes) { live -= static_cast<std::int64_t>(bytes); }
};

inline Ledger ledger;

/// The peak of live bytes above what was live before, while `work` runs.
template <class Work>
[[nodiscard]] std::int64_t peak_of(const Work& work) {
  const std::int64_t before = ledger.live;
  ledger.peak = before;
  work();
  return ledger.peak - before;
}

/// Lets so many allocations pass while it lives; the next one, and all after, throw bad_alloc.
class Allowance {
 public:
  explicit Allowance(std::int64_t calls) { ledger.left = calls; }
  ~Allowance() { ledger.left = std::numeric_limits<std::int64_t>::max(); }
  Allowance(const Allowance&) = delete;
  Allowance& operator=(const Allowance&) = delete;
};

}  // namespace lloyd::test
