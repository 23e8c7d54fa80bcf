// SPDX-License-Identifier: MIT
#include "double/launch.hpp"

#include <string>

#include "double/block.hpp"
#include "double/memory.hpp"
#include "double/report.hpp"
#include "double/runtime.hpp"

namespace cuda_cpu {
namespace {

bool outside(unsigned value, unsigned most) { return value == 0 || value > most; }

cudaError_t check(const cudaLaunchConfig_t& config, const void* kernel) {
  const dim3 &blocks = config.gridDim, &threads = config.blockDim;
  if (outside(threads.x, Limits::threads) || outside(threads.y, Limits::threads) ||
      outside(threads.z, Limits::threads_z) || threads.x * threads.y * threads.z > Limits::threads ||
      outside(blocks.x, Limits::blocks_x) || outside(blocks.y, Limits::blocks_yz) ||
      outside(blocks.z, Limits::blocks_yz))
    return cudaErrorInvalidConfiguration;
  if (config.numAttrs != 0) fail("the double knows no launch attributes");
  return config.dynamicSmemBytes > dynamic_shared_limit(kernel) ? cudaErrorInvalidValue : cudaSuccess;
}

}  // namespace

cudaError_t launch_words(const cudaLaunchConfig_t& config, const void* kernel, const std::vector<Word>& words,
                         std::function<void()> kernel_call) {
  const Call call("cudaLaunchKernelEx");
  CUstream_st& stream = stream_for_work(config.stream);
  if (const cudaError_t error = check(config, kernel); error != cudaSuccess) return answer(error);
  ++counters().launches;
  std::vector<Word> addresses;
  for (const Word& word : words) {
    const auto* address = reinterpret_cast<const void*>(word.value);
    const Allocation* allocation = find(address);
    if (allocation != nullptr) {
      if (allocation->kind == Kind::device && allocation->device != stream.device)
        fail("argument " + std::to_string(word.argument) + " of a kernel is memory of another device");
      addresses.push_back(word);
    } else if (word.is_pointer ? address != nullptr : is_host_address(word.value)) {
      fail("argument " + std::to_string(word.argument) + " of a kernel " + (word.is_pointer ? "is " : "holds ") +
           describe(address));
    }
  }
  Grid grid{config.gridDim, config.blockDim, config.dynamicSmemBytes, std::max(Limits::shared, config.dynamicSmemBytes),
            std::move(kernel_call)};
  enqueue(stream, [grid = std::move(grid), addresses = std::move(addresses)] {
    for (const Word& word : addresses)
      demand_alive(reinterpret_cast<const void*>(word.value), 0,
                   "a kernel, by its argument " + std::to_string(word.argument) + ",");
    run(grid);
  });
  return cudaSuccess;
}

}  // namespace cuda_cpu
