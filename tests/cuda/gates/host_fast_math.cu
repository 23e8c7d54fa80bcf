// SPDX-License-Identifier: MIT
/// @file
/// The backend, whose host code the compiler may rearrange, must be refused:
/// refused: lloyd: -ffast-math is not supported: exact labels need IEEE arithmetic
#include "lloyd/cuda.cuh"
