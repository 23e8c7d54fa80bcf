// SPDX-License-Identifier: MIT
// Where the seconds of a run go, by name.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "json.hpp"

namespace program {

class Stopwatch {
 public:
  /// The seconds since the last lap, or the beginning, went to this.
  double lap(const std::string& name) {
    const auto now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    laps_.emplace_back(name, seconds);
    last_ = now;
    return seconds;
  }

  /// All laps and their total as an object.
  void print(Json& json) const {
    json.key("seconds").open('{');
    double total = 0;
    for (const auto& [name, seconds] : laps_) {
      json.member(name, seconds);
      total += seconds;
    }
    json.member("total", total).close('}');
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
  std::vector<std::pair<std::string, double>> laps_;
};

}  // namespace program
