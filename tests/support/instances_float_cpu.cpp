// SPDX-License-Identifier: MIT
#define LLOYD_TEST_DEFINES_INSTANCES
#include "support/instances.hpp"

namespace lloyd::detail {
LLOYD_TEST_INSTANCES(, float, Cpu)
}  // namespace lloyd::detail

namespace lloyd::cpu {
LLOYD_TEST_PRIMITIVES(, float)
}  // namespace lloyd::cpu
