// SPDX-License-Identifier: MIT
/// @file
/// The backend, compiled with flags under which subnormal floats are zero, must be refused by name:
/// refused: 'lloyd_needs_subnormal_floats__compile_without_ftz_true_and_use_fast_math'
#include "lloyd/cuda/survey.cuh"

template __global__ void lloyd::cuda::survey_kernel(lloyd::MatrixView<const float, lloyd::Device>, std::uint64_t*);
