// SPDX-License-Identifier: MIT
// only: g++
// flags: -freciprocal-math
// expect: lloyd: -funsafe-math-optimizations, -fassociative-math and -freciprocal-math are not supported
#include <lloyd/reference.hpp>
