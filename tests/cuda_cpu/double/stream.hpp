// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for CUDA: streams are queues whose work is done as late as CUDA allows: when somebody waits for it. So a
/// result that is read without waiting is not there, and a missing wait between streams leaves their work undone.
/// CUDA_CPU_STREAMS=eager does everything at once instead.
#pragma once

#include <driver_types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "double/sanitizer.hpp"

namespace cuda_cpu {

/// A point in a stream's work.
struct Point {
  struct CUstream_st* stream = nullptr;
  std::uint64_t position = 0;
  std::shared_ptr<char> token;  // for ThreadSanitizer
};

}  // namespace cuda_cpu

/// cudaStream_t points to this.
struct CUstream_st {
  struct Operation {
    std::function<void()> run;
    std::unique_ptr<char> token;  // what the host did before
  };
  std::deque<Operation> queue;
  std::uint64_t enqueued = 0, done = 0;
  int device = 0;
  int priority = 0;
  bool waits_for_default = true;  // and the default stream for it
  bool destroyed = false;
  cuda_cpu::Context context = cuda_cpu::create_context();
  std::unique_ptr<char[]> stack;  // for ThreadSanitizer: what works here never shares one with the host
};

/// cudaEvent_t points to this.
struct CUevent_st {
  cuda_cpu::Point point;  // of the last record
  int device = 0;
  double milliseconds = 0;
  bool timed = true, destroyed = false;
};

namespace cuda_cpu {

/// The stream behind a handle: null and cudaStreamLegacy are the device's default stream. Fails on a handle that is not
/// a stream or no longer one.
[[nodiscard]] CUstream_st& stream_of(cudaStream_t handle);
[[nodiscard]] bool is_default(const CUstream_st& stream);
[[nodiscard]] cudaStream_t create_stream(bool waits_for_default, int priority);
void destroy_stream(cudaStream_t handle);

/// Appends work, and what it must wait for by the rules of the default stream.
void enqueue(CUstream_st& stream, std::function<void()> run);
/// Does the stream's work up to the position, and the work of others that it waits for.
void drain(CUstream_st& stream, std::uint64_t position);
void drain(CUstream_st& stream);
void drain_device(int device);
void drain_all();
/// Does one operation, if there is one. Whether the position is reached.
[[nodiscard]] bool poll(const Point& point);

[[nodiscard]] Point record(CUstream_st& stream);
void wait(CUstream_st& stream, const Point& point);

/// Events of the current device; they are never deleted.
[[nodiscard]] cudaEvent_t create_event(bool timed);

/// Whether work of a stream is being done.
[[nodiscard]] bool in_stream();

/// The device of this thread of the host.
[[nodiscard]] int& current_device();
inline constexpr int device_count = 2;

/// "a stream; an event; ..." of what has not been destroyed.
[[nodiscard]] std::string stream_leaks();

}  // namespace cuda_cpu
