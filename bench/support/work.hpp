// SPDX-License-Identifier: MIT
/// @file
/// The work that a case cannot do without if nothing is skipped: what rates and limits are taken of.
#pragma once

#include <cmath>
#include <string_view>

#include "support/tasks.hpp"

namespace bench {

struct Work {
  double flops = 0, bytes = 0;
};

/// Candidates of a greedy step: 2 + floor(ln k), as Options::n_local_trials says.
[[nodiscard]] inline double greedy_trials(Index k) {
  double trials = 2;
  for (double power = 2.718281828459045; power <= static_cast<double>(k); power *= 2.718281828459045) ++trials;
  return trials;
}

/// Useful work of seeding: k-means++ reads the rows once a centroid and scores them against its candidates; k-means||
/// reads them once a round; random rows need neither.
[[nodiscard]] inline Work seeding_work(const Task& task, std::string_view variant) {
  const double values = static_cast<double>(task.n) * static_cast<double>(task.d), k = static_cast<double>(task.k);
  if (variant == "greedy") return {2 * values * k * greedy_trials(task.k), 4 * values * k};
  if (variant == "plain") return {2 * values * k, 4 * values * k};
  if (variant.size() == 5 && variant[0] == 'r' && variant[2] == '-') {
    const double rounds = variant[1] - '0', factor = variant[4] - '0';
    return {2 * values * (1 + rounds * factor * k), 4 * values * (1 + rounds)};
  }
  return {};
}

/// Useful work of a case: seeding where the section has it, and 2 n k d operations and one read of x an iteration.
[[nodiscard]] inline Work useful_work(const Task& task, std::string_view variant, std::string_view section,
                                      Index iterations) {
  const double values = static_cast<double>(task.n) * static_cast<double>(task.d), k = static_cast<double>(task.k);
  Work work = section == "a" || section == "c" || section == "e" ? seeding_work(task, variant) : Work{};
  if (section == "c") return work;
  work.flops += 2 * values * k * static_cast<double>(iterations);
  work.bytes += 4 * values * static_cast<double>(iterations);
  return work;
}

/// A hundred standard deviations of the first rows' values, rounded to float: by so much the rows are moved to see
/// whether labels suffer.
[[nodiscard]] inline double hundred_deviations(lloyd::MatrixView<const float> x) {
  const Index rows = (std::min)(x.rows(), Index{10'000});
  double sum = 0, squares = 0, count = static_cast<double>(rows) * static_cast<double>(x.cols());
  for (Index i = 0; i < rows; ++i)
    for (Index q = 0; q < x.cols(); ++q) sum += static_cast<double>(x(i, q));
  for (Index i = 0; i < rows; ++i)
    for (Index q = 0; q < x.cols(); ++q) {
      const double t = static_cast<double>(x(i, q)) - sum / count;
      squares += t * t;
    }
  return static_cast<double>(static_cast<float>(100 * std::sqrt(squares / count)));
}

}  // namespace bench
