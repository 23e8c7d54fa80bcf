// SPDX-License-Identifier: MIT
/// The device, errors and kernels' attributes; and what must be left behind at the end of the program.
#include "double/runtime.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "double/memory.hpp"
#include "double/report.hpp"

namespace cuda_cpu {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

std::recursive_mutex& mutex() {
  static auto* instance = new std::recursive_mutex;
  return *instance;
}

/// Called at the end of a program that returns from main.
void report_leaks() {
  drain_all();
  std::string left = leaks();
  for (const std::string& more : {stream_leaks(), handle_leaks()})
    if (!more.empty()) left += (left.empty() ? "" : "; ") + more;
  if (!left.empty()) fail("never freed: " + left);
}
const bool reports_leaks = std::atexit(report_leaks) == 0;

}  // namespace

lloyd::test::DeviceCounters& counters() {
  static lloyd::test::DeviceCounters all{};
  return all;
}

Call::Call(const char* name) : lock_(mutex()) {
  if (in_stream()) fail(std::string("a function in a stream calls ") + name);
}
Call::~Call() = default;

cudaError_t answer(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

CUstream_st& stream_for_work(cudaStream_t handle) {
  CUstream_st& stream = stream_of(handle);
  if (is_default(stream)) ++counters().default_stream;
  if (stream.device != current_device())
    fail("work for a stream of device " + std::to_string(stream.device) + " while the current device is " +
         std::to_string(current_device()));
  return stream;
}

std::size_t& dynamic_shared_limit(const void* kernel) {
  static std::map<const void*, std::size_t> limits;
  return limits.insert({kernel, Limits::shared}).first->second;
}

}  // namespace cuda_cpu

namespace lloyd::test {

std::optional<DeviceCounters> device_counters() { return cuda_cpu::counters(); }
bool limit_device_memory(std::size_t bytes) {
  cuda_cpu::set_total_memory(bytes);
  return true;
}

}  // namespace lloyd::test

using namespace cuda_cpu;

cudaError_t cudaGetDeviceCount(int* count) {
  *count = device_count;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device();
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= device_count) return answer(cudaErrorInvalidDevice);
  current_device() = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  const Call call("cudaDeviceSynchronize");
  ++counters().host_synchronisations;
  drain_device(current_device());
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return last_error; }
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorInvalidResourceHandle:
      return "cudaErrorInvalidResourceHandle";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
    default:
      return "cudaErrorUnknown";
  }
}
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory" : "an error of the CPU test double";
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device < 0 || device >= device_count) return answer(cudaErrorInvalidDevice);
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = Limits::multiprocessors;
      break;
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = Limits::threads;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = static_cast<int>(Limits::shared);
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(Limits::shared_opt_in);
      break;
    case cudaDevAttrWarpSize:
      *value = 32;
      break;
    case cudaDevAttrMaxGridDimX:
      *value = static_cast<int>(Limits::blocks_x);
      break;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      *value = static_cast<int>(Limits::blocks_yz);
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = 7;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = 5;
      break;
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrUnifiedAddressing:
      *value = 1;
      break;
    default:
      fail("the double does not know device attribute " + std::to_string(attribute));
  }
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device < 0 || device >= device_count) return answer(cudaErrorInvalidDevice);
  *properties = cudaDeviceProp{};
  std::snprintf(properties->name, sizeof properties->name, "CPU test double");
  properties->major = 7;
  properties->minor = 5;
  properties->totalGlobalMem = total_memory();
  properties->sharedMemPerBlock = Limits::shared;
  properties->sharedMemPerBlockOptin = Limits::shared_opt_in;
  properties->sharedMemPerMultiprocessor = Limits::shared_opt_in;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = static_cast<int>(Limits::threads);
  properties->maxThreadsPerMultiProcessor = Limits::threads_each;
  properties->multiProcessorCount = Limits::multiprocessors;
  properties->maxGridSize[0] = static_cast<int>(Limits::blocks_x);
  properties->maxGridSize[1] = properties->maxGridSize[2] = static_cast<int>(Limits::blocks_yz);
  properties->memoryPoolsSupported = properties->unifiedAddressing = 1;
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  const Call call("cudaFuncSetAttribute");
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
    fail("the double does not know kernel attribute " + std::to_string(attribute));
  if (value < 0 || static_cast<std::size_t>(value) > Limits::shared_opt_in) return answer(cudaErrorInvalidValue);
  dynamic_shared_limit(kernel) = static_cast<std::size_t>(value);
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* /*kernel*/, int threads,
                                                                   std::size_t shared_bytes, unsigned /*flags*/) {
  if (threads <= 0 || threads > static_cast<int>(Limits::threads)) return answer(cudaErrorInvalidValue);
  const int by_threads = Limits::threads_each / threads;
  const int by_shared =
      shared_bytes == 0 ? Limits::blocks_each : static_cast<int>(Limits::shared_opt_in / shared_bytes);
  *blocks = std::min({by_threads, by_shared, Limits::blocks_each});
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int threads,
                                                          std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, threads, shared_bytes, 0);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* /*config*/, const void* /*kernel*/, void** /*arguments*/) {
  fail("a kernel is launched past cudaLaunchKernelEx, so that its arguments have no types");
}
