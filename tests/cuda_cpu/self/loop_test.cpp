// SPDX-License-Identifier: MIT
/// What the loop's window leaves where the runtime fails: the program ends with an error if anything is left.
#include "lloyd/cuda/loop.cuh"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "support/device_counters.hpp"

namespace lloyd::test {
namespace {

TEST(LoopWindow, LeavesNothingWhereAnEventCannotBeMade) {
  for (std::int64_t events = 0; events < cuda::LoopWindow::size; ++events) {
    EXPECT_TRUE(limit_events(events));
    EXPECT_THROW(const cuda::LoopWindow window, BackendError) << events << " events";
  }
  EXPECT_TRUE(limit_events((std::numeric_limits<std::int64_t>::max)()));
  const cuda::LoopWindow window;
  EXPECT_TRUE(window.arrived(0));  // never recorded
}

}  // namespace
}  // namespace lloyd::test
