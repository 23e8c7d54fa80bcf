// SPDX-License-Identifier: MIT
/// Memory and copies.
#include <cstring>
#include <string>
#include <vector>

#include "double/memory.hpp"
#include "double/report.hpp"
#include "double/runtime.hpp"

/// cudaMemPool_t points to this.
struct CUmemPoolHandle_st {
  int device = 0;
  bool destroyed = false;
  std::uint64_t threshold = 0;
};

using namespace cuda_cpu;

namespace {

CUmemPoolHandle_st& default_pool(int device) {
  static CUmemPoolHandle_st pools[device_count];
  pools[device].device = device;
  return pools[device];
}

void wait_for_everything() {
  ++counters().host_synchronisations;
  drain_device(current_device());
}

cudaError_t allocate_now(void** memory, std::size_t bytes, Kind kind) {
  *memory = nullptr;
  if (bytes == 0) return cudaSuccess;
  ++counters().allocations;
  *memory = allocate(bytes, kind, current_device(), nullptr, true);
  return answer(*memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}

/// The allocation that begins here and that the host still owns.
Allocation& allocation_to_free(const void* memory, const char* who) {
  Allocation* allocation = find(memory);
  if (allocation == nullptr || allocation->begin != memory) fail(std::string(who) + " of " + describe(memory));
  if (allocation->freeing) fail(std::string(who) + " of memory that is freed already");
  return *allocation;
}

cudaError_t allocate_in_stream(void** memory, std::size_t bytes, CUmemPoolHandle_st& pool, cudaStream_t handle) {
  CUstream_st& stream = stream_for_work(handle);
  *memory = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (pool.destroyed) return answer(cudaErrorInvalidValue);
  ++counters().allocations;
  *memory = allocate(bytes, Kind::device, pool.device, &pool, false);
  if (*memory == nullptr) return answer(cudaErrorMemoryAllocation);
  enqueue(stream, [place = *memory] { bring_to_life(place); });
  return cudaSuccess;
}

bool on_host(const void* address) {
  const Allocation* allocation = find(address);
  return allocation == nullptr || allocation->kind != Kind::device;
}
bool pageable(const void* address) { return find(address) == nullptr; }

/// The direction must be what the addresses say.
void check_direction(const void* to, const void* from, cudaMemcpyKind kind) {
  const bool from_host = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost;
  const bool to_host = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost;
  const auto agrees = [](const void* address, bool host) {
    const Allocation* allocation = find(address);
    return allocation == nullptr ? host : allocation->kind == Kind::managed || host == on_host(address);
  };
  if (kind != cudaMemcpyDefault && (!agrees(to, to_host) || !agrees(from, from_host)))
    fail("a copy in the wrong direction: from " + describe(from) + " to " + describe(to));
}

struct Copy {
  char* to;
  const char* from;
  std::size_t to_pitch, from_pitch, width, height;

  void operator()() const {
    const Watched watched;
    for (std::size_t row = 0; row < height; ++row) {
      check(to + row * to_pitch, "a copy to");
      check(from + row * from_pitch, "a copy from");
      std::memcpy(to + row * to_pitch, from + row * from_pitch, width);
    }
  }
  void check(const char* address, const char* who) const {
    if (!pageable(address)) demand_alive(address, width, who);
  }
};

cudaError_t copy(Copy what, cudaMemcpyKind kind, cudaStream_t handle) {
  CUstream_st& stream = stream_for_work(handle);
  if (what.width == 0 || what.height == 0) return cudaSuccess;
  check_direction(what.to, what.from, kind);
  ++counters().copies;
  if (pageable(what.from)) {
    // CUDA has taken the bytes from pageable memory when it returns, and may wait to do so.
    ++counters().host_synchronisations;
    auto staged = std::make_shared<std::vector<char>>(what.width * what.height);
    for (std::size_t row = 0; row < what.height; ++row)
      std::memcpy(staged->data() + row * what.width, what.from + row * what.from_pitch, what.width);
    what.from = staged->data();
    what.from_pitch = what.width;
    enqueue(stream, [what, staged] { what(); });
  } else {
    enqueue(stream, what);
  }
  if (pageable(what.to)) {  // CUDA waits until pageable memory is written
    ++counters().host_synchronisations;
    drain(stream);
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  const Call call("cudaMalloc");
  return allocate_now(memory, bytes, Kind::device);
}
cudaError_t cudaMallocManaged(void** memory, std::size_t bytes, unsigned /*flags*/) {
  const Call call("cudaMallocManaged");
  return allocate_now(memory, bytes, Kind::managed);
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  const Call call("cudaMallocHost");
  return allocate_now(memory, bytes, Kind::pinned);
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned /*flags*/) {
  const Call call("cudaHostAlloc");
  return allocate_now(memory, bytes, Kind::pinned);
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned /*flags*/) {
  const Call call("cudaHostGetDevicePointer");
  if (pageable(host)) return answer(cudaErrorInvalidValue);
  *device = host;
  return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  const Call call("cudaFree");
  wait_for_everything();
  if (memory == nullptr) return cudaSuccess;
  if (allocation_to_free(memory, "cudaFree").kind == Kind::pinned) return answer(cudaErrorInvalidValue);
  deallocate(memory);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  const Call call("cudaFreeHost");
  wait_for_everything();
  if (memory == nullptr) return cudaSuccess;
  if (allocation_to_free(memory, "cudaFreeHost").kind != Kind::pinned) return answer(cudaErrorInvalidValue);
  deallocate(memory);
  return cudaSuccess;
}
cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream) {
  const Call call("cudaMallocAsync");
  return allocate_in_stream(memory, bytes, default_pool(current_device()), stream);
}
cudaError_t cudaMallocFromPoolAsync(void** memory, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  const Call call("cudaMallocFromPoolAsync");
  return allocate_in_stream(memory, bytes, *pool, stream);
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t handle) {
  const Call call("cudaFreeAsync");
  if (memory == nullptr) return cudaSuccess;
  Allocation& allocation = allocation_to_free(memory, "cudaFreeAsync");
  if (allocation.kind != Kind::device) return answer(cudaErrorInvalidValue);
  allocation.freeing = true;
  enqueue(stream_for_work(handle), [memory] {
    demand_alive(memory, 0, "cudaFreeAsync");
    deallocate(memory);
  });
  return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  const Call call("cudaMemPoolCreate");
  ++counters().objects;
  *pool = new CUmemPoolHandle_st{properties->location.id, false, 0};
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  const Call call("cudaMemPoolDestroy");
  if (pool == &default_pool(pool->device)) return answer(cudaErrorInvalidValue);
  drain_all();
  if (used_by_pool(pool) != 0) fail("a pool is destroyed while memory of it is in use");
  delete pool;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (device < 0 || device >= device_count) return answer(cudaErrorInvalidDevice);
  *pool = &default_pool(device);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t /*pool*/, std::size_t /*bytes*/) { return cudaSuccess; }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (attribute == cudaMemPoolAttrReleaseThreshold) std::memcpy(&pool->threshold, value, sizeof pool->threshold);
  return cudaSuccess;
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  const Call call("cudaMemPoolGetAttribute");
  std::uint64_t number = used_by_pool(pool);
  if (attribute == cudaMemPoolAttrReleaseThreshold) number = pool->threshold;
  std::memcpy(value, &number, sizeof number);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const Call call("cudaMemcpyAsync");
  return copy({static_cast<char*>(to), static_cast<const char*>(from), bytes, bytes, bytes, 1}, kind, stream);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  const Call call("cudaMemcpy2DAsync");
  if (to_pitch < width || from_pitch < width) return answer(cudaErrorInvalidValue);
  return copy({static_cast<char*>(to), static_cast<const char*>(from), to_pitch, from_pitch, width, height}, kind,
              stream);
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const Call call("cudaMemcpy");
  const cudaError_t status = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  ++counters().host_synchronisations;
  drain(stream_of(nullptr));
  return status;
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t handle) {
  const Call call("cudaMemsetAsync");
  CUstream_st& stream = stream_for_work(handle);
  if (bytes == 0) return cudaSuccess;
  ++counters().copies;
  enqueue(stream, [=] {
    demand_alive(memory, bytes, "a fill");
    const Watched watched;
    std::memset(memory, value, bytes);
  });
  return cudaSuccess;
}
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  return cudaMemsetAsync(memory, value, bytes, nullptr);
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  const Call call("cudaMemGetInfo");
  *free = free_memory();
  *total = total_memory();
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  const Call call("cudaPointerGetAttributes");
  *attributes = cudaPointerAttributes{};
  const Allocation* allocation = find(address);
  attributes->type = allocation == nullptr              ? cudaMemoryTypeUnregistered
                     : allocation->kind == Kind::device ? cudaMemoryTypeDevice
                     : allocation->kind == Kind::pinned ? cudaMemoryTypeHost
                                                        : cudaMemoryTypeManaged;
  attributes->device = allocation == nullptr ? -1 : allocation->device;
  if (allocation != nullptr) attributes->devicePointer = const_cast<void*>(address);
  if (on_host(address)) attributes->hostPointer = const_cast<void*>(address);
  return cudaSuccess;
}
