// SPDX-License-Identifier: MIT
// Every phase of a fit alone, on a task's rows; and tiles of several shapes, with their time and memory.
#include <memory>

#include "probes/probe.hpp"
#include "support/work.hpp"

namespace bench {
namespace {

template <class B>
void time_phases(const Probe& probe, const std::string& name, const Task& task, const B& backend) {
  Arrays<B> a(task, backend, task.k);
  const auto prepared = a.prepare(backend);
  const auto clear_labels = [&] { std::fill(a.labels.begin(), a.labels.end(), lloyd::Label{-1}); };
  const auto iterate = [&] {
    backend.assign_accumulate(a.tile(), prepared, {a.labels}, a.quanta, a.sums(), nullptr, nullptr);
  };
  lloyd::detail::Survey survey(task.d);
  lloyd::detail::ExactSum phi;
  std::vector<Job> jobs;
  const auto add = [&](const std::string& phase, std::function<void()> work) {
    Record record = job_record(probe, name, task, task.k);
    jobs.push_back({record.add("phase", phase), phase, std::move(work)});
  };
  add("survey", [&] { backend.survey(a.tile(), survey.maxima()); });
  add("prepare", [&] { (void)a.prepare(backend); });
  add("assign", [&] { (void)backend.assign(a.tile(), prepared, std::span(a.labels), std::span<double>(), nullptr); });
  add("accumulate",
      [&] { backend.accumulate(a.tile(), a.options, std::span<const lloyd::Label>(a.labels), a.quanta, a.sums()); });
  add("first iteration", [&] {
    clear_labels();
    iterate();
  });
  add("settled iteration", iterate);
  add("finish", [&] {
    backend.distance(a.tile(), std::as_const(a.c).view(), std::span<const lloyd::Label>(a.labels), std::span<double>(),
                     &phi);
  });
  time_jobs(jobs, probe);
}

/// A step of greedy k-means++: candidates scored, the best one covered, masses summed for the next draw.
template <class B>
void time_seed_step(const Probe& probe, const std::string& name, const Task& task, const B& backend) {
  const auto trials = static_cast<Index>(greedy_trials(task.k));
  Arrays<B> a(task, backend, (std::min)(trials, task.n));
  const auto prepared = a.prepare(backend);
  lloyd::detail::Improvements notes;
  std::vector<lloyd::detail::ExactSum> gains(static_cast<std::size_t>(a.c.rows()));
  std::vector<std::int64_t> blocks(static_cast<std::size_t>(task.n / lloyd::detail::rows_per_block + 1));
  std::fill(a.d2.begin(), a.d2.end(), std::numeric_limits<double>::infinity());
  (void)backend.lower(a.tile(), prepared, {}, 0, std::span(a.d2), std::span(a.labels), nullptr);
  const auto seeds = std::as_const(a.c).view();
  Record record = job_record(probe, name, task, task.k);
  time_jobs({{record.add("phase", "seed step").add("trials", a.c.rows()), "seed step",
              [&] {
                notes.restart(gains.size(), a.batching.workers, task.n, a.batching.sums_budget);
                backend.gain(a.tile(), prepared, seeds, std::span<const lloyd::Label>(a.labels),
                             std::span<const double>(a.d2), std::span(gains), notes);
                backend.lower(notes.of_candidate(0), 0, std::span(a.d2), std::span(a.labels));
                const double most = backend.largest({}, std::span<const double>(a.d2), nullptr);
                const auto scale = lloyd::detail::MassScale::for_largest(most, task.n);
                backend.pick(a.tile(), std::span<const double>(a.d2), scale, Index{-1}, std::span(blocks));
              }}},
            probe);
}

/// The assignment by tiles of other shapes than the rule's.
template <class B>
void sweep_tiles(const Probe& probe, const std::string& name, const Task& task, const B& backend) {
  Arrays<B> a(task, backend, task.k);
  const lloyd::detail::Batching rule = a.batching;
  for (const Index rows : {Index{32}, Index{128}, Index{512}, Index{2048}}) {
    std::vector<Job> jobs;
    std::vector<std::unique_ptr<typename B::template Prepared<float>>> prepared;
    for (const Index wanted : {Index{16}, Index{64}, Index{256}, Index{1024}}) {
      const Index centroids = (std::min)(wanted, task.k);
      if (centroids < wanted && wanted > 16 && task.k <= wanted / 4) continue;
      a.batching = rule;
      a.batching.rows = rows;
      a.batching.centroids = centroids;
      prepared.push_back(std::make_unique<typename B::template Prepared<float>>(a.prepare(backend)));
      Record record = job_record(probe, name, task, task.k);
      record.add("phase", "tile").add("tile_rows", rows).add("tile_centroids", centroids);
      record.add("rule_rows", rule.rows).add("rule_centroids", rule.centroids);
      jobs.push_back({record, "tile", [&a, &backend, p = prepared.back().get()] {
                        (void)backend.assign(a.tile(), *p, std::span(a.labels), std::span<double>(), nullptr);
                      }});
    }
    time_jobs(jobs, probe);
  }
}

}  // namespace

void probe_phases(const Probe& probe, const std::string& name) {
  for (const Task& full : all_tasks()) {
    const Task task = scaled(full, probe.settings.scale);
    with_engine(probe.engine, probe.settings.threads, [&](const auto& backend) {
      if (name == "phases/" + std::string(task.name)) {
        time_phases(probe, name, task, backend);
        if (task.seeded) time_seed_step(probe, name, task, backend);
      }
      if (name == "tiles/" + std::string(task.name)) sweep_tiles(probe, name, task, backend);
    });
  }
}

}  // namespace bench
