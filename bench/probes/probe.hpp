// SPDX-License-Identifier: MIT
/// @file
/// What the probes share: jobs timed in turn, and the arrays that primitives work on.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/measure.hpp"
#include "support/tasks.hpp"

namespace bench {

/// What a probe runs with.
struct Probe {
  Settings settings;
  Engine engine;
  Journal& journal;
  Watchdog& watchdog;
  int groups = 1;  ///< of jobs in one process: they share its budget
};

/// Something to time: its record tells it from others, its phase is what a plant may slow.
struct Job {
  Record record;
  std::string phase;
  std::function<void()> work;
};

/// Times jobs in turn, so that what disturbs the machine disturbs all of them. Each is called once before, with its
/// memory metered. Groups of jobs share the process's budget, but each job is timed at least once.
inline void time_jobs(const std::vector<Job>& jobs, const Probe& probe) {
  std::vector<double> expected;
  for (const Job& job : jobs) {
    probe.watchdog.now(job.record);
    const HeapPeak heap;
    expected.push_back(timed("", {}, job.work));
    Record record = job.record;
    record.add("rep", 0).add("calls", 1).add("seconds", expected.back());
    probe.journal.write(record.add("heap_bytes", heap.bytes()).add("heap_meter", HeapPeak::name));
  }
  double spent = 0;
  for (int rep = 1; rep <= probe.settings.reps; ++rep) {
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      if (rep > 1 && spent + expected[j] > probe.settings.budget / probe.groups) continue;
      probe.watchdog.now(jobs[j].record);
      const int calls = calls_worth_timing(expected[j]);
      const double seconds = timed(jobs[j].phase, probe.settings.plant, [&] {
        for (int call = 0; call < calls; ++call) jobs[j].work();
      });
      spent += seconds;
      expected[j] = seconds / calls;
      Record record = jobs[j].record;
      probe.journal.write(record.add("rep", rep).add("calls", calls).add("seconds", seconds / calls));
    }
  }
}

/// Everything that primitives of a backend take, for rows of a task and centroids that are some of them.
template <class B>
class Arrays {
 public:
  Arrays(const Task& of, const B& backend, Index clusters)
      : task(of),
        rows(of.recipe, of.n, of.d, backend.workers()),
        c(gather(rows.view(), start_rows(of.n, clusters, 0))),
        origin(lloyd::detail::mean_of(std::as_const(c).view())),
        labels(static_cast<std::size_t>(of.n), -1),
        d2(static_cast<std::size_t>(of.n)) {
    lloyd::detail::Survey survey(of.d);
    backend.survey(tile(), survey.maxima());
    quanta = lloyd::detail::choose_quanta(
        of.n, survey.columns(std::numeric_limits<float>::digits, lloyd::detail::lowest_bit<float>));
    sum_values.assign(static_cast<std::size_t>(lloyd::detail::SumsShape(clusters, of.d, quanta).size()), 0);
    options.n_clusters = clusters;
    batching = lloyd::detail::choose_batching(options, of.n, of.d, clusters, backend.workers(), sizeof(float));
  }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  [[nodiscard]] lloyd::Tile<float, typename B::Space> tile() const { return {rows.view(), {}, 0, 0, 1}; }
  [[nodiscard]] lloyd::detail::SumsView sums() {
    return {sum_values, lloyd::detail::SumsShape(c.rows(), task.d, quanta)};
  }
  [[nodiscard]] auto prepare(const B& backend) const {
    return backend.prepare(c.view(), std::span<const float>(origin), batching, options);
  }
  /// Labels that a hash chose: no order in them helps.
  void shuffle_labels() {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::uint64_t bits = hash(77, Stream::start, static_cast<Index>(i)) >> 32;
      labels[i] = static_cast<lloyd::Label>(bits * static_cast<std::uint64_t>(c.rows()) >> 32);
    }
  }

  Task task;
  Rows rows;
  lloyd::Matrix<float> c;
  std::vector<float> origin;
  std::vector<lloyd::Label> labels;
  std::vector<double> d2;
  lloyd::detail::Quanta quanta;
  std::vector<std::int64_t> sum_values;
  lloyd::Options options;
  lloyd::detail::Batching batching;
};

/// The record of a job on arrays of this shape.
[[nodiscard]] inline Record job_record(const Probe& probe, std::string_view name, const Task& task, Index k) {
  Record record;
  record.add("case", name).add("probe", name.substr(0, name.find('/'))).add("task", task.name);
  record.add("n", task.n).add("d", task.d).add("k", k);
  return record.merge(describe(probe.settings, probe.engine));
}

void probe_phases(const Probe& probe, const std::string& name);
void probe_crossover(const Probe& probe, const std::string& name);
void probe_scaling(const Probe& probe, const std::string& name);
void probe_exactness(const Probe& probe, const std::string& name);
void probe_limits(const Probe& probe, const std::string& name);

}  // namespace bench
