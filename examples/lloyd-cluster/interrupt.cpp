// SPDX-License-Identifier: MIT
#include "interrupt.hpp"

#include <unistd.h>

#include <csignal>

namespace program {
namespace {

volatile std::sig_atomic_t came = 0, asked = 0;

void take(int signal) {
  if (asked == 0 || came != 0) {
    constexpr char end_of_line[] = "\n";  // the progress line may stand there
    if (isatty(STDERR_FILENO) != 0 && write(STDERR_FILENO, end_of_line, 1) < 0) _exit(1);
    _exit(128 + signal);
  }
  came = signal;
}

}  // namespace

void install_interrupts() {
  for (const int signal : {SIGINT, SIGTERM})
    if (std::signal(signal, take) == SIG_IGN) std::signal(signal, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

int interrupted() noexcept { return came; }

AsksForInterrupts::AsksForInterrupts() { asked = 1; }

AsksForInterrupts::~AsksForInterrupts() { asked = 0; }

}  // namespace program
