// SPDX-License-Identifier: MIT
/// @file
/// Threads. The only place that knows OpenMP; without it everything runs on the calling thread.
#pragma once

#include <algorithm>
#include <exception>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "lloyd/cpu/fork.hpp"
#include "lloyd/kmeans/environment.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// More threads than that are not started: where a system has no more, OpenMP ends the program.
inline constexpr int most_threads = 1024;

/// Threads to use: as asked, or OpenMP's default. One inside a caller's parallel region, unless OpenMP nests.
[[nodiscard]] inline int threads_of(int asked) {
#ifdef _OPENMP
  if (omp_get_active_level() >= omp_get_max_active_levels()) return 1;
  return (std::min)(asked > 0 ? asked : omp_get_max_threads(), most_threads);
#else
  (void)asked;
  return 1;
#endif
}

/// Part `part` of 0 .. n - 1 cut into `parts` runs whose lengths differ by at most one.
struct Run {
  Index begin, end;
};
[[nodiscard]] inline Run run_of(Index n, Index part, Index parts) {
  const Index length = n / parts, longer = n % parts;
  const Index begin = part * length + (std::min)(part, longer);
  return {begin, begin + length + (part < longer ? 1 : 0)};
}

/// Calls body(part) for parts 0 .. parts - 1, each once, on at most so many threads; with one part, or where threads
/// were lost, on this thread, to the same bits. Each thread computes in the default floating-point environment. The
/// exception of the lowest part that throws is thrown here, after all have ended.
template <class Body>
void parallel(int parts, const Body& body) {
  if (parts <= 1 || forked_from_threads()) {
    for (int part = 0; part < parts; ++part) body(part);
    return;
  }
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(parts));
  const auto guarded = [&](int part) noexcept {
    try {
      const detail::DefaultEnvironment environment;
      body(part);
    } catch (...) {
      errors[static_cast<std::size_t>(part)] = std::current_exception();
    }
  };
#ifdef _OPENMP
#pragma omp parallel for num_threads(parts) schedule(static, 1)
#endif
  for (int part = 0; part < parts; ++part) guarded(part);
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
}

/// How many of `threads` have work when n rows come in batches.
[[nodiscard]] inline int parts_of(int threads, Index n, Index batch) {
  return static_cast<int>((std::min)(static_cast<Index>(threads), (n + batch - 1) / batch));
}

/// Calls work(state, begin, count) for batches of rows 0 .. n - 1. Each thread makes one state, and works on a run of
/// whole batches; `merge(state)` is called for each in order, on this thread.
template <class Make, class Work, class Merge>
void for_each_batch(int threads, Index n, Index batch, const Make& make, const Work& work, const Merge& merge) {
  using State = decltype(make());
  const int parts = parts_of(threads, n, batch);
  std::vector<State> states;
  states.reserve(static_cast<std::size_t>(parts));
  for (int part = 0; part < parts; ++part) states.push_back(make());
  parallel(parts, [&](int part) {
    const Run run = run_of((n + batch - 1) / batch, part, parts);
    for (Index b = run.begin; b < run.end; ++b)
      work(states[static_cast<std::size_t>(part)], b * batch, (std::min)(batch, n - b * batch));
  });
  for (State& state : states) merge(state);
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
