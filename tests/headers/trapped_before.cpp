// SPDX-License-Identifier: MIT
/// @file
/// The macros come first, then every header as the program's only includes. (Not `N`: Eigen itself does not survive
/// it.)
#include "traps.hpp"

#include "every_header.hpp"

int trapped_before();
int trapped_before() { return 0; }
