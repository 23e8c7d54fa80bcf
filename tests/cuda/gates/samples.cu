// SPDX-License-Identifier: MIT
/// @file
/// The sample kernels, compiled for the gate.
#include "cuda/samples/kernels.cuh"

namespace lloyd::samples {

template __global__ void sum_kernel<>(const int*, int, int*, int*);
template __global__ void distance_kernel<>(const float*, const float*, int, int, double*);
template __global__ void gram_kernel<>(const float*, const float*, int, int, int, unsigned long long*);

}  // namespace lloyd::samples
