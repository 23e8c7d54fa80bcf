// SPDX-License-Identifier: MIT
// Two ways to do the same, over shapes: where one overtakes the other, and what the library's rule would choose.
#include "probes/probe.hpp"

namespace bench {
namespace {

/// Rows of one bell, in a number that makes a job worth timing and no longer.
Task rows_for(Index d, double work_a_row, double work, const Probe& probe) {
  const auto n = static_cast<Index>(work * (std::min)(1.0, 20 * probe.settings.scale) / work_a_row);
  return {"normal", std::clamp(n, Index{2048}, Index{200'000}), d, 2, 1, false, {Shape::normal, 1, 0, 201}};
}

/// Scatter-add against one-hot, all rows of random labels, for one d.
void updates(const Probe& probe, const std::string& name, Index d) {
  with_engine(probe.engine, probe.settings.threads, [&](const auto& backend) {
    using B = std::decay_t<decltype(backend)>;
    for (Index k = 2; k <= 512; k *= 2) {
      Arrays<B> a(rows_for(d, static_cast<double>(d), 2e6, probe), backend, k);
      a.shuffle_labels();
      std::vector<Job> jobs;
      for (const auto& [way, update] : {std::pair{"scatter-add", lloyd::CentroidUpdate::scatter_add},
                                        std::pair{"one-hot", lloyd::CentroidUpdate::one_hot}}) {
        Record record = job_record(probe, name, a.task, k);
        record.add("way", way).add("one_hot_factor", lloyd::cpu::one_hot_factor);
        record.add("rule_takes_one_hot", lloyd::cpu::takes_one_hot(lloyd::CentroidUpdate::automatic, k, d));
        lloyd::Options options = a.options;
        options.update = update;
        jobs.push_back({record, "accumulate", [&a, &backend, options] {
                          backend.accumulate(a.tile(), options, std::span<const lloyd::Label>(a.labels), a.quanta,
                                             a.sums());
                        }});
      }
      time_jobs(jobs, probe);
    }
  });
}

/// Fused against Gram, for one k, over d.
void assignments(const Probe& probe, const std::string& name, Index k) {
  with_engine(probe.engine, probe.settings.threads, [&](const auto& backend) {
    using B = std::decay_t<decltype(backend)>;
    for (Index d = 2; d <= 2048; d *= 2) {
      Arrays<B> a(rows_for(d, static_cast<double>(d * k), 3e8, probe), backend, k);
      std::vector<Job> jobs;
      std::vector<typename B::template Prepared<float>> prepared;
      prepared.reserve(2);
      for (const auto& [way, assignment] :
           {std::pair{"fused", lloyd::Assignment::fused}, std::pair{"gram", lloyd::Assignment::gram}}) {
        Record record = job_record(probe, name, a.task, k);
        record.add("way", way).add("fused_up_to", lloyd::cpu::fused_up_to);
        record.add("rule_takes_fused", d <= lloyd::cpu::fused_up_to);
        a.options.assignment = assignment;
        prepared.push_back(a.prepare(backend));
        jobs.push_back({record, "assign", [&a, &backend, p = &prepared.back()] {
                          (void)backend.assign(a.tile(), *p, std::span(a.labels), std::span<double>(), nullptr);
                        }});
      }
      time_jobs(jobs, probe);
    }
  });
}

/// Features in the lanes against rows in the lanes, with few centroids, over d.
void lanes(const Probe& probe, const std::string& name, Index k, const lloyd::Cpu& cpu) {
  using lloyd::cpu::Scoring;
  for (Index d = 4; d <= 2048; d *= 2) {
    Arrays<lloyd::Cpu> a(rows_for(d, static_cast<double>(d), 2e7, probe), cpu, k);
    const auto usual = a.prepare(cpu);
    std::vector<Job> jobs;
    std::vector<lloyd::cpu::Prepared<float>> prepared;
    prepared.reserve(2);
    for (const auto& [way, scoring] : {std::pair{"features in lanes", Scoring::features_in_lanes},
                                       std::pair{"rows in lanes", Scoring::rows_in_lanes}}) {
      Record record = job_record(probe, name, a.task, k);
      record.add("way", way).add("features_in_lanes_from", lloyd::cpu::features_in_lanes_from);
      record.add("rule_takes_features", usual.own.scoring == Scoring::features_in_lanes);
      prepared.push_back(usual);
      auto& own = prepared.back().own;
      own = {};
      own.fill(std::as_const(a.c).view(), std::span<const lloyd::Label>(usual.distinct),
               std::span<const float>(a.origin), lloyd::cpu::usable_isa(cpu.widest), scoring, lloyd::cpu::Sound());
      jobs.push_back({record, "assign", [&a, &cpu, p = &prepared.back()] {
                        (void)cpu.assign(a.tile(), *p, std::span(a.labels), std::span<double>(), nullptr);
                      }});
    }
    time_jobs(jobs, probe);
  }
}

/// The engine on its threads against one thread of the first CPU engine, over n: two iterations from given rows.
void overtaking(const Probe& probe, const std::string& name, Index d, Index k) {
  const auto most = static_cast<Index>(4'000'000.0 * (std::min)(1.0, probe.settings.scale));
  for (Index n = 2 * k; n * d <= (std::max)(most, Index{16} * k * d); n *= 4) {
    const Task task{"clusters", n, d, k, 2, false, {Shape::clusters, k, 192, 202}};
    const Rows rows(task.recipe, n, d, 1);
    const auto starts = gather(rows.view(), start_rows(n, k, 0));
    const Fit fit{rows.view(), {.n_clusters = k, .max_iter = 2, .tol = 0}, &starts};
    std::vector<Job> jobs;
    const auto add = [&](const Engine& engine, int threads, const char* way) {
      Probe other{probe.settings, engine, probe.journal, probe.watchdog, probe.groups};
      other.settings.threads = threads;
      Record record = job_record(other, name, task, k);
      jobs.push_back({record.add("way", way), "fit", [&fit, engine, threads] {
                        with_engine(engine, threads, [&](const auto& backend) { (void)whole_fit(fit, backend); });
                      }});
    };
    add(find_engine("cpu"), 1, "one thread");
    add(probe.engine, probe.settings.threads, "engine");
    time_jobs(jobs, probe);
  }
}

}  // namespace

void probe_crossover(const Probe& probe, const std::string& name) {
  const auto number = [&](std::string_view key) {
    const std::size_t at = name.find(key);
    return at == std::string::npos ? Index{0} : Index{std::stoll(name.substr(at + key.size()))};
  };
  if (name.starts_with("crossover/update/")) updates(probe, name, number("d:"));
  if (name.starts_with("crossover/assign/")) assignments(probe, name, number("k:"));
  with_engine(probe.engine, probe.settings.threads, [&](const auto& backend) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(backend)>, lloyd::Cpu>)
      if (name.starts_with("crossover/lanes/")) lanes(probe, name, number("k:"), backend);
  });
  if (name.starts_with("crossover/overtake/")) overtaking(probe, name, number("d:"), number("k:"));
}

}  // namespace bench
