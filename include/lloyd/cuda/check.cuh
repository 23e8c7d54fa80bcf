// SPDX-License-Identifier: MIT
/// @file
/// Errors of CUDA and cuBLAS become exceptions. The only file of cuda/ that defines a macro.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <string_view>

#include "lloyd/error.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// Throws BackendError with what failed, its code and where; nothing on success. The error is taken from the runtime,
/// so that the next call does not meet it.
inline void throw_if_failed(cudaError_t status, std::string_view what, std::string_view file, int line) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  throw BackendError(detail::text("lloyd::cuda: ", what, ": ", cudaGetErrorName(status), " (", static_cast<int>(status),
                                  ", ", cudaGetErrorString(status), ") at ", file.substr(file.rfind('/') + 1), ":",
                                  line));
}
inline void throw_if_failed(cublasStatus_t status, std::string_view what, std::string_view file, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw BackendError(detail::text("lloyd::cuda: ", what, ": ", cublasGetStatusName(status), " (",
                                  static_cast<int>(status), ", ", cublasGetStatusString(status), ") at ",
                                  file.substr(file.rfind('/') + 1), ":", line));
}

}  // namespace lloyd::inline LLOYD_ABI::cuda

/// Evaluates a call of CUDA or cuBLAS once and throws BackendError unless it succeeded.
#define LLOYD_CUDA_CHECK(call) ::lloyd::cuda::throw_if_failed((call), #call, __FILE__, __LINE__)
