// SPDX-License-Identifier: MIT
/// @file
/// How a metric is computed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lloyd/cpu/target.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI {

/// One aggregate for designated initialisers, in this order. Only the first two change what comes out.
struct MetricOptions {
  Index sample_size = 0;   ///< silhouette_score alone: of so many rows, drawn uniformly; 0, or at least n: of all
  std::uint64_t seed = 0;  ///< of the sample; any value
  int n_threads = 0;       ///< 0: OpenMP's default; negative is refused
  std::size_t memory_budget = std::size_t{64} << 20;  ///< bytes for tiles and per-thread sums; too small is refused
  Isa widest = Isa::avx512;                           ///< the most that is used of what the machine has
};

}  // namespace lloyd::inline LLOYD_ABI
