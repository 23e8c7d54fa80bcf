// SPDX-License-Identifier: MIT
/// @file
/// Meters: seconds, the resident peak as the operating system knows it, live bytes of operator new. A meter that the
/// machine lacks gives nothing, and its column is absent.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace bench {

using Clock = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A planted slowdown, with which the tools are tested: work named `phase` takes `percent` longer.
struct Plant {
  std::string phase;
  double percent = 0;
};

/// Seconds that work takes, with what is planted in it.
template <class Work>
double timed(std::string_view phase, const Plant& plant, const Work& work) {
  const auto start = Clock::now();
  work();
  const double seconds = seconds_since(start);
  if (plant.percent <= 0 || phase != plant.phase) return seconds;
  while (seconds_since(start) < seconds * (1 + plant.percent / 100)) {
  }
  return seconds_since(start);
}

/// A value in bytes of /proc/self/status, such as VmRSS.
[[nodiscard]] inline std::optional<std::int64_t> status_bytes(std::string_view name) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
    return std::stoll(line.substr(name.size() + 1)) * 1024;
  }
  return std::nullopt;
}

/// How far resident memory rises above where it stood: VmHWM, set back through /proc/self/clear_refs.
class ResidentPeak {
 public:
  static constexpr const char* name = "VmHWM above VmRSS before";

  /// Remembers where memory stands, and forgets the peak so far. Where that is refused there is no meter.
  ResidentPeak() {
    const auto before = status_bytes("VmHWM");
    std::ofstream clear("/proc/self/clear_refs");
    clear << "5" << std::flush;
    start_ = status_bytes("VmRSS");
    const auto after = status_bytes("VmHWM");
    usable_ = clear.good() && start_ && before && after && *after <= *start_ + (std::int64_t{1} << 20);
  }
  [[nodiscard]] std::optional<std::int64_t> bytes() const {
    const auto peak = status_bytes("VmHWM");
    if (!usable_ || !peak) return std::nullopt;
    return (std::max)(*peak - *start_, std::int64_t{0});
  }

 private:
  std::optional<std::int64_t> start_;
  bool usable_ = false;
};

/// Live bytes of operator new while counting (heap.cpp replaces it): exact where resident pages are too coarse.
class HeapPeak {
 public:
  static constexpr const char* name = "operator new";

  HeapPeak();
  ~HeapPeak();
  HeapPeak(const HeapPeak&) = delete;
  HeapPeak& operator=(const HeapPeak&) = delete;
  [[nodiscard]] std::int64_t bytes() const;
};

}  // namespace bench
