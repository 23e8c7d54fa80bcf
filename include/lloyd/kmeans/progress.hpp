// SPDX-License-Identifier: MIT
/// @file
/// What the callback sees, and whether it asked to stop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>

#include "lloyd/communicator.hpp"
#include "lloyd/options.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Counts passes by phase and calls the callback after each of them. On several ranks all stop if one of them asks.
class Progress {
 public:
  using Callback = std::function<bool(const Iteration&)>;

  explicit Progress(Callback callback) : callback_(std::move(callback)) {}

  /// Whether a rank has a callback: the same answer on every rank. Collective.
  template <class C>
  [[nodiscard]] bool watched(C& ranks) const {
    std::uint64_t here = callback_ ? 1 : 0;
    (ranks.max)(std::span(&here, 1));
    return here != 0;
  }

  /// Starts a phase of at most `total` passes.
  void enter(Iteration::Phase phase, Index total) {
    state_ = {};
    state_.phase = phase;
    state_.total = total;
  }
  /// What the next report shows besides the phase and its passes.
  [[nodiscard]] Iteration& state() { return state_; }

  /// One more pass is done. False: stop.
  template <class C>
  [[nodiscard]] bool report(C& ranks) {
    ++state_.done;
    if (state_.done > state_.total) state_.total = state_.done;
    std::uint64_t stop = 0;
    together(ranks, [&] {
      if (!callback_) return;
      state_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
      stop = callback_(state_) ? 0 : 1;
    });
    (ranks.max)(std::span(&stop, 1));
    return stop == 0;
  }

 private:
  Callback callback_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Iteration state_;
};

}  // namespace lloyd::inline LLOYD_ABI::detail
