// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for CUDA: what its stand-ins for calls of CUB share. They ask for temporary storage, overwrite all of
/// it, and work in their stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <type_traits>

#include "double/memory.hpp"
#include "double/sanitizer.hpp"

namespace cuda_cpu {

/// The two phases of a call: with null for storage, how much of it is needed; else the work, in the stream.
cudaError_t device_call(void* storage, std::size_t& bytes, std::size_t needed, cudaStream_t stream,
                        std::function<void()> work);

/// Where an operand is an address, n elements from it must be in memory that is alive.
template <class Iterator>
void demand_elements(const Iterator& operand, std::size_t n, const char* who) {
  if constexpr (std::is_pointer_v<Iterator>) {
    if (n > 0) demand_alive(operand, n * sizeof(*operand), who);
  }
}

}  // namespace cuda_cpu
