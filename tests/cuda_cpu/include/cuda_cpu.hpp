// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for CUDA: force-included (-include) before everything in a unit with kernels that g++ or clang++
/// compiles as plain C++. NVIDIA's own headers stay in use: they declare the runtime and cuBLAS, which the sources in
/// double/ define. What is added here is what nvcc knows by itself.
#pragma once

#include <cuda_runtime.h>

#undef __launch_bounds__
#define __launch_bounds__(...)
// It would be a variable of every thread: shared memory has a seam.
#undef __shared__
#define __shared__ static_assert(false, "__shared__ is written in lloyd/cuda/dynamic_shared.cuh alone");

#include "double/atomics.hpp"
#include "double/block.hpp"
#include "double/intrinsics.hpp"
#include "double/launch.hpp"
#include "double/warp_functions.hpp"

#define cudaLaunchKernelEx ::cuda_cpu::launch
