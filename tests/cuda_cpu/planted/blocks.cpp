// SPDX-License-Identifier: MIT
/// Bugs of threads that share memory within a block, and of blocks.
#include <cub/block/block_reduce.cuh>

#include "cuda_cpu/planted/planted.hpp"
#include "lloyd/cuda/dynamic_shared.cuh"

namespace lloyd::planted {
namespace {

constexpr int threads = 64;

struct Row {
  int value[threads];
};

template <bool Bad>
__global__ void __launch_bounds__(threads) barrier_before(int* out) {
  auto& row = cuda::static_shared<Row>();
  const int t = static_cast<int>(threadIdx.x);
  row.value[t] = t;
  if (!Bad) __syncthreads();
  out[t] = row.value[threads - 1 - t];
}
void run_barrier_before(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> out(stream, threads);
  launch(planted, stream, 1, threads, 0, barrier_before<true>, barrier_before<false>, out.data());
  const auto values = out.values();
  for (std::size_t t = 0; t < threads; ++t) demand(values[t] == threads - 1 - static_cast<int>(t));
}

// Only the neighbour's value is read: in the forward order it happens to be there.
template <bool Bad>
__global__ void __launch_bounds__(threads) barrier_before_neighbour(int* out) {
  auto& row = cuda::static_shared<Row>();
  const int t = static_cast<int>(threadIdx.x);
  row.value[t] = t;
  if (!Bad) __syncthreads();
  out[t] = t == 0 ? -1 : row.value[t - 1];
}
void run_barrier_before_neighbour(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> out(stream, threads);
  launch(planted, stream, 1, threads, 0, barrier_before_neighbour<true>, barrier_before_neighbour<false>, out.data());
  const auto values = out.values();
  for (std::size_t t = 0; t < threads; ++t) demand(values[t] == static_cast<int>(t) - 1);
}

template <bool Bad>
__global__ void __launch_bounds__(threads) barrier_after(int* out) {
  auto& row = cuda::static_shared<Row>();
  const int t = static_cast<int>(threadIdx.x);
  int sum = 0;
  for (int tile = 0; tile < 3; ++tile) {
    row.value[t] = tile * threads + t;
    __syncthreads();
    for (const int value : row.value) sum += value;
    if (!Bad) __syncthreads();
  }
  out[t] = sum;
}
void run_barrier_after(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> out(stream, threads);
  launch(planted, stream, 1, threads, 0, barrier_after<true>, barrier_after<false>, out.data());
  for (const int sum : out.values()) demand(sum == 3 * threads * (3 * threads - 1) / 2);
}

template <bool Bad>
__global__ void __launch_bounds__(threads) storage_reused(int* out) {
  using Reduce = cub::BlockReduce<int, threads>;
  auto& storage = cuda::static_shared<typename Reduce::TempStorage>();
  const int first = Reduce(storage).Sum(1);
  if (!Bad) __syncthreads();
  const int second = Reduce(storage).Sum(2);
  if (threadIdx.x == 0) out[blockIdx.x] = first + second;
}
void run_storage_reused(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> out(stream, 2);
  launch(planted, stream, 2, threads, 0, storage_reused<true>, storage_reused<false>, out.data());
  for (const int sum : out.values()) demand(sum == 3 * threads);
}

template <bool Bad>
__global__ void __launch_bounds__(threads) uninitialised(int* out) {
  auto* counts = cuda::dynamic_shared<int>();
  const int t = static_cast<int>(threadIdx.x);
  if (!Bad) counts[t] = 0;
  __syncthreads();
  atomicAdd(&counts[t / 2], 1);
  __syncthreads();
  out[t] = counts[t];
}
void run_uninitialised(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> out(stream, threads);
  launch(planted, stream, 1, threads, threads * sizeof(int), uninitialised<true>, uninitialised<false>, out.data());
  const auto values = out.values();
  for (std::size_t t = 0; t < threads; ++t) demand(values[t] == (t < threads / 2 ? 2 : 0));
}

template <bool Bad>
__global__ void __launch_bounds__(threads) atomic_missing(int* counts) {
  const auto label = threadIdx.x % 3;
  if (Bad)
    ++counts[label];
  else
    atomicAdd(&counts[label], 1);
}
void run_atomic_missing(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> counts(stream, {0, 0, 0});
  launch(planted, stream, 2, 48, 0, atomic_missing<true>, atomic_missing<false>, counts.data());
  for (const int count : counts.values()) demand(count == 32);
}

// One thread of each block: the blocks race.
template <bool Bad>
__global__ void __launch_bounds__(threads) atomic_missing_between_blocks(int* total) {
  if (threadIdx.x != 0) return;
  if (Bad)
    *total += 1;
  else
    atomicAdd(total, 1);
}
void run_atomic_missing_between_blocks(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> total(stream, {0});
  launch(planted, stream, 4, 32, 0, atomic_missing_between_blocks<true>, atomic_missing_between_blocks<false>,
         total.data());
  demand(total.values()[0] == 4);
}

// The block that is last adds what all have written.
template <bool Bad>
__global__ void __launch_bounds__(threads) fence_missing(int* parts, unsigned* done, int* total) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = static_cast<int>(blockIdx.x) + 1;
  if (!Bad) __threadfence();
  if (atomicAdd(done, 1U) != gridDim.x - 1) return;
  if (!Bad) __threadfence();
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += parts[b];
  *total = sum;
}
void run_fence_missing(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> parts(stream, 4), total(stream, 1);
  const test::OnDevice<unsigned> done(stream, {0});
  launch(planted, stream, 4, 32, 0, fence_missing<true>, fence_missing<false>, parts.data(), done.data(), total.data());
  demand(total.values()[0] == 10);
}

template <bool Bad>
__global__ void __launch_bounds__(threads) divergent_barrier(int* out) {
  const bool lower = threadIdx.x < threads / 2;
  if (Bad) {
    if (lower)
      __syncthreads();
    else
      __syncthreads();
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = lower ? 1 : 0;
}
void run_divergent_barrier(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> out(stream, threads);
  launch(planted, stream, 1, threads, 0, divergent_barrier<true>, divergent_barrier<false>, out.data());
  demand(out.values()[0] == 1);
}

template <bool Bad>
__global__ void __launch_bounds__(threads) return_before_barrier(int n, int* out) {
  const int t = static_cast<int>(threadIdx.x);
  if (Bad && t >= n) return;
  __syncthreads();
  if (t < n) out[t] = t;
}
void run_return_before_barrier(bool planted) {
  const test::Stream stream;
  const test::OnDevice<int> out(stream, 40);
  launch(planted, stream, 1, threads, 0, return_before_barrier<true>, return_before_barrier<false>, 40, out.data());
  demand(out.values()[39] == 39);
}

// x^2 - y is 0 where the product is rounded by itself, and the rest of x^2 where it is contracted with the sum.
template <bool Bad>
__global__ void __launch_bounds__(threads) contracted(const double* x, double y, double* out) {
  const double value = x[threadIdx.x];
  out[threadIdx.x] = Bad ? value * value - y : __dsub_rn(__dmul_rn(value, value), y);
}
void run_contracted(bool planted) {
  const test::Stream stream;
  const test::OnDevice<double> x(stream, std::vector<double>(threads, 1 + 0x1p-30)), out(stream, threads);
  launch(planted, stream, 1, threads, 0, contracted<true>, contracted<false>, x.data(), 1 + 0x1p-29, out.data());
  for (const double value : out.values()) demand(value == 0);
}

constexpr Bug bugs[] = {
    {"barrier_before", "no barrier between writing shared memory and reading what others wrote", run_barrier_before},
    {"barrier_before_neighbour", "the same, where only the neighbour's value is read", run_barrier_before_neighbour},
    {"barrier_after", "no barrier between reading a tile and writing the next", run_barrier_after},
    {"storage_reused", "temporary storage of CUB used again without a barrier", run_storage_reused},
    {"uninitialised", "shared memory read that nobody wrote", run_uninitialised},
    {"atomic_missing", "threads add to a number without atomicAdd", run_atomic_missing},
    {"atomic_missing_between_blocks", "one thread of each block adds without atomicAdd",
     run_atomic_missing_between_blocks},
    {"fence_missing", "the last block reads what others wrote, without a fence", run_fence_missing},
    {"divergent_barrier", "half of a block waits at another barrier", run_divergent_barrier},
    {"return_before_barrier", "threads without work return before a barrier", run_return_before_barrier},
    {"contracted", "an exact product is added without __dmul_rn", run_contracted},
};

}  // namespace

std::span<const Bug> bugs_of_blocks() { return bugs; }

}  // namespace lloyd::planted
