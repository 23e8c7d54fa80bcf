// SPDX-License-Identifier: MIT
#include "progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <iostream>

#include "format.hpp"
#include "interrupt.hpp"

namespace program {

using Phase = lloyd::Iteration::Phase;

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::say(const std::string& text) {
  if (!terminal_) return;
  winsize window{};
  std::size_t width = 80;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1) width = window.ws_col;
  std::string line = text.substr(0, width - 1);  // a longer one would wrap
  if (line.size() < text.size())
    line.resize((std::min)(line.rfind(", "), line.size()));  // a part is shown whole or not
  std::cerr << "\r\x1b[K" << line << std::flush;
  dirty_ = true;
}

void Progress::clear() {
  if (!dirty_) return;
  std::cerr << "\r\x1b[K" << std::flush;
  dirty_ = false;
}

void Progress::expect(const std::string& what, lloyd::Index n_init, const std::string& then) {
  what_ = what;
  then_ = then;
  n_init_ = n_init;
  done_ = 0;
  phase_ = Phase::survey;
  phase_start_ = run_start_ = last_ = 0;
}

bool Progress::operator()(const lloyd::Iteration& iteration) {
  using std::chrono::steady_clock;
  if (iteration.phase != phase_) {
    phase_ = iteration.phase;
    phase_start_ = last_;
  }
  last_ = iteration.seconds;
  constexpr std::chrono::milliseconds often(100);
  if (terminal_ && steady_clock::now() - shown_ >= often) {
    say(line(iteration));
    shown_ = steady_clock::now();
  }
  if (iteration.phase == Phase::finish) {
    ++done_;
    run_start_ = iteration.seconds;
    if (done_ == n_init_ && !then_.empty()) say(what_ + then_);
  }
  return interrupted() == 0;
}

std::string Progress::line(const lloyd::Iteration& iteration) const {
  std::string text = what_;
  if (n_init_ > 1) text += lloyd::detail::text("start ", done_ + 1, " of ", n_init_, ", ");
  const std::string passes = lloyd::detail::text(" ", iteration.done, " of ", iteration.total);
  switch (iteration.phase) {
    case Phase::survey:
      return text + "reading the rows once";
    case Phase::finish:
      return text + "finishing";
    case Phase::seeding:
      text += "seeding," + passes;
      break;
    case Phase::lloyd:
      text += "iteration" + passes;
      break;
  }
  text += ", " + time_left(iteration) + " left" + lloyd::detail::text(", inertia ", shown(iteration.inertia));
  return iteration.phase == Phase::lloyd ? text + lloyd::detail::text(", ", iteration.n_changed, " rows moved") : text;
}

/// What is left of all starts, from those that are done; without them, of this phase.
std::string Progress::time_left(const lloyd::Iteration& iteration) const {
  const auto in_seconds = [](double seconds) {
    if (seconds < 120) return digits(seconds, std::chars_format::fixed, 0) + " s";
    if (seconds < 7200) return digits(seconds / 60, std::chars_format::fixed, 0) + " min";
    return digits(seconds / 3600, std::chars_format::fixed, 0) + " h";
  };
  if (done_ > 0) {
    const double each = run_start_ / static_cast<double>(done_);
    const double of_this = (std::max)(0.0, each - (iteration.seconds - run_start_));
    return lloyd::detail::text("about ", in_seconds(of_this + each * static_cast<double>(n_init_ - done_ - 1)));
  }
  const double each = (iteration.seconds - phase_start_) / static_cast<double>(iteration.done);
  const std::string left = in_seconds(each * static_cast<double>(iteration.total - iteration.done));
  return (iteration.phase == Phase::lloyd ? "at most " : "") + left;
}

}  // namespace program
