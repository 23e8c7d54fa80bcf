// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for CUDA: a block of threads, run one thread after the other; a thread is left where it must wait.
#pragma once

#include <vector_types.h>

#include <cstddef>
#include <functional>

#include "double/report.hpp"

// What a kernel reads: of the thread that runs now.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

namespace cuda_cpu {

inline constexpr unsigned warp_size = 32;

/// In which order blocks, and the ready threads of a block, are run: CUDA_CPU_ORDER, one of forward, reverse, shuffle
/// (with CUDA_CPU_SEED).
enum class Order { forward, reverse, shuffle };
[[nodiscard]] Order order();

/// What one launch runs.
struct Grid {
  dim3 blocks, threads;
  std::size_t shared_bytes = 0;
  std::size_t static_shared_limit = 0;
  std::function<void()> kernel;
};

/// Runs all blocks of the grid, on the context of its stream.
void run(const Grid& grid);

/// What threads of the running block call.
void barrier(const Place& place);
/// The same, and the number of threads whose predicate holds.
[[nodiscard]] int barrier_count(bool predicate, const Place& place);
[[nodiscard]] void* dynamic_shared_memory();
[[nodiscard]] void* static_shared_memory(const void* key, std::size_t bytes, std::size_t alignment);
/// Memory written before a fence by one thread is seen after a fence by another.
void fence();

}  // namespace cuda_cpu
