// SPDX-License-Identifier: MIT
/// @file
/// Every header for CUDA at once, for clang-tidy.
#include "cuda/samples/kernels.cuh"
#include "every_cuda_header.hpp"
