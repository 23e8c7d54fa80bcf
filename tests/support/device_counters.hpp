// SPDX-License-Identifier: MIT
/// @file
/// What was asked of CUDA, where somebody counts: the CPU test double does, and a program that nvcc built learns
/// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace lloyd::test {

/// Since the program began.
struct DeviceCounters {
  std::int64_t launches;               // of kernels
  std::int64_t default_stream;         // launches, copies and fills on the default stream
  std::int64_t host_synchronisations;  // waits of the host, also those hidden in cudaMemcpy, cudaFree and copies from
                                       // and to pageable memory; asking whether an event has happened is none
  std::int64_t allocations;            // of device, pinned and managed memory, stream-ordered ones too
  std::int64_t objects;                // streams, events, pools and cuBLAS handles created
  std::int64_t copies;                 // and fills
};

/// Nothing where nobody counts.
[[nodiscard]] std::optional<DeviceCounters> device_counters();

/// From now on the device has so many bytes in all. Whether it could be told.
[[nodiscard]] bool limit_device_memory(std::size_t bytes);
/// From now on so many more events can be created. Whether it could be told.
[[nodiscard]] bool limit_events(std::int64_t more);

}  // namespace lloyd::test
