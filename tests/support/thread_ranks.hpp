// SPDX-License-Identifier: MIT
/// @file
/// A communicator whose ranks are threads of this process, for tests. It checks what a network would not forgive: all
/// ranks must call the same thing in the same order with arrays of the same length, and none may leave while others
/// wait.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lloyd/communicator.hpp"
#include "lloyd/error.hpp"

namespace lloyd::test {

/// What a rank throws when its partners do something else, or nothing any more.
class OutOfStep : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Where the ranks meet.
class Meeting {
 public:
  explicit Meeting(int size) : given_(static_cast<std::size_t>(size)), size_(size) {}

  [[nodiscard]] int size() const { return size_; }

  /// Called by every rank with what it does and what it brings; `combine` then runs once, on what all have brought.
  void meet(int rank, const std::string& what, void* brought, const std::function<void(std::span<void*>)>& combine) {
    std::unique_lock lock(mutex_);
    fail_if_broken();
    if (arrived_ == 0) what_ = what;
    if (what_ != what) {
      broken_ = "one rank does " + what_ + ", another " + what;
      all_here_.notify_all();
      throw OutOfStep(broken_);
    }
    given_[static_cast<std::size_t>(rank)] = brought;
    const auto round = round_;
    if (++arrived_ == size_ - left_ && left_ == 0) {
      combine(given_);
      arrived_ = 0;
      ++round_;
      all_here_.notify_all();
      return;
    }
    if (left_ > 0) broken_ = "a rank has left, another waits in " + what;
    const auto done = [&] { return round_ != round || !broken_.empty(); };
    if (!all_here_.wait_for(lock, std::chrono::seconds(60), done)) broken_ = "a rank waits for ever in " + what;
    if (round_ == round) {
      all_here_.notify_all();
      fail_if_broken();
    }
  }

  /// This rank will not come again.
  void leave() {
    const std::lock_guard lock(mutex_);
    ++left_;
    if (arrived_ > 0) broken_ = "a rank has left, another waits in " + what_;
    all_here_.notify_all();
  }

 private:
  void fail_if_broken() const {
    if (!broken_.empty()) throw OutOfStep(broken_);
  }

  std::mutex mutex_;
  std::condition_variable all_here_;
  std::vector<void*> given_;
  std::string what_, broken_;
  int size_, arrived_ = 0, left_ = 0;
  std::uint64_t round_ = 0;
};

/// One rank of a Meeting; see communicator.hpp for what its members do.
class ThreadRank {
 public:
  ThreadRank(Meeting& meeting, int rank) : meeting_(&meeting), rank_(rank) {}

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return meeting_->size(); }

  void sum(std::span<std::int64_t> values) const {
    reduce("sum", values, [](std::int64_t a, std::int64_t b) {
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    });
  }
  void max(std::span<std::uint64_t> values) const {
    reduce("max", values, [](std::uint64_t a, std::uint64_t b) { return a < b ? b : a; });
  }
  void agree(const std::exception_ptr& error) const {
    std::pair<bool, bool> mine{static_cast<bool>(error), false};  // here, anywhere
    meeting_->meet(rank_, "agree", &mine, [](std::span<void*> all) {
      bool any = false;
      for (void* one : all) any = any || static_cast<std::pair<bool, bool>*>(one)->first;
      for (void* one : all) static_cast<std::pair<bool, bool>*>(one)->second = any;
    });
    if (error) std::rethrow_exception(error);
    if (mine.second) throw BackendError("another rank failed");
  }

 private:
  template <class V, class Combine>
  void reduce(const char* name, std::span<V> values, const Combine& combine) const {
    const std::string what = std::string(name) + " of " + std::to_string(values.size());
    meeting_->meet(rank_, what, values.data(), [&](std::span<void*> all) {
      std::vector<V> total(values.size(), V{0});
      for (void* one : all)
        for (std::size_t i = 0; i < total.size(); ++i) total[i] = combine(total[i], static_cast<V*>(one)[i]);
      for (void* one : all) std::copy(total.begin(), total.end(), static_cast<V*>(one));
    });
  }

  Meeting* meeting_;
  int rank_;
};

/// Runs work(rank) on so many ranks at once. The exception of each, or null, in order of ranks.
template <class Work>
[[nodiscard]] std::vector<std::exception_ptr> on_ranks(int size, const Work& work) {
  Meeting meeting(size);
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      try {
        work(ThreadRank(meeting, rank));
      } catch (...) {
        errors[static_cast<std::size_t>(rank)] = std::current_exception();
      }
      meeting.leave();
    });
  for (std::thread& thread : threads) thread.join();
  return errors;
}

/// The text of what was thrown; "" for nothing.
[[nodiscard]] inline std::string text_of(const std::exception_ptr& error) {
  if (!error) return "";
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace lloyd::test
