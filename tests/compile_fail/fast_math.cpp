// SPDX-License-Identifier: MIT
// flags: -ffast-math
// expect: lloyd: -ffast-math is not supported: exact labels need IEEE arithmetic
#include <lloyd/reference.hpp>
