// SPDX-License-Identifier: MIT
/// @file
/// Maxima of bit patterns by column: a thread keeps those of one column over its rows, then joins them.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/cuda/subnormals.cuh"
#include "lloyd/cuda/sums.cuh"
#include "lloyd/kmeans/rounding.hpp"
#include "lloyd/kmeans/survey.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// The pattern of |x| as a double. A NaN keeps its digits, as on the host: a conversion on the device would drop them.
[[nodiscard]] __device__ inline std::uint64_t pattern_of(double x) {
  return static_cast<std::uint64_t>(__double_as_longlong(x)) & ~(std::uint64_t{1} << 63);
}
[[nodiscard]] __device__ inline std::uint64_t pattern_of(float x) {
  const unsigned bits = __float_as_uint(x) & 0x7fffffffU;
  if (bits <= 0x7f800000U) return pattern_of(static_cast<double>(x));
  return std::uint64_t{0x7ff8} << 48 | static_cast<std::uint64_t>(bits & 0x7fffffU) << 29;
}

template <Real T>
__global__ void __launch_bounds__(block_threads) survey_kernel(MatrixView<const T, Device> x, std::uint64_t* maxima) {
  demand_subnormals();
  const Index d = x.cols();
  const int width = static_cast<int>(d < blockDim.x ? d : blockDim.x),
            side_by_side = static_cast<int>(blockDim.x) / width;
  const int column = static_cast<int>(threadIdx.x) % width, row = static_cast<int>(threadIdx.x) / width;
  if (row >= side_by_side) return;
  for (Index q = static_cast<Index>(blockIdx.y) * width + column; q < d; q += static_cast<Index>(gridDim.y) * width) {
    std::uint64_t largest = 0, smallest = 0;
    for (Index i = static_cast<Index>(blockIdx.x) * side_by_side + row; i < x.rows();
         i += static_cast<Index>(gridDim.x) * side_by_side) {
      const std::uint64_t pattern = pattern_of(x(i, q));
      if (pattern == 0) continue;
      largest = pattern > largest ? pattern : largest;
      smallest = ~pattern > smallest ? ~pattern : smallest;
    }
    if (largest == 0) continue;
    raise(maxima + q, largest);
    raise(maxima + d + q, smallest);
  }
}

template <int = 0>
__global__ void __launch_bounds__(block_threads) survey_weights_kernel(Weights<Device> w, std::uint64_t* maxima) {
  std::uint64_t largest = 0, lowest = 0, smallest = 0;
  for (Index i = first_thing(); i < w.size(); i += thing_step()) {
    const double weight = w(i);
    if (weight == 0) continue;
    const auto pattern = static_cast<std::uint64_t>(__double_as_longlong(weight));
    const auto low = static_cast<std::uint64_t>(4096 - detail::lowest_set_bit(weight));
    largest = pattern > largest ? pattern : largest;
    lowest = low > lowest ? low : lowest;
    smallest = ~pattern > smallest ? ~pattern : smallest;
  }
  if (largest == 0) return;
  raise(maxima, largest);
  raise(maxima + 1, lowest);
  raise(maxima + 2, smallest);
}

template <Real T>
void survey(Engine& engine, const Tile<T, Device>& tile, std::span<std::uint64_t> maxima) {
  if (tile.x.rows() == 0) return;
  engine.demand_here(tile);
  Scratch scratch = engine.scratch();
  const auto count = static_cast<Index>(maxima.size());
  auto* found = scratch.take<std::uint64_t>(count);
  engine.clear(found, count);
  const Index d = tile.x.cols(), width = (std::min)(d, Index{block_threads}), most_blocks = 1 << 15;
  const Index rows_a_block = Index{block_threads} / width, least_rows = 16;
  const dim3 grid(engine.blocks_for((tile.x.rows() + rows_a_block * least_rows - 1) / (rows_a_block * least_rows)),
                  static_cast<unsigned>((std::min)((d + width - 1) / width, most_blocks)));
  launch(engine.stream(), grid, dim3(block_threads), 0, survey_kernel<T>, tile.x, found);
  if (!tile.w.empty()) engine.launch_for(tile.w.size(), 1, survey_weights_kernel<>, tile.w, found + 2 * d);
  std::vector<std::uint64_t> here(maxima.size());
  engine.read(found, here.size(), here.data());
  for (std::size_t i = 0; i < here.size(); ++i) maxima[i] = (std::max)(maxima[i], here[i]);
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
