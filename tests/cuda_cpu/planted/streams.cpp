// SPDX-License-Identifier: MIT
/// Bugs of order: of the host and a stream, and of streams among themselves; and of cuBLAS.
#include "cuda_cpu/planted/planted.hpp"

namespace lloyd::planted {
namespace {

__global__ void __launch_bounds__(32) set(int* to, int value) {
  if (threadIdx.x == 0) *to = value;
}
__global__ void __launch_bounds__(32) increment(const int* from, int* to) {
  if (threadIdx.x == 0) *to = *from + 1;
}

class Event {
 public:
  Event() { LLOYD_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~Event() { (void)cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(cudaStream_t stream) const { LLOYD_CUDA_CHECK(cudaEventRecord(event_, stream)); }
  void hold(cudaStream_t stream) const { LLOYD_CUDA_CHECK(cudaStreamWaitEvent(stream, event_, 0)); }

 private:
  cudaEvent_t event_ = nullptr;
};

class Pinned {
 public:
  Pinned() {
    LLOYD_CUDA_CHECK(cudaMallocHost(&value_, sizeof *value_));
    *value_ = 0;
  }
  ~Pinned() { (void)cudaFreeHost(value_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  [[nodiscard]] int* get() const { return value_; }

 private:
  int* value_ = nullptr;
};

void run_read_before_synchronising(bool planted) {
  const Pinned result;
  const test::Stream stream;
  const test::OnDevice<int> x(stream, 1);
  cuda::launch(stream, 1, 32, 0, set, x.data(), 7);
  LLOYD_CUDA_CHECK(cudaMemcpyAsync(result.get(), x.data(), sizeof(int), cudaMemcpyDeviceToHost, stream));
  if (!planted) stream.synchronise();
  demand(*result.get() == 7);
}

// The copy may not have read it yet.
void run_written_before_copied(bool planted) {
  const Pinned source;
  const test::Stream stream;
  const test::OnDevice<int> x(stream, 1);
  *source.get() = 7;
  LLOYD_CUDA_CHECK(cudaMemcpyAsync(x.data(), source.get(), sizeof(int), cudaMemcpyHostToDevice, stream));
  if (!planted) stream.synchronise();
  *source.get() = 8;
  demand(x.values()[0] == 7);
}

void run_event_wait_missing(bool planted) {
  const test::Stream first, second;
  const test::OnDevice<int> x(first, 1), y(second, 1);
  const Event event;
  first.synchronise();  // x is there
  cuda::launch(first, 1, 32, 0, set, x.data(), 7);
  event.record(first);
  if (!planted) event.hold(second);
  cuda::launch(second, 1, 32, 0, increment, static_cast<const int*>(x.data()), y.data());
  second.synchronise();
  demand(y.values()[0] == 8);
}

// The work of both streams happens to be done in the right order.
void run_event_wait_missing_unseen(bool planted) {
  const test::Stream first, second;
  const test::OnDevice<int> x(first, 1), y(second, 1);
  const Event event;
  cuda::launch(first, 1, 32, 0, set, x.data(), 7);
  event.record(first);
  if (!planted) event.hold(second);
  cuda::launch(second, 1, 32, 0, increment, static_cast<const int*>(x.data()), y.data());
  first.synchronise();
  demand(y.values()[0] == 8);
}

// The stream in which memory is freed does not wait for the one that uses it.
void run_freed_in_wrong_stream(bool planted) {
  const test::Stream first, second;
  const test::OnDevice<int> y(first, 1);
  const Event event;
  int* x = nullptr;
  LLOYD_CUDA_CHECK(cudaMallocAsync(&x, sizeof(int), second));
  event.record(second);
  event.hold(first);
  cuda::launch(first, 1, 32, 0, set, x, 7);
  cuda::launch(first, 1, 32, 0, increment, static_cast<const int*>(x), y.data());
  event.record(first);
  if (!planted) event.hold(second);
  LLOYD_CUDA_CHECK(cudaFreeAsync(x, second));
  second.synchronise();
  demand(y.values()[0] == 8);
}

// And the one that uses it does not wait for its allocation.
void run_used_before_allocated(bool planted) {
  const test::Stream first, second;
  const Event event;
  int* x = nullptr;
  LLOYD_CUDA_CHECK(cudaMallocAsync(&x, sizeof(int), first));
  event.record(first);
  if (!planted) event.hold(second);
  cuda::launch(second, 1, 32, 0, set, x, 7);
  second.synchronise();
  LLOYD_CUDA_CHECK(cudaFreeAsync(x, second));
  second.synchronise();
}

void run_stream_of_other_device(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> x(stream, 1);
  LLOYD_CUDA_CHECK(cudaSetDevice(planted ? 1 : 0));
  cuda::launch(stream, 1, 32, 0, set, x.data(), 7);
  LLOYD_CUDA_CHECK(cudaSetDevice(0));
  demand(x.values()[0] == 7);
}

/// 1 + 2^-20 times 1, which TF32 rounds to 1.
void multiply(bool set_mode, cublasMath_t mode) {
  const test::Stream stream;
  const test::OnDevice<float> a(stream, {1 + 0x1p-20F}), b(stream, {1}), c(stream, 1);
  const float one = 1, zero = 0;
  cublasHandle_t handle = nullptr;
  LLOYD_CUDA_CHECK(cublasCreate(&handle));
  LLOYD_CUDA_CHECK(cublasSetStream(handle, stream));
  if (set_mode) LLOYD_CUDA_CHECK(cublasSetMathMode(handle, mode));
  LLOYD_CUDA_CHECK(
      cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a.data(), 1, b.data(), 1, &zero, c.data(), 1));
  demand(c.values()[0] == 1 + 0x1p-20F);
  LLOYD_CUDA_CHECK(cublasDestroy(handle));
}
void run_math_mode_missing(bool planted) { multiply(!planted, CUBLAS_PEDANTIC_MATH); }
void run_tf32(bool planted) { multiply(true, planted ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_PEDANTIC_MATH); }

constexpr Bug bugs[] = {
    {"read_before_synchronising", "the host reads a result before it waits", run_read_before_synchronising},
    {"written_before_copied", "the host writes where a copy has yet to read", run_written_before_copied},
    {"event_wait_missing", "a stream reads what another writes, without waiting for its event", run_event_wait_missing},
    {"event_wait_missing_unseen", "the same, where the order happens to be right", run_event_wait_missing_unseen},
    {"freed_in_wrong_stream", "memory is freed in a stream that does not wait for its last use",
     run_freed_in_wrong_stream},
    {"used_before_allocated", "memory is used in a stream that does not wait for its allocation",
     run_used_before_allocated},
    {"stream_of_other_device", "work for a stream while another device is current", run_stream_of_other_device},
    {"math_mode_missing", "cuBLAS multiplies and its math mode was never set", run_math_mode_missing},
    {"tf32", "cuBLAS may round operands to TF32", run_tf32},
};

}  // namespace

std::span<const Bug> bugs_of_streams() { return bugs; }

}  // namespace lloyd::planted
