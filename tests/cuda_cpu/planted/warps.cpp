// SPDX-License-Identifier: MIT
/// Bugs of lanes that work together.
#include "cuda_cpu/planted/planted.hpp"
#include "lloyd/cuda/dynamic_shared.cuh"

namespace lloyd::planted {
namespace {

constexpr unsigned all = 0xFFFFFFFFU, lower_half = 0xFFFFU;

/// Runs one warp that leaves a value a lane.
std::vector<int> run_warp(bool planted, void (*bad)(int*), void (*sound)(int*)) {
  const test::Stream stream;
  const test::OnDevice<int> out(stream, 32);
  launch(planted, stream, 1, 32, 0, bad, sound, out.data());
  return out.values();
}

template <bool Bad>
__global__ void __launch_bounds__(32) lane_outside(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  out[lane] = __shfl_sync(Bad ? lower_half : all, lane, 0);
}
void run_lane_outside(bool planted) { demand(run_warp(planted, lane_outside<true>, lane_outside<false>)[31] == 0); }

template <bool Bad>
__global__ void __launch_bounds__(32) lane_absent(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  out[lane] = lane;
  if (lane < 16) out[lane] = __shfl_xor_sync(Bad ? all : lower_half, lane, 1);
}
void run_lane_absent(bool planted) { demand(run_warp(planted, lane_absent<true>, lane_absent<false>)[0] == 1); }

template <bool Bad>
__global__ void __launch_bounds__(32) lane_returned(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  out[lane] = 0;
  if (Bad && lane == 31) return;
  out[lane] = __any_sync(all, lane == 3 ? 1 : 0);
}
void run_lane_returned(bool planted) { demand(run_warp(planted, lane_returned<true>, lane_returned<false>)[0] == 1); }

template <bool Bad>
__global__ void __launch_bounds__(32) lanes_diverge(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  if (Bad && lane < 16)
    out[lane] = __shfl_sync(all, lane, 5);
  else
    out[lane] = __shfl_sync(all, lane, 5);
}
void run_lanes_diverge(bool planted) { demand(run_warp(planted, lanes_diverge<true>, lanes_diverge<false>)[0] == 5); }

// A value of a lane that its own mask does not name.
template <bool Bad>
__global__ void __launch_bounds__(32) source_absent(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  const unsigned mask = lane < 16 ? lower_half : ~lower_half;
  out[lane] = __shfl_sync(mask, lane, Bad ? 20 : lane ^ 1);
}
void run_source_absent(bool planted) { demand(run_warp(planted, source_absent<true>, source_absent<false>)[2] >= 0); }

template <bool Bad>
__global__ void __launch_bounds__(32) warp_barrier_missing(int* out) {
  struct Row {
    int value[32];
  };
  auto& row = cuda::static_shared<Row>();
  const int lane = static_cast<int>(threadIdx.x);
  row.value[lane] = lane;
  if (!Bad) __syncwarp();
  out[lane] = row.value[lane ^ 1];
}
void run_warp_barrier_missing(bool planted) {
  const auto values = run_warp(planted, warp_barrier_missing<true>, warp_barrier_missing<false>);
  for (std::size_t lane = 0; lane < 32; ++lane) demand(values[lane] == static_cast<int>(lane ^ 1U));
}

// A shuffle exchanges a value and orders no memory.
template <bool Bad>
__global__ void __launch_bounds__(32) shuffle_as_barrier(int* out) {
  struct Row {
    int value[32];
  };
  auto& row = cuda::static_shared<Row>();
  const int lane = static_cast<int>(threadIdx.x);
  row.value[lane] = lane;
  const int other = __shfl_xor_sync(all, lane, 1);
  if (!Bad) __syncwarp();
  out[lane] = row.value[other];
}
void run_shuffle_as_barrier(bool planted) {
  const auto values = run_warp(planted, shuffle_as_barrier<true>, shuffle_as_barrier<false>);
  for (std::size_t lane = 0; lane < 32; ++lane) demand(values[lane] == static_cast<int>(lane ^ 1U));
}

constexpr Bug bugs[] = {
    {"lane_outside", "a lane is outside the mask it gives", run_lane_outside},
    {"lane_absent", "half of a warp names the other half, which is elsewhere", run_lane_absent},
    {"lane_returned", "a mask names a lane that has returned", run_lane_returned},
    {"lanes_diverge", "lanes of one mask shuffle at two places", run_lanes_diverge},
    {"source_absent", "a shuffle takes the value of a lane outside the mask", run_source_absent},
    {"warp_barrier_missing", "lanes exchange through shared memory without __syncwarp", run_warp_barrier_missing},
    {"shuffle_as_barrier", "a shuffle is taken for __syncwarp", run_shuffle_as_barrier},
};

}  // namespace

std::span<const Bug> bugs_of_warps() { return bugs; }

}  // namespace lloyd::planted
