// SPDX-License-Identifier: MIT
/// @file
/// occupancy: reads lines "arch threads registers static_bytes dynamic_bytes" and prints for each how many blocks of
/// such a kernel a multiprocessor holds, by NVIDIA's calculator, which needs no device.
#include <cuda_occupancy.h>

#include <iostream>

namespace {

/// A multiprocessor, as the CUDA programming guide lists them.
struct Row {
  int arch;
  int threads;
  std::size_t shared_block, shared;
};
constexpr Row rows[] = {{75, 1024, 64 << 10, 64 << 10},   {80, 2048, 163 << 10, 164 << 10},
                        {86, 1536, 99 << 10, 100 << 10},  {89, 1536, 99 << 10, 100 << 10},
                        {90, 2048, 227 << 10, 228 << 10}, {100, 2048, 227 << 10, 228 << 10},
                        {120, 1536, 99 << 10, 100 << 10}};

/// Blocks, or -1.
int blocks(int arch, int threads, int registers, std::size_t static_bytes, std::size_t dynamic_bytes) {
  for (const Row& row : rows) {
    if (row.arch != arch) continue;
    cudaOccDeviceProp device;
    device.computeMajor = arch / 10;
    device.computeMinor = arch % 10;
    device.maxThreadsPerBlock = 1024;
    device.maxThreadsPerMultiprocessor = row.threads;
    device.regsPerBlock = device.regsPerMultiprocessor = 65536;
    device.warpSize = 32;
    device.sharedMemPerBlock = 48 << 10;
    device.sharedMemPerBlockOptin = row.shared_block;
    device.sharedMemPerMultiprocessor = row.shared;
    device.reservedSharedMemPerBlock = arch < 80 ? 0 : 1024;
    device.numSms = 1;
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = threads;
    kernel.numRegs = registers;
    kernel.sharedSizeBytes = static_bytes;
    kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = row.shared_block - static_bytes;
    const cudaOccDeviceState state;
    cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, dynamic_bytes) !=
        CUDA_OCC_SUCCESS)
      return -1;
    return result.activeBlocksPerMultiprocessor;
  }
  return -1;
}

}  // namespace

int main() {
  int arch = 0, threads = 0, registers = 0;
  std::size_t static_bytes = 0, dynamic_bytes = 0;
  while (std::cin >> arch >> threads >> registers >> static_bytes >> dynamic_bytes)
    std::cout << blocks(arch, threads, registers, static_bytes, dynamic_bytes) << '\n';
}
