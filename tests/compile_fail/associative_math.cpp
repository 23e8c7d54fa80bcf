// SPDX-License-Identifier: MIT
// only: g++
// flags: -fassociative-math -fno-signed-zeros -fno-trapping-math
// expect: lloyd: -funsafe-math-optimizations, -fassociative-math and -freciprocal-math are not supported
#include <lloyd/reference.hpp>
