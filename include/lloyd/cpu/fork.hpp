// SPDX-License-Identifier: MIT
/// @file
/// Whether this process was forked from one that had threads. They do not survive a fork, and libgomp would wait for
/// those that it knew for ever.
#pragma once

#include "lloyd/version.hpp"

#ifdef __unix__
#include <pthread.h>
#include <sys/stat.h>

#include <atomic>
#endif

namespace lloyd::inline LLOYD_ABI::cpu {

#ifdef __unix__
/// Asked for before each fork, kept in the child.
class ForkWatch {
 public:
  ForkWatch() noexcept { pthread_atfork(&before, nullptr, &in_child); }

  [[nodiscard]] static bool threads_lost() { return lost_.load(std::memory_order_relaxed); }

 private:
  static void before() { threaded_.store(has_threads(), std::memory_order_relaxed); }
  static void in_child() {
    if (threaded_.load(std::memory_order_relaxed)) lost_.store(true, std::memory_order_relaxed);
  }
  /// Linux shows a process' threads as folders, which count as links. Elsewhere there may be some.
  [[nodiscard]] static bool has_threads() {
    constexpr unsigned links_of_one_thread = 3;
    struct stat folder {};
    return stat("/proc/self/task", &folder) != 0 || folder.st_nlink > links_of_one_thread;
  }

  static inline std::atomic<bool> threaded_{false}, lost_{false};
};
/// Watches from when the program, or the library that includes this, is loaded.
inline const ForkWatch fork_watch;
#endif

[[nodiscard]] inline bool forked_from_threads() {
#ifdef __unix__
  return ForkWatch::threads_lost();
#else
  return false;
#endif
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
