// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for CUDA: what its functions share.
#pragma once

#include <cuda_runtime_api.h>

#include <mutex>
#include <string>

#include "double/stream.hpp"
#include "support/device_counters.hpp"

namespace cuda_cpu {

[[nodiscard]] lloyd::test::DeviceCounters& counters();

/// Held in every call: one thread of the host at a time. Refuses calls from a host function in a stream.
class Call {
 public:
  explicit Call(const char* name);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  Unwatched unwatched_;
};

/// Remembers an error for cudaGetLastError, of this thread of the host.
cudaError_t answer(cudaError_t error);

/// The stream of work that a thread of the host asks for; counts the default stream. Fails where the stream belongs to
/// a device that is not the current one.
[[nodiscard]] CUstream_st& stream_for_work(cudaStream_t handle);

/// "2 cuBLAS handles" that were not destroyed, or an empty text.
[[nodiscard]] std::string handle_leaks();

/// The most dynamic shared memory that launches of the kernel may ask for.
[[nodiscard]] std::size_t& dynamic_shared_limit(const void* kernel);

/// Limits of the device: the smallest of those with compute capability 7.5 and up.
struct Limits {
  static constexpr unsigned threads = 1024, threads_z = 64, blocks_x = 2147483647, blocks_yz = 65535;
  static constexpr std::size_t shared = 48 << 10, shared_opt_in = 64 << 10;
  static constexpr int multiprocessors = 3, threads_each = 1024, blocks_each = 16;
};

}  // namespace cuda_cpu
