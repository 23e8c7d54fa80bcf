// SPDX-License-Identifier: MIT
/// @file
/// The rows that candidates of a greedy step improve, noted while their gains are summed: the chosen one then lowers d2
/// by its notes, without another read of x.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

class Improvements {
 public:
  struct Row {
    Index row;  ///< of this rank
    double d2;  ///< D(x_row, candidate), less than what the row has
  };

  /// What one worker notes of one candidate: each row at most once, and up to the capacity that it was given.
  class Run {
   public:
    void note(const Row& row) {
      complete_ = complete_ && rows_.size() < rows_.capacity();
      if (complete_) rows_.push_back(row);
    }
    void restart(std::size_t capacity) {
      rows_.clear();
      rows_.reserve(capacity);
      complete_ = true;
    }
    [[nodiscard]] std::span<const Row> rows() const { return rows_; }
    [[nodiscard]] bool complete() const { return complete_; }

   private:
    std::vector<Row> rows_;
    bool complete_ = true;
  };

  /// Begins a step: so many candidates, and rows of this rank, within `bytes`.
  void restart(std::size_t candidates, int workers, Index rows, std::size_t bytes) {
    candidates_ = candidates;
    group_.clear();
    runs_.resize(candidates * static_cast<std::size_t>(workers));
    const std::size_t share = bytes / sizeof(Row) / runs_.size();
    for (Run& run : runs_) run.restart((std::min)(share, static_cast<std::size_t>(rows)));
  }
  /// Candidate t is noted as group[t], as which equal ones are one.
  void set_groups(std::span<const Label> group) { group_.assign(group.begin(), group.end()); }

  /// Where a worker notes the candidates of a group.
  [[nodiscard]] std::span<Run> of_worker(std::size_t worker) {
    return std::span(runs_).subspan(worker * candidates_, candidates_);
  }

  /// The runs that a candidate's rows lie in, or none, where some row was not noted.
  [[nodiscard]] std::vector<const Run*> of_candidate(Index t) const {
    std::vector<const Run*> runs;
    if (group_.empty()) return runs;
    for (std::size_t at = static_cast<std::size_t>(group_[static_cast<std::size_t>(t)]); at < runs_.size();
         at += candidates_) {
      if (!runs_[at].complete()) return {};
      runs.push_back(&runs_[at]);
    }
    return runs;
  }

 private:
  std::size_t candidates_ = 0;
  std::vector<Label> group_;  // by candidate
  std::vector<Run> runs_;     // by worker, then by group
};

}  // namespace lloyd::inline LLOYD_ABI::detail
