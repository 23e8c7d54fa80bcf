// SPDX-License-Identifier: MIT
/// @file
/// The loop of a device: it puts some iterations into the stream ahead of what it knows, and polls. What comes after
/// the last iteration does nothing.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <memory>
#include <thread>
#include <utility>

#include "lloyd/cuda/converge.cuh"
#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/state.cuh"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/kmeans/loop.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// The device's copies of the state for the host to look at, and the events that tell when they are there.
class LoopWindow {
 public:
  static constexpr Index size = 8;

  LoopWindow() {
    detail::LoopState* states = nullptr;
    LLOYD_CUDA_CHECK(cudaMallocHost(&states, size * sizeof(detail::LoopState)));
    states_.reset(states);
  }

  /// Copies the state after iteration i, in the stream's order.
  void record(Index i, const detail::LoopState* state, cudaStream_t stream) {
    LLOYD_CUDA_CHECK(cudaMemcpyAsync(states_.get() + i % size, state, sizeof *state, cudaMemcpyDeviceToHost, stream));
    LLOYD_CUDA_CHECK(cudaEventRecord(event(i), stream));
  }
  /// Whether the state after iteration i is here.
  [[nodiscard]] bool arrived(Index i) const {
    const cudaError_t status = cudaEventQuery(event(i));
    if (status == cudaErrorNotReady) return false;
    LLOYD_CUDA_CHECK(status);
    return true;
  }
  [[nodiscard]] const detail::LoopState& state(Index i) const { return states_.get()[i % size]; }

 private:
  struct Free {
    void operator()(detail::LoopState* states) const { (void)cudaFreeHost(states); }
  };
  /// An owner each, so that those made are destroyed where the next cannot be made.
  class Event {
   public:
    Event() { LLOYD_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
    ~Event() { (void)cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    [[nodiscard]] cudaEvent_t get() const { return event_; }

   private:
    cudaEvent_t event_ = nullptr;
  };
  [[nodiscard]] cudaEvent_t event(Index i) const { return events_[static_cast<std::size_t>(i % size)].get(); }

  std::unique_ptr<detail::LoopState, Free> states_;
  std::array<Event, static_cast<std::size_t>(size)> events_;
};

template <int = 0>
__global__ void __launch_bounds__(32) threshold_kernel(detail::LoopState* state, double threshold) {
  if (threadIdx.x == 0) state->threshold = threshold;
}

/// Ends an iteration: shift is the exact sum that converge has made.
template <int = 0>
__global__ void __launch_bounds__(32)
    advance_kernel(detail::LoopState* state, std::int64_t* shift, detail::SumsView delta, Index relocated) {
  if (threadIdx.x != 0 || state->done()) return;
  state->advance(delta.changed() + relocated, delta.rechecked(), delta.skipped(), detail::ExactSum::value_of(shift));
}

/// c = c', of which the loop takes the sum of the distances.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    accept_centroids_kernel(Gate gate, MatrixView<T, Device> c, MatrixView<const T, Device> next) {
  if (gate.closed()) return;
  for (Index e = first_thing(); e < c.rows() * c.cols(); e += thing_step())
    c(e / c.cols(), e % c.cols()) = next(e / c.cols(), e % c.cols());
}

/// See detail::HostLoop.
class Loop {
 public:
  template <class P>
  Loop(const P& problem, const detail::LoopState& state)
      : engine_(*problem.backend.engine),
        last_(state),
        device_(engine_.make<detail::LoopState>(1)),
        shift_(engine_.make<std::int64_t>(sum_bins)),
        ahead_(iterations_ahead(problem)) {
    engine_.write(&state, 1, device_.data());
    engine_.set_gate(device_.data());
  }
  ~Loop() {
    engine_.set_gate(nullptr);
    if (seen_ < asked_) (void)cudaStreamSynchronize(engine_.stream());  // it writes to the window
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// False once the last iteration is known to have ended. Waits, by polling, only for an iteration that was asked for
  /// some iterations ago.
  [[nodiscard]] bool goes_on() {
    while (seen_ < asked_ && !last_.done()) {
      if (!window_.arrived(seen_)) {
        if (asked_ - seen_ < ahead_) break;
        std::this_thread::yield();
        continue;
      }
      last_ = window_.state(seen_++);
    }
    return !cancelled_ && !last_.done() && asked_ < last_.max_iter;
  }
  void set_threshold(double threshold) {
    last_.threshold = threshold;
    launch(engine_.stream(), dim3(1), dim3(32), 0, threshold_kernel<>, device_.data(), threshold);
  }
  void cancel() { cancelled_ = true; }

  template <class P, class W>
  void advance(const P& /*problem*/, W& work, Index relocated) {
    const auto next = std::as_const(work.next).view();
    engine_.clear(shift_.data(), sum_bins);
    launch_converge(engine_, next, work.centroids(), shift_.data());
    engine_.launch_for(next.rows() * next.cols(), 1, accept_centroids_kernel<typename P::Scalar>, engine_.gate(),
                       work.c.view(), next);
    launch(engine_.stream(), dim3(1), dim3(32), 0, advance_kernel<>, device_.data(), shift_.data(), work.delta(),
           relocated);
    window_.record(asked_++, device_.data(), engine_.stream());
  }

  /// After all that was asked for; waits for it.
  [[nodiscard]] const detail::LoopState& state() {
    if (seen_ < asked_) {
      engine_.wait();
      last_ = window_.state(asked_ - 1);
      seen_ = asked_;
    }
    if (cancelled_) last_.outcome.stop_reason = StopReason::cancelled;
    return last_;
  }

 private:
  /// As many iterations as take some milliseconds: what is asked for past the end does nothing but its products.
  template <class P>
  [[nodiscard]] static Index iterations_ahead(const P& problem) {
    const double work = static_cast<double>(problem.rows.local) * static_cast<double>(problem.rows.d) *
                        static_cast<double>(problem.options.n_clusters);
    return work > 1e10 ? 1 : work > 1e9 ? 2 : LoopWindow::size;
  }

  Engine& engine_;
  LoopWindow window_;
  detail::LoopState last_;
  Buffer<detail::LoopState> device_;
  Buffer<std::int64_t> shift_;
  Index asked_ = 0, seen_ = 0, ahead_;
  bool cancelled_ = false;
};

}  // namespace lloyd::inline LLOYD_ABI::cuda
