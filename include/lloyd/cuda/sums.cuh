// SPDX-License-Identifier: MIT
/// @file
/// Exact sums in kernels: integers that many threads add to at once, in any order.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "lloyd/cuda/dynamic_shared.cuh"
#include "lloyd/cuda/engine.cuh"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/kmeans/sums.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// *sum += value, modulo 2^64, while others do the same.
__device__ inline void add_shared(std::int64_t* sum, std::int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
}
/// *largest = max(*largest, pattern)
__device__ inline void raise(std::uint64_t* largest, std::uint64_t pattern) {
  atomicMax(reinterpret_cast<unsigned long long*>(largest), static_cast<unsigned long long>(pattern));
}

/// Bins of `count` exact sums, in a block's dynamic shared memory or on the device.
inline constexpr int sum_bins = static_cast<int>(detail::ExactSum::bins) + 2;

/// Sums of one term a row in shared memory, for all threads of a block: clear, add, flush, each called by all of them.
class BlockSums {
 public:
  __device__ BlockSums(std::int64_t* bins, int count) : bins_(bins), count_(count) {
    for (int i = static_cast<int>(threadIdx.x); i < count * sum_bins; i += static_cast<int>(blockDim.x)) bins_[i] = 0;
    __syncthreads();
  }
  /// Sum number s takes sign * w * x; one thread.
  __device__ void add_product(int s, double w, double x, std::int64_t sign = 1) const {
    detail::ExactSum::for_each_term_of_product(w, x, [&](double term) { add(s, term, sign); });
  }
  __device__ void add(int s, double x, std::int64_t sign = 1) const {
    std::int64_t* bin = bins_ + s * sum_bins;
    detail::ExactSum::for_each_integer(x, sign, [&](std::size_t k, std::int64_t whole) {
      if (whole != 0) add_shared(bin + k, whole);
    });
  }
  /// Adds all to sums of the device, carried so that 2^29 blocks may do so.
  __device__ void flush(std::int64_t* sums) const {
    __syncthreads();
    for (int s = static_cast<int>(threadIdx.x); s < count_; s += static_cast<int>(blockDim.x))
      detail::ExactSum::carry_bins(bins_ + s * sum_bins);
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count_ * sum_bins; i += static_cast<int>(blockDim.x))
      if (bins_[i] != 0) add_shared(sums + i, bins_[i]);
  }

 private:
  std::int64_t* bins_;
  int count_;
};

/// Shared memory for so many sums.
[[nodiscard]] constexpr std::size_t bytes_of_sums(int count) {
  return static_cast<std::size_t>(count) * sum_bins * sizeof(std::int64_t);
}

/// Exact sums of the device for the host to take.
class DeviceSums {
 public:
  DeviceSums(Engine& engine, Scratch& scratch, int count)
      : engine_(engine), bins_(scratch.take<std::int64_t>(Index{count} * sum_bins)) {
    engine.clear(bins_, Index{count} * sum_bins);
  }
  [[nodiscard]] std::int64_t* bins() const { return bins_; }
  /// sums_s += what the device has added to sum s. Waits for it.
  void take(std::span<detail::ExactSum> sums) const {
    std::vector<std::int64_t> bins(sums.size() * sum_bins);
    engine_.read(bins_, bins.size(), bins.data());
    for (std::size_t s = 0; s < sums.size(); ++s)
      sums[s].add_exchanged(std::span<const std::int64_t>(bins).subspan(s * sum_bins, sum_bins));
  }

 private:
  Engine& engine_;
  std::int64_t* bins_;
};

}  // namespace lloyd::inline LLOYD_ABI::cuda
