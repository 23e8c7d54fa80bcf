// SPDX-License-Identifier: MIT
/// @file
/// Refuses nvcc's -ftz=true, which -use_fast_math implies: subnormal floats would count as zero, and D with them.
///
/// nvcc says so in no macro, so #error cannot. Its back end answers when asked, and refuses by name a call to what
/// nobody defines. Of the other flags, the kernels hold no float division or root that -prec-div=false or
/// -prec-sqrt=false could change, and what is exact holds no product and sum that -fmad could contract:
/// tests/cuda/gates sees to that.
#pragma once

#include <cuda_runtime.h>

#include "lloyd/version.hpp"

#ifdef __CUDA_ARCH__
extern "C" __device__ int __nvvm_reflect(const char* what);
extern "C" __device__ void lloyd_needs_subnormal_floats__compile_without_ftz_true_and_use_fast_math();
#endif

namespace lloyd::inline LLOYD_ABI::cuda {

/// Compiles to nothing, or not at all.
__device__ __forceinline__ void demand_subnormals() {
#ifdef __CUDA_ARCH__
  if (__nvvm_reflect("__CUDA_FTZ") != 0) lloyd_needs_subnormal_floats__compile_without_ftz_true_and_use_fast_math();
#endif
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
