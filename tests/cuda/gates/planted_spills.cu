// SPDX-License-Identifier: MIT
/// @file
/// Kernels that ptxas itself must refuse:
/// refused: Registers are spilled to local memory in function '_ZN5lloyd7planted8spilling
/// refused: Local memory used for function '_ZN5lloyd7planted8indexing
#include <cuda_runtime.h>

namespace lloyd::planted {

template <class T>
__global__ void __launch_bounds__(1024, 2) spilling(T* x) {
  T values[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) values[i] = x[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 64; ++i) x[(63 - i) * 1024 + threadIdx.x] = values[i] * values[63 - i];
}
template __global__ void spilling(double*);

template <class T>
__global__ void __launch_bounds__(256) indexing(T* x, int n) {
  T values[64];
  for (int i = 0; i < 64; ++i) values[i] = x[i * 256 + threadIdx.x];
  for (int i = 0; i < n; ++i) values[i * n % 64] += values[(i + n) % 64];
  x[threadIdx.x] = values[n % 64];
}
template __global__ void indexing(float*, int);

}  // namespace lloyd::planted
