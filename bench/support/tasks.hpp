// SPDX-License-Identifier: MIT
/// @file
/// The tasks: shapes that people cluster, from 178 rows to five million.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/generator.hpp"

namespace bench {

struct Task {
  std::string_view name;
  Index n, d, k;
  Index iterations;
  bool seeded;  ///< whether k-means++ is tried: where k is very large, k reads are out of proportion
  Recipe recipe;

  [[nodiscard]] std::size_t input_bytes() const { return static_cast<std::size_t>(n * d) * sizeof(float); }
};

/// Every task at full size.
[[nodiscard]] inline const std::vector<Task>& all_tasks() {
  using enum Shape;
  static const std::vector<Task> tasks = {
      {"k3-d1000", 950'000, 1000, 3, 12, true, {clusters, 3, 23, 101}},
      {"k17-d180", 500'000, 180, 17, 12, true, {clusters, 17, 64, 102}},
      {"k100-d32", 1'500'000, 32, 100, 12, true, {clusters, 100, 192, 103}},
      {"k550-d6", 500'000, 6, 550, 12, true, {clusters, 550, 768, 104}},
      {"k3000-d2", 135'000, 2, 3000, 12, true, {clusters, 3000, 5120, 105}},
      {"susy-like", 5'000'000, 18, 12, 12, true, {physics, 2, 96, 106}},
      {"wine-size", 178, 13, 3, 12, true, {clusters, 3, 256, 107}},
      {"normal", 131'072, 2048, 256, 12, true, {normal, 1, 0, 108}},
      {"embedding-weak", 100'000, 1024, 1000, 12, true, {unit, 1000, 90, 109}},
      {"embedding-separated", 100'000, 1024, 1000, 12, true, {unit, 1000, 384, 110}},
      {"large-k", 200'000, 128, 20'000, 5, false, {clusters, 5000, 100, 111}},
  };
  return tasks;
}

/// The task with n multiplied by `scale`, never below 178 rows. k gives way where fewer than two rows a cluster would
/// be left; n and k stand in every record, so that nobody takes one for the other.
[[nodiscard]] inline Task scaled(Task task, double scale) {
  const auto rows = static_cast<Index>(static_cast<double>(task.n) * scale);
  task.n = (std::min)(task.n, (std::max)(rows, Index{178}));
  task.k = (std::min)(task.k, task.n / 2);
  return task;
}

}  // namespace bench
