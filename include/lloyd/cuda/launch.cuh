// SPDX-License-Identifier: MIT
/// @file
/// The one way in which a kernel is launched.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

#include "lloyd/cuda/check.cuh"

namespace lloyd::inline LLOYD_ABI::cuda {

/// Launches `kernel(arguments...)` on the stream and returns at once. A grid of no blocks launches nothing.
/// @param shared_bytes what dynamic_shared() answers in the kernel; above 48 KiB ask allow_shared() first.
/// @throws BackendError when the launch was refused.
template <class... Parameters, class... Arguments>
void launch(cudaStream_t stream, dim3 grid, dim3 block, std::size_t shared_bytes, void (*kernel)(Parameters...),
            Arguments&&... arguments) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  LLOYD_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...));
}

/// Lets launches of the kernel on the current device have up to so many bytes of dynamic shared memory.
/// @throws BackendError when the device has less.
template <class... Parameters>
void allow_shared(void (*kernel)(Parameters...), std::size_t bytes) {
  LLOYD_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
