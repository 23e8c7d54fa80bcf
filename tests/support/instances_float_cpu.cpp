// SPDX-License-Identifier: MIT
#define LLOYD_TEST_DEFINES_INSTANCES
#include "support/instances.hpp"

namespace lloyd::inline LLOYD_ABI::detail {
LLOYD_TEST_INSTANCES(, float, Cpu)
}  // namespace lloyd::inline LLOYD_ABI::detail

namespace lloyd::inline LLOYD_ABI::cpu {
LLOYD_TEST_PRIMITIVES(, float)
}  // namespace lloyd::inline LLOYD_ABI::cpu
