// SPDX-License-Identifier: MIT
/// @file
/// Kernels that the gate must refuse, by planted_budget.txt:
/// refused: planted::unbounded sm_90: no __launch_bounds__
/// refused: planted::contracted sm_90: a product is contracted with a sum
/// refused: planted::scalar_loads sm_90: 0 vectors, at least 1
/// refused: planted::crowded sm_90: 49152 static, at most 1024
/// refused: planted::crowded sm_90: 4 blocks, at least 8
/// refused: planted::crowded sm_90: 128 threads in a block, agreed were 256
/// refused: planted::imprecise sm_90: div.rn.f32: not exact under every flag of nvcc
/// refused: planted::unlisted sm_90: not in
/// refused: planted::forgotten sm_90: in
/// refused: planted.cu: nothing makes nvcc compile left_out
#include <cuda_runtime.h>

#include "lloyd/cuda/dynamic_shared.cuh"

namespace lloyd::planted {

template <class T>
__global__ void unbounded(T* x) {
  x[threadIdx.x] += 1;
}
template __global__ void unbounded(float*);

template <class T>
__global__ void __launch_bounds__(256) contracted(T* x) {
  x[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x] + 1;
}
template __global__ void contracted(float*);

template <class T>
__global__ void __launch_bounds__(256) scalar_loads(T* x) {
  x[threadIdx.x] += x[threadIdx.x + 256];
}
template __global__ void scalar_loads(float*);

template <class T>
__global__ void __launch_bounds__(128) crowded(T* x) {
  struct Storage {
    T values[12288];
  };
  auto& shared = cuda::static_shared<Storage>();
  shared.values[threadIdx.x * 96] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = shared.values[12287 - threadIdx.x * 96];
}
template __global__ void crowded(float*);

template <class T>
__global__ void __launch_bounds__(256) imprecise(T* x) {
  x[threadIdx.x] /= x[threadIdx.x + 256];
}
template __global__ void imprecise(float*);

template <class T>
__global__ void __launch_bounds__(256) left_out(T* x) {
  x[threadIdx.x] += 1;
}

template <class T>
__global__ void __launch_bounds__(256) unlisted(T* x) {
  x[threadIdx.x] += 1;
}
template __global__ void unlisted(float*);

}  // namespace lloyd::planted
