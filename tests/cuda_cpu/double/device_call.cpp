// SPDX-License-Identifier: MIT
#include "double/device_call.hpp"

#include <cstring>
#include <utility>

#include "double/report.hpp"
#include "double/runtime.hpp"

namespace cuda_cpu {

cudaError_t device_call(void* storage, std::size_t& bytes, std::size_t needed, cudaStream_t handle,
                        std::function<void()> work) {
  if (storage == nullptr) {
    bytes = needed;
    return cudaSuccess;
  }
  const Call call("a call of CUB");
  if (bytes < needed) return answer(cudaErrorInvalidValue);
  if (find(storage) == nullptr) fail("the temporary storage of a call of CUB is " + describe(storage));
  ++counters().launches;
  enqueue(stream_for_work(handle), [=, work = std::move(work)] {
    demand_alive(storage, needed, "a call of CUB, by its temporary storage,");
    const Watched watched;
    std::memset(storage, 0xFF, needed);
    work();
  });
  return cudaSuccess;
}

}  // namespace cuda_cpu
