// SPDX-License-Identifier: MIT
// One line on a terminal that says what goes on; nothing elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "lloyd/options.hpp"

namespace program {

class Progress {
 public:
  Progress();  // on stderr, if that is a terminal
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  /// Shows a text in place of the last one.
  void say(const std::string& text);
  /// Leaves the line empty.
  void clear();

  /// The fits that follow are of so many starts each; `what` stands before their line, and with `then` after the last.
  void expect(const std::string& what, lloyd::Index n_init, const std::string& then = "");
  /// Shows what the callback of a fit sees. @return whether it may go on: false once the program is interrupted
  bool operator()(const lloyd::Iteration& iteration);

 private:
  [[nodiscard]] std::string line(const lloyd::Iteration& iteration) const;
  [[nodiscard]] std::string time_left(const lloyd::Iteration& iteration) const;

  bool terminal_, dirty_ = false;
  std::string what_, then_;
  lloyd::Index n_init_ = 1, done_ = 0;      // starts, and how many are done
  double phase_start_ = 0, run_start_ = 0;  // in seconds of the fit
  lloyd::Iteration::Phase phase_ = lloyd::Iteration::Phase::survey;
  double last_ = 0;  // when the last report came
  std::chrono::steady_clock::time_point shown_{};
};

}  // namespace program
