// SPDX-License-Identifier: MIT
/// @file
/// How far the loop is and whether it goes on. The numbers that decide lie where the backend computes, so that a device
/// need not wait for the host, nor the host for a device.
#pragma once

#include <type_traits>
#include <utility>

#include "lloyd/kmeans/memory.hpp"
#include "lloyd/kmeans/sums.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/options.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// How a run of the loop ended.
struct Outcome {
  StopReason stop_reason = StopReason::max_iter;
  Index n_iter = 0, n_rechecked = 0, n_skipped = 0;
  double centroid_shift = 0;
  bool labels_settled = false;  ///< no label changed in the last iteration: the labels are those of the centroids
};

/// The outcome so far, and what ends a run.
struct LoopState {
  Index max_iter = 0;
  double tol = 0, threshold = 0;  ///< threshold: tol * mean column variance
  Outcome outcome{};
  Index n_changed = 0, n_rechecked = 0, n_skipped = 0;  ///< in the last iteration

  [[nodiscard]] constexpr bool done() const {
    return outcome.n_iter >= max_iter || outcome.stop_reason != StopReason::max_iter;
  }
  /// Counts an iteration, and ends the run where no label changed or sum_j D(c'_j, c_j) <= threshold.
  constexpr void advance(Index changed, Index rechecked, Index skipped, double shift) {
    n_changed = changed;
    n_rechecked = rechecked;
    n_skipped = skipped;
    ++outcome.n_iter;
    outcome.n_rechecked += rechecked;
    outcome.n_skipped += skipped;
    outcome.centroid_shift = shift;
    outcome.labels_settled = changed == 0;
    if (changed == 0 || (tol > 0 && shift <= threshold)) outcome.stop_reason = StopReason::converged;
  }
};

/// The loop of a backend of the host. One of a device has a class of its own with these members, `Backend::Loop`.
class HostLoop {
 public:
  template <class P>
  HostLoop(const P& /*problem*/, const LoopState& state) : state_(state) {}

  /// Whether another iteration is wanted; a device may answer late, and then does nothing in what follows.
  [[nodiscard]] bool goes_on() const { return !state_.done(); }
  void set_threshold(double threshold) { state_.threshold = threshold; }
  void cancel() { state_.outcome.stop_reason = StopReason::cancelled; }

  /// Ends an iteration of which `relocated` rows moved without the pass: shift = sum_j D(c'_j, c_j); c = c'.
  template <class P, class W>
  void advance(const P& problem, W& work, Index relocated) {
    const double shift = problem.backend.converge(std::as_const(work.next).view(), work.centroids());
    state_.advance(work.delta().changed() + relocated, work.delta().rechecked(), work.delta().skipped(), shift);
    std::swap(work.c, work.next);
  }

  /// How far it is, after all that was asked for.
  [[nodiscard]] const LoopState& state() const { return state_; }

 private:
  LoopState state_;
};

namespace loop_detail {

template <class B, bool>
struct LoopOf {
  using Type = HostLoop;
};
template <class B>
struct LoopOf<B, false> {
  using Type = typename B::Loop;
};

}  // namespace loop_detail

template <class B>
using LoopOf = typename loop_detail::LoopOf<B, on_host<B>>::Type;

}  // namespace lloyd::inline LLOYD_ABI::detail
