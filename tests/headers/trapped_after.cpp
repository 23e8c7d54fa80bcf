// SPDX-License-Identifier: MIT
/// @file
/// The standard library and Eigen come first, then the macros: now nothing but this library meets them.
#include <Eigen/Core>
#ifdef _OPENMP
#include <omp.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "standard_library.hpp"
#include "traps.hpp"
#define N 100

#include "every_header.hpp"

#if !defined(min) || !defined(max) || !defined(I) || !defined(B0) || !defined(small) || !defined(N)
#error "a header of lloyd took a macro away that was the user's"
#endif

int trapped_after();
int trapped_after() { return N; }
