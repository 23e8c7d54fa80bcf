// SPDX-License-Identifier: MIT
#include "interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace program {
namespace {

volatile std::sig_atomic_t came = 0, asked = 0, written = 0;

void say(std::string_view text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(1);
}

void take(int signal) {
  if (asked == 0 || came != 0) {
    if (isatty(STDERR_FILENO) != 0) say(asked == 0 ? "\r\x1b[K" : "\n");  // the progress line may stand there
    if (asked == 0 && written == 0) say("lloyd-cluster: cancelled; nothing was written\n");
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

void files_are_written() noexcept { written = 1; }

AsksForInterrupts::AsksForInterrupts() { asked = 1; }

AsksForInterrupts::~AsksForInterrupts() { asked = 0; }

}  // namespace program
