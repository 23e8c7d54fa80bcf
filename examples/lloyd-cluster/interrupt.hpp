// SPDX-License-Identifier: MIT
// What Ctrl-C does: it ends the program at once while no file is open to be written, and is asked for otherwise.
#pragma once

#include <stdexcept>
#include <string>

namespace program {

/// The program was asked to stop, by a signal. Nothing was written.
class Interrupted : public std::runtime_error {
 public:
  Interrupted(const std::string& message, int signal) : std::runtime_error(message), signal_(signal) {}
  [[nodiscard]] int signal() const noexcept { return signal_; }

 private:
  int signal_;
};

/// Takes SIGINT and SIGTERM, unless whoever started the program ignores them. A file beyond the limit on sizes fails to
/// be written instead of ending the program.
void install_interrupts();

/// The signal that came while there was somebody to ask, or 0.
[[nodiscard]] int interrupted() noexcept;

/// From now on a signal does not say that nothing was written.
void files_are_written() noexcept;

/// While one lives a signal does not end the program: interrupted() must be asked. A second signal ends it all the
/// same.
class AsksForInterrupts {
 public:
  AsksForInterrupts();
  AsksForInterrupts(const AsksForInterrupts&) = delete;
  AsksForInterrupts& operator=(const AsksForInterrupts&) = delete;
  ~AsksForInterrupts();
};

}  // namespace program
