// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for CUDA: what the scheduler keeps for each thread and warp of the running block.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "double/block.hpp"
#include "double/fiber.hpp"
#include "double/warp.hpp"

namespace cuda_cpu {

enum class State : std::uint8_t { ready, at_barrier, in_warp, ended };

/// Lanes that meet. What they did before orders what they do after when they synchronise, not when they exchange.
struct Meeting {
  WarpOperation operation;
  unsigned mask, arrived = 0, left = 0;
  Place place;
  Lanes lanes;
  std::unique_ptr<char> token;  // for ThreadSanitizer
};

struct Thread {
  Fiber fiber;
  uint3 index;
  unsigned number;  // in the block
  State state;
  Place place;  // where it waits
};

/// The block that runs now: there is only one at a time.
struct Block {
  std::vector<Thread> threads;
  std::vector<std::vector<std::unique_ptr<Meeting>>> meetings;  // by warp
  std::vector<unsigned> living;                                 // by warp, a bit for each lane that has not ended
  unsigned ended = 0, at_barrier = 0;
  Thread* current = nullptr;
  // A thread may reach the next barrier before another has left this one: what belongs to a barrier is there twice.
  unsigned generation = 0;
  int votes[2] = {0, 0};
  std::unique_ptr<char> tokens[2];
};
extern Block* const the_block;
[[nodiscard]] inline Block& block() { return *the_block; }

/// Leaves the current thread in this state until the scheduler finds it ready again.
void wait_as(State state, const Place& place);

/// "threads 0-31 wait at a barrier, kernel.cuh:12; ..."
[[nodiscard]] std::string whereabouts();

}  // namespace cuda_cpu
