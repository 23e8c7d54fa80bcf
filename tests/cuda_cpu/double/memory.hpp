// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for CUDA: which address belongs to whom. Device memory is heap memory, filled with NaN (all bits one)
/// when it comes to life and when it dies, and poisoned for AddressSanitizer while code of the host runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cuda_cpu {

enum class Kind { device, pinned, managed };

/// Memory between its allocation and its end. A stream-ordered one comes to life, and dies, when its stream gets there.
struct Allocation {
  char* begin;
  std::size_t bytes;
  Kind kind;
  int device;
  void* pool;  // or null
  bool alive;
  bool freeing;  // the host has asked for its end
};

/// Memory of `bytes` bytes, aligned to 256, or null where the device has too little.
[[nodiscard]] void* allocate(std::size_t bytes, Kind kind, int device, void* pool, bool alive);
/// The stream has got to the allocation.
void bring_to_life(void* memory);
/// The memory ends. Its edges must be whole.
void deallocate(void* memory);

/// The allocation that holds this address, or null: then it is memory of the host.
[[nodiscard]] Allocation* find(const void* address);
/// "device memory of 400 bytes", "device memory that was freed", "host memory".
[[nodiscard]] std::string describe(const void* address);
/// Whether there is memory of the host's at this value, taken for an address.
[[nodiscard]] bool is_host_address(std::uintptr_t value);
/// Fails unless [address, address + bytes) lies in one allocation that is alive.
void demand_alive(const void* address, std::size_t bytes, std::string_view who);

/// Bytes of device memory: in all (CUDA_CPU_MEMORY bytes, 1 GiB unless set), and free.
[[nodiscard]] std::size_t total_memory();
[[nodiscard]] std::size_t free_memory();
[[nodiscard]] std::size_t used_by_pool(const void* pool);
void set_total_memory(std::size_t bytes);

/// While one lives, work of the device runs: it may touch device memory.
class DeviceRuns {
 public:
  DeviceRuns();
  ~DeviceRuns();
  DeviceRuns(const DeviceRuns&) = delete;
  DeviceRuns& operator=(const DeviceRuns&) = delete;
};

/// "12 bytes of device memory; ..." of what has not been freed, or an empty text.
[[nodiscard]] std::string leaks();

}  // namespace cuda_cpu
