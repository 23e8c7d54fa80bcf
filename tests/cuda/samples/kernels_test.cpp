// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "cuda/samples/kernels.cuh"
#include "lloyd/cuda/check.cuh"
#include "lloyd/cuda/launch.cuh"
#include "support/device_counters.hpp"

namespace lloyd::samples {
namespace {

TEST(Samples, Sum) {
  cudaStream_t stream = nullptr;
  LLOYD_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  std::vector<int> values(1000), totals(3);
  std::iota(values.begin(), values.end(), 1);
  int *x = nullptr, *sums = nullptr;
  LLOYD_CUDA_CHECK(cudaMallocAsync(&x, values.size() * sizeof(int), stream));
  LLOYD_CUDA_CHECK(cudaMallocAsync(&sums, 4 * sizeof(int), stream));
  LLOYD_CUDA_CHECK(cudaMemcpyAsync(x, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice, stream));
  LLOYD_CUDA_CHECK(cudaMemsetAsync(sums, 0, 4 * sizeof(int), stream));
  cuda::launch(stream, 3, threads, 0, sum_kernel<>, x, 1000, sums, sums + 3);
  int total = 0;
  LLOYD_CUDA_CHECK(cudaMemcpyAsync(&total, sums + 3, sizeof total, cudaMemcpyDeviceToHost, stream));
  LLOYD_CUDA_CHECK(cudaFreeAsync(x, stream));
  LLOYD_CUDA_CHECK(cudaFreeAsync(sums, stream));
  LLOYD_CUDA_CHECK(cudaStreamSynchronize(stream));
  LLOYD_CUDA_CHECK(cudaStreamDestroy(stream));
  EXPECT_EQ(total, 500500);
}

}  // namespace
}  // namespace lloyd::samples
