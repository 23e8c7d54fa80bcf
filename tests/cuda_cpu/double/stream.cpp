// SPDX-License-Identifier: MIT
#include "double/stream.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "double/fiber.hpp"
#include "double/memory.hpp"
#include "double/report.hpp"

namespace cuda_cpu {
namespace {

/// Streams are never deleted: work and events may still name them.
struct Streams {
  std::vector<std::unique_ptr<CUstream_st>> all;
  std::vector<std::unique_ptr<CUevent_st>> events;
  int steps = 0;  // that are being done, one inside the other
  std::unique_ptr<CUstream_st> defaults[device_count];
};
Streams& streams() {
  static auto* instance = new Streams;
  return *instance;
}

bool eager() {
  static const bool chosen = [] {
    const char* value = std::getenv("CUDA_CPU_STREAMS");
    const std::string_view name = value == nullptr ? "deferred" : value;
    if (name != "deferred" && name != "eager") fail("CUDA_CPU_STREAMS is deferred or eager, not " + std::string(name));
    return name == "eager";
  }();
  return chosen;
}

CUstream_st& default_stream(int device) {
  auto& stream = streams().defaults[device];
  if (!stream) {
    stream = std::make_unique<CUstream_st>();
    stream->device = device;
  }
  return *stream;
}

/// Work that waits for what another stream has been given until now.
void append(CUstream_st& stream, std::function<void()> run) {
  auto token = std::make_unique<char>();
  release(token.get());
  stream.queue.push_back({std::move(run), std::move(token)});
  ++stream.enqueued;
}

void wait_for_all_of(CUstream_st& stream, CUstream_st& other) {
  if (other.done < other.enqueued) wait(stream, record(other));
}

void run(void* argument) {
  const Unwatched unwatched;
  const auto& operation = *static_cast<const CUstream_st::Operation*>(argument);
  acquire(operation.token.get());
  ++streams().steps;
  operation.run();
  --streams().steps;
}

void step(CUstream_st& stream) {
  CUstream_st::Operation operation = std::move(stream.queue.front());
  stream.queue.pop_front();
  if (with_tsan) {
    constexpr std::size_t bytes = std::size_t{1} << 18;
    if (!stream.stack) stream.stack.reset(new char[bytes]);
    Fiber fiber;
    fiber.start(stream.stack.get(), bytes, stream.context, run, &operation);
    fiber.resume();
  } else {
    run(&operation);
  }
  ++stream.done;
}

}  // namespace

int& current_device() {
  thread_local int device = 0;
  return device;
}

bool is_default(const CUstream_st& stream) {
  return std::any_of(std::begin(streams().defaults), std::end(streams().defaults),
                     [&](const auto& one) { return one.get() == &stream; });
}

CUstream_st& stream_of(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return default_stream(current_device());
  for (const auto& stream : streams().all)
    if (stream.get() == handle && !stream->destroyed) return *stream;
  fail("a stream is used that was never created, or that was destroyed");
}

cudaStream_t create_stream(bool waits_for_default, int priority) {
  auto stream = std::make_unique<CUstream_st>();
  stream->device = current_device();
  stream->waits_for_default = waits_for_default;
  stream->priority = priority;
  streams().all.push_back(std::move(stream));
  return streams().all.back().get();
}

void destroy_stream(cudaStream_t handle) { stream_of(handle).destroyed = true; }

void enqueue(CUstream_st& stream, std::function<void()> run) {
  CUstream_st& legacy = default_stream(stream.device);
  if (&stream == &legacy) {
    for (const auto& other : streams().all)
      if (other->device == stream.device && other->waits_for_default) wait_for_all_of(stream, *other);
  } else if (stream.waits_for_default) {
    wait_for_all_of(stream, legacy);
  }
  append(stream, std::move(run));
  if (eager()) drain(stream);
}

void drain(CUstream_st& stream, std::uint64_t position) {
  if (stream.done >= position) return;
  const DeviceRuns runs;
  while (stream.done < position) step(stream);
}
void drain(CUstream_st& stream) {
  drain(stream, stream.enqueued);
  // Who waits for a stream comes after all that it did.
  const auto token = std::make_unique<char>();
  {
    const OnContext on(stream.context);
    release(token.get());
  }
  acquire(token.get());
}
void drain_device(int device) {
  drain(default_stream(device));
  for (const auto& stream : streams().all)
    if (stream->device == device) drain(*stream);
}
void drain_all() {
  for (int device = 0; device < device_count; ++device) drain_device(device);
}

bool poll(const Point& point) {
  if (point.stream == nullptr) return true;
  if (point.stream->done < point.position) drain(*point.stream, point.stream->done + 1);
  if (point.stream->done < point.position) return false;
  acquire(point.token.get());
  return true;
}

Point record(CUstream_st& stream) {
  auto token = std::make_shared<char>();
  append(stream, [token] { release(token.get()); });
  return {&stream, stream.enqueued, token};
}

void wait(CUstream_st& stream, const Point& point) {
  if (point.stream == nullptr) return;
  append(stream, [point] {
    drain(*point.stream, point.position);
    acquire(point.token.get());
  });
}

cudaEvent_t create_event(bool timed) {
  auto event = std::make_unique<CUevent_st>();
  event->device = current_device();
  event->timed = timed;
  streams().events.push_back(std::move(event));
  return streams().events.back().get();
}

bool in_stream() { return streams().steps > 0; }

std::string stream_leaks() {
  std::string all;
  for (const auto& stream : streams().all)
    if (!stream->destroyed) all += all.empty() ? "a stream" : "; a stream";
  for (const auto& event : streams().events)
    if (!event->destroyed) all += all.empty() ? "an event" : "; an event";
  return all;
}

}  // namespace cuda_cpu
