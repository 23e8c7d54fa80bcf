// SPDX-License-Identifier: MIT
/// @file
/// Kernels in the style of the library, to try the test double and the checks of compiled code on.
#pragma once

#include <cuda_runtime.h>

#include "lloyd/cuda/dynamic_shared.cuh"

namespace lloyd::samples {

inline constexpr int threads = 256;
inline constexpr unsigned all_lanes = 0xFFFFFFFFU;

/// The sum of a value over the block, in every thread.
__device__ inline int block_sum(int value) {
  struct Storage {
    int of_warp[threads / 32];
  };
  auto& shared = cuda::static_shared<Storage>();
  for (int delta = 16; delta > 0; delta /= 2) value += __shfl_xor_sync(all_lanes, value, delta);
  if (threadIdx.x % 32 == 0) shared.of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  int sum = 0;
  for (const int one : shared.of_warp) sum += one;
  __syncthreads();
  return sum;
}

/// totals[b] = the sum of the values that block b has; total = the sum of all.
template <int = 0>
__global__ void __launch_bounds__(threads) sum_kernel(const int* values, int n, int* totals, int* total) {
  int own = 0;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
       i += static_cast<int>(gridDim.x * blockDim.x))
    own += values[i];
  const int sum = block_sum(own);
  if (threadIdx.x != 0) return;
  totals[blockIdx.x] = sum;
  atomicAdd(total, sum);
}

/// d2[i] = sum_q (x_iq - c_q)^2 in double, term by term; d is a multiple of 4. c is read through dynamic shared memory
/// of d floats.
template <int = 0>
__global__ void __launch_bounds__(threads) distance_kernel(const float* x, const float* c, int n, int d, double* d2) {
  auto* own_c = cuda::dynamic_shared<float4>();
  for (int q = static_cast<int>(threadIdx.x); q < d / 4; q += threads) own_c[q] = reinterpret_cast<const float4*>(c)[q];
  __syncthreads();
  const int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (i >= n) return;
  const auto* row = reinterpret_cast<const float4*>(x + static_cast<long long>(i) * d);
  double sum = 0;
  const auto add = [&](float a, float b) {
    const double t = __dsub_rn(static_cast<double>(a), static_cast<double>(b));
    sum = __fma_rn(t, t, sum);
  };
  for (int q = 0; q < d / 4; ++q) {
    const float4 a = row[q], b = own_c[q];
    add(a.x, b.x);
    add(a.y, b.y);
    add(a.z, b.z);
    add(a.w, b.w);
  }
  d2[i] = sum;
}

inline constexpr int tile_rows = 64, tile_columns = 64, tile_depth = 16;

/// What a block of gram_kernel shares: a tile of x and one of c, by column.
struct Tiles {
  float x[tile_depth][tile_rows];
  float c[tile_depth][tile_columns];
};

/// A score and its centroid as one number, so that the smaller is the lower score, then the lower centroid. Scores are
/// not negative.
__device__ inline unsigned long long packed(float score, int j) {
  return static_cast<unsigned long long>(__float_as_uint(score)) << 32 | static_cast<unsigned>(j);
}

/// nearest[i] = packed(min_j sum_q |x_iq c_jq|, its j), for n rows and k centroids of d values, d a multiple of 16; a
/// block takes 64 rows, and dynamic shared memory of sizeof(Tiles).
template <int = 0>
__global__ void __launch_bounds__(threads, 2)
    gram_kernel(const float* x, const float* c, int n, int k, int d, unsigned long long* nearest) {
  auto& tiles = *cuda::dynamic_shared<Tiles>();
  const int t = static_cast<int>(threadIdx.x), first = static_cast<int>(blockIdx.x) * tile_rows;
  const int row = t / 16 * 4, column = t % 16 * 4;  // of the 4 x 4 products of this thread
  const int loaded = t / 4, part = t % 4 * 4;       // four values of a row are loaded by each thread
  const auto load = [&](const float* from, int i, int count, int depth) {
    return i < count ? *reinterpret_cast<const float4*>(from + static_cast<long long>(i) * d + depth + part)
                     : float4{0, 0, 0, 0};
  };
  unsigned long long best[4] = {~0ULL, ~0ULL, ~0ULL, ~0ULL};
  for (int j0 = 0; j0 < k; j0 += tile_columns) {
    float products[4][4] = {};
    for (int depth = 0; depth < d; depth += tile_depth) {
      const float4 from_x = load(x, first + loaded, n, depth), from_c = load(c, j0 + loaded, k, depth);
      __syncthreads();
      const float by_x[4] = {from_x.x, from_x.y, from_x.z, from_x.w};
      const float by_c[4] = {from_c.x, from_c.y, from_c.z, from_c.w};
      for (int q = 0; q < 4; ++q) {
        tiles.x[part + q][loaded] = by_x[q];
        tiles.c[part + q][loaded] = by_c[q];
      }
      __syncthreads();
#pragma unroll
      for (int q = 0; q < tile_depth; ++q) {
        const float4 a = *reinterpret_cast<const float4*>(&tiles.x[q][row]);
        const float4 b = *reinterpret_cast<const float4*>(&tiles.c[q][column]);
        const float as[4] = {a.x, a.y, a.z, a.w}, bs[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
        for (int r = 0; r < 4; ++r)
#pragma unroll
          for (int s = 0; s < 4; ++s) products[r][s] = __fmaf_rn(fabsf(as[r]), fabsf(bs[s]), products[r][s]);
      }
    }
#pragma unroll
    for (int r = 0; r < 4; ++r)
#pragma unroll
      for (int s = 0; s < 4; ++s) {
        const int j = j0 + column + s;
        const unsigned long long candidate = packed(products[r][s], j);
        if (j < k && candidate < best[r]) best[r] = candidate;
      }
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    for (int lanes = 8; lanes > 0; lanes /= 2) {  // the 16 threads of a row
      const unsigned long long other = __shfl_xor_sync(all_lanes, best[r], lanes, 16);
      if (other < best[r]) best[r] = other;
    }
    if (column == 0 && first + row + r < n) nearest[first + row + r] = best[r];
  }
}

}  // namespace lloyd::samples
