// SPDX-License-Identifier: MIT
/// @file
/// The headers of CUDA come first, then hostile macros, then every header of the library's for CUDA.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "headers/standard_library.hpp"
#include "headers/traps.hpp"
#define N 100

#include "every_cuda_header.hpp"

#if !defined(min) || !defined(max) || !defined(I) || !defined(B0) || !defined(small) || !defined(N)
#error "a header of lloyd took a macro away that was the user's"
#endif

int trapped_cuda();
int trapped_cuda() { return N; }
