// SPDX-License-Identifier: MIT
#include "double/warp.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "double/thread.hpp"

namespace cuda_cpu {
namespace {

std::string text(unsigned mask) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "0x%08x", mask);
  return digits;
}

std::string name(WarpOperation operation) {
  switch (operation) {
    case WarpOperation::synchronise:
      return "__syncwarp";
    case WarpOperation::shuffle:
      return "a shuffle";
    case WarpOperation::vote:
      return "a vote";
    case WarpOperation::match:
      break;
  }
  return "a match";
}

std::string describe(WarpOperation operation, unsigned mask, const Place& place) {
  return name(operation) + " of lanes " + text(mask) + " at " + cuda_cpu::text(place);
}

Meeting& join(unsigned warp, WarpOperation operation, unsigned mask, const Place& place) {
  auto& meetings = block().meetings[warp];
  for (const auto& meeting : meetings) {
    if (meeting->arrived == meeting->mask || (meeting->mask & mask) == 0) continue;
    if (meeting->operation == operation && meeting->mask == mask && meeting->place == place) return *meeting;
    fail("lanes of a warp diverge: " + describe(operation, mask, place) + " while others are in " +
         describe(meeting->operation, meeting->mask, meeting->place));
  }
  auto meeting = std::make_unique<Meeting>();
  meeting->operation = operation;
  meeting->mask = mask;
  meeting->place = place;
  std::memset(&meeting->lanes, 0xFF, sizeof meeting->lanes);
  if (with_tsan) meeting->token = std::make_unique<char>();
  meetings.push_back(std::move(meeting));
  return *meetings.back();
}

}  // namespace

unsigned lane() { return block().current->number % warp_size; }

Lanes meet(WarpOperation operation, unsigned mask, std::uint64_t value, const Place& place) {
  const Unwatched unwatched;
  const unsigned warp = block().current->number / warp_size, own = 1U << lane();
  if ((mask & own) == 0)
    fail("lane " + std::to_string(lane()) + " is outside its own mask: " + describe(operation, mask, place));
  if (const unsigned gone = mask & ~block().living[warp]; gone != 0)
    fail("lanes " + text(gone) + " have ended or are not in the block: " + describe(operation, mask, place));
  Meeting& meeting = join(warp, operation, mask, place);
  meeting.arrived |= own;
  meeting.lanes.value[lane()] = value;
  if (operation == WarpOperation::synchronise) release(meeting.token.get());
  if (meeting.arrived == mask) {
    for (unsigned others = mask & ~own; others != 0; others &= others - 1)
      block().threads[warp * warp_size + static_cast<unsigned>(std::countr_zero(others))].state = State::ready;
  } else {
    wait_as(State::in_warp, place);
  }
  if (operation == WarpOperation::synchronise) acquire(meeting.token.get());
  const Lanes lanes = meeting.lanes;
  meeting.left |= own;
  if (meeting.left == mask)
    std::erase_if(block().meetings[warp], [&](const auto& one) { return one.get() == &meeting; });
  return lanes;
}

}  // namespace cuda_cpu
