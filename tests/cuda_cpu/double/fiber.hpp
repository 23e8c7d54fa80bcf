// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for CUDA: a fiber, which is a CUDA thread: a function on a stack of its own that can stop in the middle.
/// x86-64 only.
#pragma once

#include <cstddef>

#include "double/sanitizer.hpp"

namespace cuda_cpu {

class Fiber {
 public:
  /// Takes a stack, and will run body(argument) when resumed.
  void start(void (*body)(void*), void* argument);
  /// The same on this stack, as this context.
  void start(char* stack, std::size_t stack_bytes, Context context, void (*body)(void*), void* argument);
  /// Runs until the fiber yields or ends. Called by the scheduler.
  void resume();
  /// Returns to the scheduler. Called on the fiber itself.
  void yield();

 private:
  static void enter(Fiber* fiber);
  void switch_out(bool for_good);

  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  void* stack_pointer_ = nullptr;
  char* stack_ = nullptr;
  std::size_t stack_bytes_ = 0;
  Context context_ = nullptr, scheduler_context_ = nullptr;
  void* scheduler_stack_pointer_ = nullptr;
  const void* scheduler_stack_ = nullptr;  // as AddressSanitizer names it
  std::size_t scheduler_stack_bytes_ = 0;
  void* fake_stack_ = nullptr;
};

/// Stacks, and for ThreadSanitizer contexts, which belong to the stream, are handed out in turn. After this they are
/// handed out again, from the first: a context that is used again knows no more than what its stream does.
void reuse_stacks();
/// Whether so many more can be handed out.
[[nodiscard]] bool stacks_left(std::size_t count);

}  // namespace cuda_cpu
