// SPDX-License-Identifier: MIT
#include "double/thread.hpp"

namespace cuda_cpu {
namespace {

std::string describe(const Thread& thread) {
  switch (thread.state) {
    case State::ready:
      return "could go on";
    case State::at_barrier:
      return "wait at the barrier of " + text(thread.place);
    case State::in_warp:
      return "wait for their warp at " + text(thread.place);
    case State::ended:
      break;
  }
  return "have ended";
}

}  // namespace

Block* const the_block = new Block;

void wait_as(State state, const Place& place) {
  Thread& thread = *block().current;
  thread.state = state;
  thread.place = place;
  thread.fiber.yield();
}

std::string whereabouts() {
  std::string all;
  const auto& threads = block().threads;
  for (std::size_t i = 0, end = 0; i < threads.size(); i = end) {
    const std::string what = describe(threads[i]);
    for (end = i; end < threads.size() && describe(threads[end]) == what;) ++end;
    all += (i == 0 ? "threads " : "; threads ") + std::to_string(i) + "-" + std::to_string(end - 1) + " " + what;
    if (all.size() > 1000) return all + "; ...";
  }
  return all;
}

}  // namespace cuda_cpu
