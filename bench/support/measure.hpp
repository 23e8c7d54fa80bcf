// SPDX-License-Identifier: MIT
/// @file
/// Repetitions of one or several ways to do the same work, in turn, each written down as soon as it is known.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/phased.hpp"
#include "support/record.hpp"
#include "support/settings.hpp"
#include "support/watchdog.hpp"

namespace bench {

/// A way to do the work: its record names it, `call` does and times it.
struct Way {
  Record record;
  std::function<Outcome()> call;
};

/// What was measured of a way: the cold call where it was the first of the process, and the warm ones.
struct Measured {
  std::optional<double> cold;
  std::vector<double> warm;
  Outcome last;
  std::optional<std::int64_t> resident, heap;

  /// The median of the warm calls; the cold one where there is no other.
  [[nodiscard]] double median() const {
    if (warm.empty()) return cold.value_or(0);
    std::vector<double> sorted = warm;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 != 0 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
};

/// Calls that make up one repetition: many where one is too short for the clock.
[[nodiscard]] inline int calls_worth_timing(double seconds) {
  constexpr double long_enough = 0.01;
  return static_cast<int>(std::clamp(long_enough / (std::max)(seconds, 1e-7), 1.0, 1000.0));
}

/// The mean of so many calls. They do the same, so all but the seconds is the last one's.
[[nodiscard]] inline Outcome repeat(const Way& way, int calls) {
  Outcome mean = way.call();
  for (int call = 1; call < calls; ++call) {
    const Outcome next = way.call();
    mean.seconds += next.seconds;
    for (auto phase : {&Outcome::survey, &Outcome::seeding, &Outcome::loop, &Outcome::finish})
      if (mean.*phase) *(mean.*phase) += (next.*phase).value_or(0);
  }
  mean.seconds /= calls;
  for (auto phase : {&Outcome::survey, &Outcome::seeding, &Outcome::loop, &Outcome::finish})
    if (mean.*phase) *(mean.*phase) /= calls;
  return mean;
}

inline void add_outcome(Record& record, const Outcome& outcome) {
  record.add("seconds", outcome.seconds).add("survey_seconds", outcome.survey).add("seeding_seconds", outcome.seeding);
  record.add("loop_seconds", outcome.loop).add("finish_seconds", outcome.finish);
  record.add("inertia", outcome.inertia).add("inertia_before", outcome.inertia_before);
  record.add("centroid_shift", outcome.centroid_shift).add("n_iter", outcome.n_iter);
  record.add("n_rechecked", outcome.n_rechecked).add("n_skipped", outcome.n_skipped);
  record.add("assignments", outcome.assignments);
  record.add("stop", stop_name(outcome.stop));
}

/// The first call of the process, with its memory. A peak is known only here: later calls find memory that the
/// allocator kept.
inline void measure_cold(const Way& way, Journal& journal, Measured& measured) {
  Record record = way.record;
  {
    const HeapPeak heap;
    const ResidentPeak resident;
    measured.last = way.call();
    measured.resident = resident.bytes();
    measured.heap = heap.bytes();
  }
  measured.cold = measured.last.seconds;
  record.add("rep", 0).add("calls", 1).add("cold", true);
  add_outcome(record, measured.last);
  if (measured.resident) record.add("peak_bytes", *measured.resident).add("peak_meter", ResidentPeak::name);
  record.add("heap_bytes", *measured.heap).add("heap_meter", HeapPeak::name);
  journal.write(record);
}

/// Whether no work has been called in this process: only then is a call cold.
inline bool process_is_fresh = true;

/// Measures all ways in turn. The first call of the process is cold; at least one warm one follows where the limit
/// allows, then more while the budget lasts.
[[nodiscard]] inline std::vector<Measured> measure(const std::vector<Way>& ways, const Settings& settings,
                                                   Journal& journal, Watchdog& watchdog) {
  std::vector<Measured> measured(ways.size());
  const auto start = Clock::now();
  watchdog.now(ways.front().record);
  const bool fresh = std::exchange(process_is_fresh, false);
  if (fresh) measure_cold(ways.front(), journal, measured.front());
  double warm_seconds = 0;
  for (int rep = 1; rep <= settings.reps; ++rep) {
    for (std::size_t w = 0; w < ways.size(); ++w) {
      const bool known = rep > 1 || (fresh && w == 0);
      const double expected = known ? measured[w].last.seconds : 0;
      if (rep > 1 && warm_seconds + expected > settings.budget) continue;
      if (settings.limit > 0 && seconds_since(start) + 1.2 * expected > settings.limit) continue;
      watchdog.now(ways[w].record);
      const auto begin = Clock::now();
      const int calls = known ? calls_worth_timing(expected) : 1;
      measured[w].last = repeat(ways[w], calls);
      measured[w].warm.push_back(measured[w].last.seconds);
      warm_seconds += seconds_since(begin);
      Record record = ways[w].record;
      record.add("rep", rep).add("calls", calls).add("cold", false);
      add_outcome(record, measured[w].last);
      journal.write(record);
    }
  }
  return measured;
}

}  // namespace bench
