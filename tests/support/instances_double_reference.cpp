// SPDX-License-Identifier: MIT
#define LLOYD_TEST_DEFINES_INSTANCES
#include "support/instances.hpp"

namespace lloyd::inline LLOYD_ABI::detail {
LLOYD_TEST_INSTANCES(, double, Reference)
}  // namespace lloyd::inline LLOYD_ABI::detail
