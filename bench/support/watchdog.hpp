// SPDX-License-Identifier: MIT
/// @file
/// A case past its limit is ended and recorded as such; what it had measured until then is in the journal.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

#include "support/record.hpp"

namespace bench {

class Watchdog {
 public:
  static constexpr int exit_code = 3;

  /// Ends the process `limit` seconds from now (0: never), unless this is destroyed before.
  Watchdog(double limit, Journal& journal) : journal_(journal) {
    if (limit > 0) thread_ = std::thread([this, limit] { watch(limit); });
  }
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// What is written if the time is up during the work that begins now.
  void now(const Record& work) {
    const std::lock_guard lock(mutex_);
    work_ = work;
  }

 private:
  void watch(double limit) {
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, std::chrono::duration<double>(limit), [this] { return done_; })) return;
    journal_.write(work_.add("status", "limit").add("limit_seconds", limit));
    std::cerr << "stopped: the case is past its limit of " << limit << " seconds" << std::endl;
    std::_Exit(exit_code);
  }

  Journal& journal_;
  Record work_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace bench
