// SPDX-License-Identifier: MIT
/// Bugs of addresses: bounds, alignment, lifetime, and whose memory it is.
#include "cuda_cpu/planted/planted.hpp"
#include "lloyd/cuda/dynamic_shared.cuh"

namespace lloyd::planted {
namespace {

__global__ void __launch_bounds__(32) fill(int* out, int n) {
  for (int i = static_cast<int>(threadIdx.x); i < n; i += 32) out[i] = i;
}
__global__ void __launch_bounds__(32) last_of(const int* in, int n, int* out) {
  if (threadIdx.x == 0) *out = in[n - 1];
}

void run_global_write(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> x(stream, 100);
  cuda::launch(stream, 1, 32, 0, fill, x.data(), planted ? 101 : 100);
  demand(x.values()[99] == 99);
}
void run_global_read(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> x(stream, {1, 2, 3}), out(stream, 1);
  cuda::launch(stream, 1, 32, 0, last_of, static_cast<const int*>(x.data()), planted ? 4 : 3, out.data());
  demand(out.values()[0] > 0);
}

__global__ void __launch_bounds__(32) through_shared(int n, int* out) {
  auto* values = cuda::dynamic_shared<int>();
  for (int i = static_cast<int>(threadIdx.x); i < n; i += 32) values[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) *out = values[n / 2];
}
void run_shared(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> out(stream, 1);
  cuda::launch(stream, 1, 32, 40 * sizeof(int), through_shared, planted ? 41 : 40, out.data());
  demand(out.values()[0] == 20);
}

// Beyond a row, but not beyond the shared memory.
__global__ void __launch_bounds__(32) through_rows(int columns, int* out) {
  struct Storage {
    int row[4][8];
  };
  auto& shared = cuda::static_shared<Storage>();
  const auto t = threadIdx.x;
  if (t < 4)
    for (int q = 0; q < columns; ++q) shared.row[t][q] = static_cast<int>(t);
  __syncthreads();
  if (t == 0) *out = shared.row[3][7];
}
void run_shared_row(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> out(stream, 1);
  cuda::launch(stream, 1, 32, 0, through_rows, planted ? 9 : 8, out.data());
  demand(out.values()[0] == 3);
}

__global__ void __launch_bounds__(32) load_four(const float* in, float* out) {
  if (threadIdx.x != 0) return;
  const float4 four = *reinterpret_cast<const float4*>(in);
  *out = four.x + four.y + four.z + four.w;
}
void run_misaligned(bool planted) {
  const test::Stream stream;
  const test::OnDevice<float> x(stream, {1, 1, 1, 1, 1, 1, 1, 1}), out(stream, 1);
  cuda::launch(stream, 1, 32, 0, load_four, static_cast<const float*>(x.data()) + (planted ? 1 : 4), out.data());
  demand(out.values()[0] == 4);
}

void run_host_pointer(bool planted) {
  const test::Stream stream;
  std::vector<int> host = {7};
  const test::OnDevice<int> x(stream, host), out(stream, 1);
  cuda::launch(stream, 1, 32, 0, last_of, static_cast<const int*>(planted ? host.data() : x.data()), 1, out.data());
  demand(out.values()[0] == 7);
}

struct View {
  const int* data;
  int n;
};
__global__ void __launch_bounds__(32) last_of_view(View view, int* out) {
  if (threadIdx.x == 0) *out = view.data[view.n - 1];
}
void run_host_pointer_in_struct(bool planted) {
  const test::Stream stream;
  std::vector<int> host = {7};
  const test::OnDevice<int> x(stream, host), out(stream, 1);
  cuda::launch(stream, 1, 32, 0, last_of_view, View{planted ? host.data() : x.data(), 1}, out.data());
  demand(out.values()[0] == 7);
}

void run_host_dereference(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> x(stream, {7});
  stream.synchronise();
  demand((planted ? *x.data() : x.values()[0]) == 7);
}

void run_wrong_direction(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> x(stream, {7});
  int host = 0;
  LLOYD_CUDA_CHECK(
      cudaMemcpyAsync(&host, x.data(), sizeof host, planted ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream));
  stream.synchronise();
  demand(host == 7);
}

void run_copy_too_long(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> x(stream, {7, 8});
  int host[3] = {0, 0, 0};
  LLOYD_CUDA_CHECK(cudaMemcpyAsync(host, x.data(), (planted ? 3 : 2) * sizeof(int), cudaMemcpyDeviceToHost, stream));
  stream.synchronise();
  demand(host[1] == 8);
}

__global__ void __launch_bounds__(32) large_shared(int n, int* out) {
  auto* values = cuda::dynamic_shared<int>();
  if (threadIdx.x == 0) *out = values[n - 1] = 5;
}
void run_too_much_shared(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> out(stream, {0});
  constexpr std::size_t bytes = 60 << 10;
  if (!planted) cuda::allow_shared(large_shared, bytes);
  try {
    cuda::launch(stream, 1, 32, bytes, large_shared, static_cast<int>(bytes / sizeof(int)), out.data());
  } catch (const BackendError& error) {
    std::printf("%s\n", error.what());
  }
  demand(out.values()[0] == 5);
}

void run_leak(bool planted) {
  void* memory = nullptr;
  LLOYD_CUDA_CHECK(cudaMalloc(&memory, 12));
  if (!planted) LLOYD_CUDA_CHECK(cudaFree(memory));
}

void run_freed_twice(bool planted) {
  const test::Stream stream;
  void* memory = nullptr;
  LLOYD_CUDA_CHECK(cudaMallocAsync(&memory, 12, stream));
  LLOYD_CUDA_CHECK(cudaFreeAsync(memory, stream));
  if (planted) LLOYD_CUDA_CHECK(cudaFreeAsync(memory, stream));
  stream.synchronise();
}

constexpr Bug bugs[] = {
    {"global_write", "a kernel writes one value past the end of device memory", run_global_write},
    {"global_read", "a kernel reads one value past the end of device memory", run_global_read},
    {"shared", "a kernel writes one value past the end of dynamic shared memory", run_shared},
    {"shared_row", "a kernel writes past the end of a row within shared memory", run_shared_row},
    {"misaligned", "a float4 is loaded from an address that is no multiple of 16", run_misaligned},
    {"host_pointer", "a kernel gets a pointer to memory of the host", run_host_pointer},
    {"host_pointer_in_struct", "a kernel gets a struct that holds one", run_host_pointer_in_struct},
    {"host_dereference", "the host reads device memory by its address", run_host_dereference},
    {"wrong_direction", "a copy says the wrong direction", run_wrong_direction},
    {"copy_too_long", "a copy reads past the end of device memory", run_copy_too_long},
    {"too_much_shared", "60 KiB of dynamic shared memory without asking first", run_too_much_shared},
    {"leak", "device memory is never freed", run_leak},
    {"freed_twice", "device memory is freed twice", run_freed_twice},
};

}  // namespace

std::span<const Bug> bugs_of_memory() { return bugs; }

}  // namespace lloyd::planted
