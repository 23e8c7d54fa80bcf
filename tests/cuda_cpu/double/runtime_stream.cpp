// SPDX-License-Identifier: MIT
/// Streams and events.
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include "double/report.hpp"
#include "double/runtime.hpp"

using namespace cuda_cpu;

namespace {

cudaError_t new_stream(cudaStream_t* stream, unsigned flags, int priority) {
  ++counters().objects;
  *stream = create_stream((flags & cudaStreamNonBlocking) == 0, priority);
  return cudaSuccess;
}

double now() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::int64_t events_left = (std::numeric_limits<std::int64_t>::max)();

CUevent_st& event_of(cudaEvent_t event) {
  if (event == nullptr || event->destroyed) fail("an event is used that was never created, or that was destroyed");
  return *event;
}

}  // namespace

bool lloyd::test::limit_events(std::int64_t more) {
  const Call call("limit_events");
  events_left = more;
  return true;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  const Call call("cudaStreamCreate");
  return new_stream(stream, cudaStreamDefault, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const Call call("cudaStreamCreateWithFlags");
  return new_stream(stream, flags, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  const Call call("cudaStreamCreateWithPriority");
  return new_stream(stream, flags, priority);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const Call call("cudaStreamDestroy");
  destroy_stream(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const Call call("cudaStreamSynchronize");
  ++counters().host_synchronisations;
  drain(stream_of(stream));
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  const Call call("cudaStreamQuery");
  CUstream_st& stream = stream_of(handle);
  if (stream.done < stream.enqueued) drain(stream, stream.done + 1);
  if (stream.done < stream.enqueued) return cudaErrorNotReady;
  drain(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  const Call call("cudaStreamGetFlags");
  *flags = stream_of(stream).waits_for_default ? cudaStreamDefault : cudaStreamNonBlocking;
  return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  const Call call("cudaStreamGetDevice");
  *device = stream_of(stream).device;
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t /*stream*/, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument) {
  const Call call("cudaLaunchHostFunc");
  enqueue(stream_for_work(stream), [=] {
    const Watched watched;
    function(argument);
  });
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  const Call call("cudaEventCreateWithFlags");
  if (events_left == 0) return answer(cudaErrorMemoryAllocation);
  --events_left;
  ++counters().objects;
  *event = create_event((flags & cudaEventDisableTiming) == 0);
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const Call call("cudaEventDestroy");
  event_of(event).destroyed = true;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream) {
  const Call call("cudaEventRecord");
  CUevent_st& event = event_of(handle);
  CUstream_st& on = stream_of(stream);
  if (on.device != event.device) return answer(cudaErrorInvalidResourceHandle);
  enqueue(on, [&event] { event.milliseconds = now(); });
  event.point = record(on);
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned /*flags*/) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
  const Call call("cudaStreamWaitEvent");
  wait(stream_of(stream), event_of(event).point);
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  const Call call("cudaEventSynchronize");
  ++counters().host_synchronisations;
  const Point& point = event_of(handle).point;
  while (!poll(point)) {
  }
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const Call call("cudaEventQuery");
  return poll(event_of(event).point) ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  const Call call("cudaEventElapsedTime");
  const CUevent_st &first = event_of(start), &last = event_of(end);
  if (!first.timed || !last.timed || first.point.stream == nullptr || last.point.stream == nullptr)
    return answer(cudaErrorInvalidResourceHandle);
  if (first.point.stream->done < first.point.position || last.point.stream->done < last.point.position)
    return cudaErrorNotReady;
  *milliseconds = static_cast<float>(last.milliseconds - first.milliseconds);
  return cudaSuccess;
}
