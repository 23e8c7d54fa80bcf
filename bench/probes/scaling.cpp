// SPDX-License-Identifier: MIT
// How time grows: with iterations (a fixed cost and a slope), with n, k, d and threads.
#include "probes/probe.hpp"

namespace bench {
namespace {

/// Times fits of several shapes in turn; `axis` is what differs and `value` how much of it there is.
class Series {
 public:
  Series(const Probe& probe, const std::string& name, std::string axis)
      : probe_(probe), name_(name), axis_(std::move(axis)) {}

  void add(const Task& task, Index iterations, int threads, Index value) {
    auto held = std::make_shared<Held>(task, iterations, threads_used(probe_.engine, 0));
    Probe other{probe_.settings, probe_.engine, probe_.journal, probe_.watchdog, probe_.groups};
    other.settings.threads = threads;
    Record record = job_record(other, name_, task, task.k);
    record.add("axis", axis_).add("value", value).add("iterations", iterations);
    jobs_.push_back({record, "fit", [held, threads, engine = probe_.engine] {
                       with_engine(engine, threads, [&](const auto& backend) { (void)whole_fit(held->fit, backend); });
                     }});
  }
  void time() const { time_jobs(jobs_, probe_); }

 private:
  struct Held {
    Held(const Task& task, Index iterations, int threads)
        : rows(task.recipe, task.n, task.d, threads),
          starts(gather(rows.view(), start_rows(task.n, task.k, 0))),
          fit{rows.view(), {.n_clusters = task.k, .max_iter = iterations, .tol = 0}, &starts} {}
    Rows rows;
    lloyd::Matrix<float> starts;
    Fit fit;
  };

  const Probe& probe_;
  std::string name_, axis_;
  std::vector<Job> jobs_;
};

/// What n, k, d and threads are varied about: clusters that a few iterations do not settle.
Task base_task(double scale) {
  return scaled({"clusters", 400'000, 32, 64, 4, false, {Shape::clusters, 64, 128, 301}}, scale);
}

}  // namespace

void probe_scaling(const Probe& probe, const std::string& name) {
  const int threads = probe.settings.threads;
  const std::string axis = name.substr(name.find('/') + 1);
  Series series(probe, name, axis.substr(0, axis.find('/')));
  const Task base = base_task(probe.settings.scale);
  for (const Task& full : all_tasks()) {
    if (axis != "iterations/" + std::string(full.name)) continue;
    for (const Index iterations : {Index{1}, Index{4}, Index{12}})
      series.add(scaled(full, probe.settings.scale), iterations, threads, iterations);
  }
  for (const Index part : {Index{16}, Index{8}, Index{4}, Index{2}, Index{1}}) {
    Task task = base;
    if (axis == "n") task.n = (std::max)(base.n / part, task.k), series.add(task, 4, threads, task.n);
  }
  for (const Index size : {Index{8}, Index{16}, Index{32}, Index{64}, Index{128}, Index{256}}) {
    Task task = base;
    if (axis == "k" && size <= task.n) task.k = size, series.add(task, 4, threads, size);
    if (axis == "d") task.d = size, series.add(task, 4, threads, size);
  }
  const int most = threads_used(probe.engine, threads);
  for (int used = 1; axis == "threads" && used <= most; used = used < most ? (std::min)(2 * used, most) : most + 1)
    series.add(base, 4, used, used);
  series.time();
}

}  // namespace bench
