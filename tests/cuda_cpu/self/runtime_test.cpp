// SPDX-License-Identifier: MIT
/// What the double alone has: deferred streams, its counters, its limits.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "support/device.hpp"
#include "support/device_counters.hpp"

namespace lloyd::test {
namespace {

__global__ void __launch_bounds__(32) set(int* to, int value) {
  if (threadIdx.x == 0) *to = value;
}
__global__ void __launch_bounds__(32) append(int* to, int digit) {
  if (threadIdx.x == 0) *to = *to * 10 + digit;
}

/// Counts what happens while it lives.
class Count {
 public:
  [[nodiscard]] DeviceCounters operator()() const {
    const DeviceCounters now = device_counters().value();
    return {now.launches - before_.launches,
            now.default_stream - before_.default_stream,
            now.host_synchronisations - before_.host_synchronisations,
            now.allocations - before_.allocations,
            now.objects - before_.objects,
            now.copies - before_.copies};
  }

 private:
  DeviceCounters before_ = device_counters().value();
};

class Pinned {
 public:
  Pinned() { LLOYD_CUDA_CHECK(cudaMallocHost(&value_, sizeof *value_)); }
  ~Pinned() { (void)cudaFreeHost(value_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  [[nodiscard]] int* get() const { return value_; }

 private:
  int* value_ = nullptr;
};

TEST(Streams, WorkWaitsUntilSomebodyDoes) {
  const Pinned result;
  *result.get() = 1;
  {
    const Stream stream;
    const OnDevice<int> x(stream, 1);
    cuda::launch(stream, 1, 32, 0, set, x.data(), 7);
    LLOYD_CUDA_CHECK(cudaMemcpyAsync(result.get(), x.data(), sizeof(int), cudaMemcpyDeviceToHost, stream));
    EXPECT_EQ(*result.get(), 1);
    stream.synchronise();
  }
  EXPECT_EQ(*result.get(), 7);
}

TEST(Streams, AskingForAnEventMakesProgress) {
  const Stream stream;
  const OnDevice<int> x(stream, 1);
  cudaEvent_t event = nullptr;
  LLOYD_CUDA_CHECK(cudaEventCreate(&event));
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);  // never recorded
  cuda::launch(stream, 1, 32, 0, set, x.data(), 7);
  LLOYD_CUDA_CHECK(cudaEventRecord(event, stream));
  const Count count;
  int asked = 0;
  while (cudaEventQuery(event) == cudaErrorNotReady) ++asked;
  EXPECT_GT(asked, 0);
  EXPECT_EQ(count().host_synchronisations, 0);
  LLOYD_CUDA_CHECK(cudaEventDestroy(event));
  EXPECT_EQ(x.values(), std::vector<int>({7}));
}

// The legacy default stream waits for blocking streams, and they for it.
TEST(Streams, TheDefaultStreamIsInOrderWithBlockingOnes) {
  cudaStream_t blocking = nullptr;
  LLOYD_CUDA_CHECK(cudaStreamCreate(&blocking));
  int* x = nullptr;
  LLOYD_CUDA_CHECK(cudaMalloc(&x, sizeof(int)));
  const Count count;
  cuda::launch(blocking, 1, 32, 0, set, x, 1);
  cuda::launch(nullptr, 1, 32, 0, append, x, 2);
  cuda::launch(blocking, 1, 32, 0, append, x, 3);
  LLOYD_CUDA_CHECK(cudaStreamSynchronize(blocking));
  EXPECT_EQ(count().default_stream, 1);
  int host = 0;
  LLOYD_CUDA_CHECK(cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT_EQ(host, 123);
  LLOYD_CUDA_CHECK(cudaFree(x));
  LLOYD_CUDA_CHECK(cudaStreamDestroy(blocking));
}

TEST(Streams, AHostFunctionIsWork) {
  const Stream stream;
  int calls = 0;
  LLOYD_CUDA_CHECK(cudaLaunchHostFunc(
      stream, [](void* counter) { ++*static_cast<int*>(counter); }, &calls));
  EXPECT_EQ(calls, 0);
  stream.synchronise();
  EXPECT_EQ(calls, 1);
}

TEST(Counters, CountWhatIsHidden) {
  const Stream stream;
  const Pinned pinned;
  const OnDevice<int> x(stream, 1);
  stream.synchronise();
  const Count count;
  cuda::launch(stream, 1, 32, 0, set, x.data(), 7);
  LLOYD_CUDA_CHECK(cudaMemcpyAsync(pinned.get(), x.data(), sizeof(int), cudaMemcpyDeviceToHost, stream));
  EXPECT_EQ(count().launches, 1);
  EXPECT_EQ(count().copies, 1);
  EXPECT_EQ(count().host_synchronisations, 0);
  EXPECT_EQ(count().default_stream, 0);
  EXPECT_EQ(count().allocations, 0);
  int pageable = 0;
  LLOYD_CUDA_CHECK(cudaMemcpyAsync(&pageable, x.data(), sizeof(int), cudaMemcpyDeviceToHost, stream));
  EXPECT_EQ(pageable, 7);
  EXPECT_EQ(count().host_synchronisations, 1);
  void* more = nullptr;
  LLOYD_CUDA_CHECK(cudaMalloc(&more, 1));
  LLOYD_CUDA_CHECK(cudaFree(more));
  EXPECT_EQ(count().allocations, 1);
  EXPECT_EQ(count().host_synchronisations, 2);
}

TEST(Memory, IsNaNAndLimited) {
  const Stream stream;
  const OnDevice<float> x(stream, 1);
  EXPECT_NE(x.values()[0], x.values()[0]);
  std::size_t free = 0, total = 0;
  LLOYD_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  EXPECT_TRUE(limit_device_memory(total - free + 1000));
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 1001), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  const OnDevice<char> all(stream, 1000);
  EXPECT_THROW(LLOYD_CUDA_CHECK(cudaMallocAsync(&memory, 1, stream)), BackendError);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_TRUE(limit_device_memory(total));
}

TEST(Launches, AreWithinTheLimitsOfTheGrid) {
  const Stream stream;
  const OnDevice<int> x(stream, 1);
  const auto status = [&](dim3 grid, dim3 block, std::size_t shared) {
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, set, x.data(), 1);
  };
  EXPECT_EQ(status({1, 65536, 1}, 32, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(status({1, 1, 65536}, 32, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(status(0, 32, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(status(1, 1025, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(status(1, {32, 33, 1}, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(status(1, 32, 49153), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(status(1, 32, 49152), cudaSuccess);
  EXPECT_THROW(cuda::allow_shared(set, std::size_t{1} << 20), BackendError);
}

TEST(Cublas, RoundsToTf32WhereThatIsAllowed) {
  const Stream stream;
  cublasHandle_t handle = nullptr;
  LLOYD_CUDA_CHECK(cublasCreate(&handle));
  LLOYD_CUDA_CHECK(cublasSetStream(handle, stream));
  LLOYD_CUDA_CHECK(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
  const float fine = 1 + 0x1p-20F, one = 1, zero = 0;
  const OnDevice<float> a(stream, {fine}), c(stream, 1);
  const auto multiply = [&](cublasComputeType_t compute) {
    LLOYD_CUDA_CHECK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a.data(), CUDA_R_32F, 1, a.data(),
                                  CUDA_R_32F, 1, &zero, c.data(), CUDA_R_32F, 1, compute, CUBLAS_GEMM_DEFAULT));
    return c.values()[0];
  };
  EXPECT_EQ(multiply(CUBLAS_COMPUTE_32F), fine * fine);
  EXPECT_EQ(multiply(CUBLAS_COMPUTE_32F_FAST_TF32), 1);
  LLOYD_CUDA_CHECK(cublasDestroy(handle));
}

TEST(Threads, ShareTheDevice) {
  std::vector<int> digits(2);
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([t, &digits] {
      const Stream stream;
      const OnDevice<int> x(stream, {0});
      for (int digit = 1; digit <= 5; ++digit) cuda::launch(stream, 1, 32, 0, append, x.data(), digit + t);
      digits[static_cast<std::size_t>(t)] = x.values()[0];
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(digits, std::vector<int>({12345, 23456}));
}

TEST(Devices, ThereAreTwoAndAThreadHasOne) {
  int count = 0, device = -1;
  LLOYD_CUDA_CHECK(cudaGetDeviceCount(&count));
  LLOYD_CUDA_CHECK(cudaGetDevice(&device));
  EXPECT_EQ(count, 2);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  (void)cudaGetLastError();
  cudaDeviceProp properties{};
  LLOYD_CUDA_CHECK(cudaGetDeviceProperties(&properties, 1));
  EXPECT_STREQ(properties.name, "CPU test double");
}

}  // namespace
}  // namespace lloyd::test
