// SPDX-License-Identifier: MIT
/// What kernels use of the language: the test double, and a device, answer the same.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "support/device.hpp"

namespace lloyd::test {
namespace {

constexpr unsigned all = 0xFFFFFFFFU;

/// What `count` numbers of type T a kernel leaves, launched with this grid and block.
template <class T>
std::vector<T> run(dim3 grid, dim3 block, std::size_t count, void (*kernel)(T*)) {
  const Stream stream;
  const OnDevice<T> out(stream, std::vector<T>(count));
  cuda::launch(stream, grid, block, 0, kernel, out.data());
  return out.values();
}

template <int = 0>
__global__ void __launch_bounds__(32) indices(int* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = static_cast<int>(
      ((((blockIdx.z * 10 + blockIdx.y) * 10 + blockIdx.x) * 10 + threadIdx.z) * 10 + threadIdx.y) * 10 + threadIdx.x);
}
TEST(Builtins, ThreadsAndBlocksHaveTheirIndices) {
  const auto values = run<int>({2, 3, 2}, {4, 2, 4}, 12 * 32, indices<>);
  EXPECT_EQ(values[0], 0);
  EXPECT_EQ(values[31], 313);
  EXPECT_EQ(values[32], 1000);
  EXPECT_EQ(values[12 * 32 - 1], 121313);
}

template <int = 0>
__global__ void __launch_bounds__(32) shuffles(int* out) {
  const int lane = static_cast<int>(threadIdx.x), value = 100 + lane;
  out[lane] = __shfl_sync(all, value, 35);
  out[32 + lane] = __shfl_up_sync(all, value, 1);
  out[64 + lane] = __shfl_down_sync(all, value, 2, 8);
  out[96 + lane] = __shfl_xor_sync(all, value, 5);
  out[128 + lane] = __shfl_sync(all, value, 9, 8);
  out[160 + lane] = static_cast<int>(__shfl_xor_sync(all, 1.5 + lane, 1));
}
TEST(Builtins, ShufflesTakeTheValueOfAnotherLane) {
  const auto values = run<int>(1, 32, 192, shuffles<>);
  for (std::size_t i = 0; i < 32; ++i) {
    const int lane = static_cast<int>(i);
    EXPECT_EQ(values[i], 103);
    EXPECT_EQ(values[32 + i], lane == 0 ? 100 : 99 + lane);
    EXPECT_EQ(values[64 + i], lane % 8 < 6 ? 102 + lane : 100 + lane);
    EXPECT_EQ(values[96 + i], 100 + (lane ^ 5));
    EXPECT_EQ(values[128 + i], 101 + lane / 8 * 8);
    EXPECT_EQ(values[160 + i], 1 + (lane ^ 1));
  }
}

template <int = 0>
__global__ void __launch_bounds__(64) votes(unsigned* out) {
  const auto lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned* own = out + threadIdx.x * 6;
  own[0] = __ballot_sync(all, lane % 3 == 0 ? 1 : 0);
  own[1] = static_cast<unsigned>(__any_sync(all, lane == 7 && warp == 1 ? 1 : 0));
  own[2] = static_cast<unsigned>(__all_sync(all, lane < 32 ? 1 : 0));
  own[3] = __match_any_sync(all, static_cast<int>(lane / 16));
  own[4] = static_cast<unsigned>(__syncthreads_count(lane < 5 ? 1 : 0));
  // Half of the lanes among themselves.
  own[5] = lane < 16 ? __ballot_sync(0xFFFFU, lane % 2 == 0 ? 1 : 0) : 7;
}
TEST(Builtins, LanesVote) {
  const auto values = run<unsigned>(1, 64, 64 * 6, votes<>);
  for (unsigned thread = 0; thread < 64; ++thread) {
    const auto own = values.begin() + thread * 6;
    EXPECT_EQ(own[0], 0x49249249U);
    EXPECT_EQ(own[1], thread / 32);
    EXPECT_EQ(own[2], 1U);
    EXPECT_EQ(own[3], thread % 32 < 16 ? 0xFFFFU : 0xFFFF0000U);
    EXPECT_EQ(own[4], 10U);
    EXPECT_EQ(own[5], thread % 32 < 16 ? 0x5555U : 7U);
  }
}

template <class T>
__global__ void __launch_bounds__(64) atomics(T* out) {
  const auto thread = static_cast<T>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(&out[0], thread);
  atomicMin(&out[1], thread);
  atomicMax(&out[2], thread);
  atomicOr(&out[3], T{1} << (threadIdx.x % 31));
  atomicCAS(&out[4], T{0}, T{5});
  if (threadIdx.x == 0 && blockIdx.x == 0) out[5] = atomicExch(&out[6], T{9});
}
template <class T>
void expect_atomics() {
  const auto values = run<T>(2, 64, 7, atomics<T>);
  EXPECT_EQ(values, std::vector<T>({T{127 * 64}, T{0}, T{127}, T{0x7FFFFFFF}, T{5}, T{0}, T{9}}));
}
TEST(Builtins, AtomicsLoseNothing) {
  expect_atomics<int>();
  expect_atomics<unsigned>();
  expect_atomics<unsigned long long>();
}

template <int = 0>
__global__ void __launch_bounds__(32) rounded(double* out) {
  const double one = 1, tiny = 0x1p-80, third = 1.0 / 3;
  const float one_f = 1, tiny_f = 0x1p-40F;
  out[0] = __dadd_ru(one, tiny);
  out[1] = __dadd_rd(one, -tiny);
  out[2] = __dmul_ru(third, third) - __dmul_rd(third, third);
  out[3] = __fma_rn(third, 3.0, -1.0);
  out[4] = __fadd_ru(one_f, tiny_f);
  out[5] = __fsub_rd(one_f, tiny_f);
  out[6] = __fmul_ru(1.1F, 1.1F) - __fmul_rd(1.1F, 1.1F);
  out[7] = __double2float_ru(one + 0x1p-40);
  out[8] = __double2float_rd(one - 0x1p-40);
  out[9] = __dsqrt_ru(2.0) - __dsqrt_rd(2.0);
  out[10] = __ddiv_ru(1.0, 3.0) - __ddiv_rd(1.0, 3.0);
  out[11] = __fmaf_rn(1.0F / 3, 3.0F, -1.0F);
}
TEST(Builtins, RoundsInTheDirectionNamed) {
  EXPECT_EQ(
      run<double>(1, 1, 12, rounded<>),
      std::vector<double>({1 + 0x1p-52, 1 - 0x1p-53, 0x1p-56, std::fma(1.0 / 3, 3.0, -1.0), 1 + 0x1p-23, 1 - 0x1p-24,
                           0x1p-23, 1 + 0x1p-23, 1 - 0x1p-24, 0x1p-52, 0x1p-54, std::fma(1.0F / 3, 3.0F, -1.0F)}));
}

template <int = 0>
__global__ void __launch_bounds__(32) bits(std::int64_t* out) {
  out[0] = __popc(0xF0F0U);
  out[1] = __popcll(~0ULL);
  out[2] = __clz(1);
  out[3] = __clzll(0);
  out[4] = __ffs(8);
  out[5] = __ffsll(0);
  out[6] = static_cast<std::int64_t>(__umul64hi(~0ULL, 2));
  out[7] = __mul64hi(-1, 3);
  out[8] = __double_as_longlong(-0.0);
  out[9] = __float_as_int(1.0F);
  out[10] = static_cast<std::int64_t>(__longlong_as_double(0x4008000000000000));
  out[11] = __double2ll_rn(2.5);
}
TEST(Builtins, CountsAndTakesBits) {
  EXPECT_EQ(run<std::int64_t>(1, 1, 12, bits<>),
            std::vector<std::int64_t>(
                {8, 64, 31, 64, 4, 0, 1, -1, (std::numeric_limits<std::int64_t>::min)(), 0x3F800000, 3, 2}));
}

}  // namespace
}  // namespace lloyd::test
