// SPDX-License-Identifier: MIT
/// cuBLAS: handles, and products of matrices in their stream. A handle whose math mode was never set refuses to
/// multiply; one that allows TF32 rounds float operands to it.
#include <cublas_v2.h>

#include <algorithm>
#include <string>

#include "double/product.hpp"
#include "double/runtime.hpp"

/// cublasHandle_t points to this.
struct cublasContext {
  cudaStream_t stream = nullptr;
  int device = 0;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
  bool math_mode_set = false;
  void* workspace = nullptr;
};

namespace cuda_cpu {
namespace {

int handles = 0;

/// What a call of gemm says of its operands.
struct Gemm {
  cublasOperation_t a_operation, b_operation;
  std::int64_t m, n, k;
  Stored a, b, c;
  bool tf32;
};

template <class Sum>
cublasStatus_t multiply(cublasContext& handle, const Gemm& gemm, const void* alpha, const void* beta) {
  const Product<Sum> product{gemm.a,
                             gemm.b,
                             gemm.c,
                             gemm.a_operation != CUBLAS_OP_N,
                             gemm.b_operation != CUBLAS_OP_N,
                             gemm.tf32 || (handle.math_mode & 0xF) == CUBLAS_TF32_TENSOR_OP_MATH};
  const auto *first = static_cast<const Sum*>(alpha), *second = static_cast<const Sum*>(beta);
  const void* workspace = handle.workspace;
  const auto check_workspace = [workspace] {
    if (workspace != nullptr) demand_alive(workspace, 0, "cuBLAS, by its workspace,");
  };
  CUstream_st& stream = stream_for_work(handle.stream);
  if (handle.pointer_mode == CUBLAS_POINTER_MODE_HOST) {
    enqueue(stream, [=, by_alpha = *first, by_beta = *second] {
      check_workspace();
      product.run(by_alpha, by_beta);
    });
  } else {
    enqueue(stream, [=] {
      check_workspace();
      demand_alive(first, sizeof(Sum), "cuBLAS, by alpha,");
      demand_alive(second, sizeof(Sum), "cuBLAS, by beta,");
      product.run(*first, *second);
    });
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t gemm(cublasContext* handle, Gemm what, const void* alpha, const void* beta) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!handle->math_mode_set) fail("a cuBLAS handle multiplies whose math mode was never set");
  if (handle->device != current_device()) fail("a cuBLAS handle is used on another device than its own");
  const auto shape = [](Stored& stored, std::int64_t rows, std::int64_t columns, bool transposed) {
    stored.rows = transposed ? columns : rows;
    stored.columns = transposed ? rows : columns;
    return rows >= 0 && columns >= 0 && stored.stride >= std::max<std::int64_t>(1, stored.rows);
  };
  if (!shape(what.a, what.m, what.k, what.a_operation != CUBLAS_OP_N) ||
      !shape(what.b, what.k, what.n, what.b_operation != CUBLAS_OP_N) || !shape(what.c, what.m, what.n, false))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (what.m == 0 || what.n == 0) return CUBLAS_STATUS_SUCCESS;
  ++counters().launches;
  if (what.c.type == CUDA_R_32F) return multiply<float>(*handle, what, alpha, beta);
  if (what.c.type == CUDA_R_64F) return multiply<double>(*handle, what, alpha, beta);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

/// Whether the compute type rounds float operands to TF32, of those that fit the type of the result.
cublasStatus_t read_compute_type(cublasComputeType_t compute, cudaDataType result, bool& tf32) {
  const bool single = compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_PEDANTIC ||
                      compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  const bool twice = compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC;
  tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  return (single && result == CUDA_R_32F) || (twice && result == CUDA_R_64F) ? CUBLAS_STATUS_SUCCESS
                                                                             : CUBLAS_STATUS_NOT_SUPPORTED;
}

}  // namespace

std::string handle_leaks() { return handles == 0 ? "" : std::to_string(handles) + " cuBLAS handles"; }

}  // namespace cuda_cpu

using namespace cuda_cpu;

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  const Call call("cublasCreate");
  ++counters().objects;
  ++counters().allocations;            // its workspace
  ++counters().host_synchronisations;  // it may wait
  ++handles;
  *handle = new cublasContext;
  (*handle)->device = current_device();
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  const Call call("cublasDestroy");
  ++counters().host_synchronisations;
  drain_device(handle->device);
  --handles;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  const Call call("cublasSetStream");
  handle->stream = stream;
  handle->workspace = nullptr;  // as the real one does
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  *stream = handle->stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, std::size_t bytes) {
  const Call call("cublasSetWorkspace");
  if (bytes > 0 && reinterpret_cast<std::uintptr_t>(workspace) % 256 != 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (bytes > 0 && find(workspace) == nullptr) fail("the workspace of cuBLAS is " + describe(workspace));
  handle->workspace = workspace;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  handle->pointer_mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  *mode = handle->pointer_mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  handle->math_mode = mode;
  handle->math_mode_set = true;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  *mode = handle->math_mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t /*handle*/, cublasAtomicsMode_t /*mode*/) {
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusName(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return "CUBLAS_STATUS_SUCCESS";
  if (status == CUBLAS_STATUS_INVALID_VALUE) return "CUBLAS_STATUS_INVALID_VALUE";
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return "CUBLAS_STATUS_NOT_SUPPORTED";
  return "a status of cuBLAS";
}
const char* cublasGetStatusString(cublasStatus_t /*status*/) { return "an error of the CPU test double"; }

cublasStatus_t cublasSgemm_v2_64(cublasHandle_t handle, cublasOperation_t a_operation, cublasOperation_t b_operation,
                                 std::int64_t m, std::int64_t n, std::int64_t k, const float* alpha, const float* a,
                                 std::int64_t a_stride, const float* b, std::int64_t b_stride, const float* beta,
                                 float* c, std::int64_t c_stride) {
  const Call call("cublasSgemm");
  const auto stored = [](const float* data, std::int64_t stride) { return Stored{data, CUDA_R_32F, 0, 0, stride}; };
  return gemm(handle,
              {a_operation, b_operation, m, n, k, stored(a, a_stride), stored(b, b_stride), stored(c, c_stride), false},
              alpha, beta);
}
cublasStatus_t cublasDgemm_v2_64(cublasHandle_t handle, cublasOperation_t a_operation, cublasOperation_t b_operation,
                                 std::int64_t m, std::int64_t n, std::int64_t k, const double* alpha, const double* a,
                                 std::int64_t a_stride, const double* b, std::int64_t b_stride, const double* beta,
                                 double* c, std::int64_t c_stride) {
  const Call call("cublasDgemm");
  const auto stored = [](const double* data, std::int64_t stride) { return Stored{data, CUDA_R_64F, 0, 0, stride}; };
  return gemm(handle,
              {a_operation, b_operation, m, n, k, stored(a, a_stride), stored(b, b_stride), stored(c, c_stride), false},
              alpha, beta);
}
cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t a_operation, cublasOperation_t b_operation,
                               std::int64_t m, std::int64_t n, std::int64_t k, const void* alpha, const void* a,
                               cudaDataType a_type, std::int64_t a_stride, const void* b, cudaDataType b_type,
                               std::int64_t b_stride, const void* beta, void* c, cudaDataType c_type,
                               std::int64_t c_stride, cublasComputeType_t compute, cublasGemmAlgo_t /*algorithm*/) {
  const Call call("cublasGemmEx");
  bool tf32 = false;
  if (const cublasStatus_t status = read_compute_type(compute, c_type, tf32); status != CUBLAS_STATUS_SUCCESS)
    return status;
  const Gemm what{a_operation,
                  b_operation,
                  m,
                  n,
                  k,
                  {a, a_type, 0, 0, a_stride},
                  {b, b_type, 0, 0, b_stride},
                  {c, c_type, 0, 0, c_stride},
                  tf32};
  return gemm(handle, what, alpha, beta);
}

// The same with 32-bit sizes.
cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t a_operation, cublasOperation_t b_operation,
                              int m, int n, int k, const float* alpha, const float* a, int a_stride, const float* b,
                              int b_stride, const float* beta, float* c, int c_stride) {
  return cublasSgemm_v2_64(handle, a_operation, b_operation, m, n, k, alpha, a, a_stride, b, b_stride, beta, c,
                           c_stride);
}
cublasStatus_t cublasDgemm_v2(cublasHandle_t handle, cublasOperation_t a_operation, cublasOperation_t b_operation,
                              int m, int n, int k, const double* alpha, const double* a, int a_stride, const double* b,
                              int b_stride, const double* beta, double* c, int c_stride) {
  return cublasDgemm_v2_64(handle, a_operation, b_operation, m, n, k, alpha, a, a_stride, b, b_stride, beta, c,
                           c_stride);
}
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t a_operation, cublasOperation_t b_operation, int m,
                            int n, int k, const void* alpha, const void* a, cudaDataType a_type, int a_stride,
                            const void* b, cudaDataType b_type, int b_stride, const void* beta, void* c,
                            cudaDataType c_type, int c_stride, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm) {
  return cublasGemmEx_64(handle, a_operation, b_operation, m, n, k, alpha, a, a_type, a_stride, b, b_type, b_stride,
                         beta, c, c_type, c_stride, compute, algorithm);
}
