// SPDX-License-Identifier: MIT
/// @file
/// Kernels in the style of the library, to try the test double and the checks of compiled code on.
#pragma once

#include <cuda_runtime.h>

#include "lloyd/cuda/dynamic_shared.cuh"

namespace lloyd::samples {

inline constexpr int threads = 256;
inline constexpr unsigned all_lanes = 0xFFFFFFFFU;

/// The sum of a value over the block, in every thread.
__device__ inline int block_sum(int value) {
  struct Storage {
    int of_warp[threads / 32];
  };
  auto& shared = cuda::static_shared<Storage>();
  for (int delta = 16; delta > 0; delta /= 2) value += __shfl_xor_sync(all_lanes, value, delta);
  if (threadIdx.x % 32 == 0) shared.of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  int sum = 0;
  for (const int one : shared.of_warp) sum += one;
  __syncthreads();
  return sum;
}

/// totals[b] = the sum of the values that block b has; total = the sum of all.
template <int = 0>
__global__ void __launch_bounds__(threads) sum_kernel(const int* values, int n, int* totals, int* total) {
  int own = 0;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
       i += static_cast<int>(gridDim.x * blockDim.x))
    own += values[i];
  const int sum = block_sum(own);
  if (threadIdx.x != 0) return;
  totals[blockIdx.x] = sum;
  atomicAdd(total, sum);
}

}  // namespace lloyd::samples
