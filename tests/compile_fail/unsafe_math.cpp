// SPDX-License-Identifier: MIT
// clang++ 14 tells a program nothing of these options.
// only: g++
// flags: -funsafe-math-optimizations
// expect: lloyd: -funsafe-math-optimizations, -fassociative-math and -freciprocal-math are not supported
#include <lloyd/reference.hpp>
