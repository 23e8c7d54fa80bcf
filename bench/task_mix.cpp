// SPDX-License-Identifier: MIT
// The task mix: whole fits and their parts, by section (bench/README.md has every column).
//   lloyd-task-mix [--scale=1] [--threads=0] [--engine=cpu] [--reps=5] [--budget=10] [--limit=0] [--raw=FILE]
//                  [--list] [--data=TASK --out=PREFIX] [Google Benchmark's own options: --benchmark_filter=...]
#include <benchmark/benchmark.h>

#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lloyd/npy.hpp"
#include "support/measure.hpp"
#include "support/tasks.hpp"
#include "support/work.hpp"

namespace bench {
namespace {

constexpr int seeds = 3;

/// One row of the report. Cases of one group run in one process, on the same arrays.
struct Case {
  std::string section, variant;
  Task task;
  std::uint64_t seed;

  [[nodiscard]] std::string name() const {
    return section + "/" + std::string(task.name) + "/" + variant + "/seed:" + std::to_string(seed);
  }
  [[nodiscard]] std::string group() const {
    return section != "d" ? name() : "d/" + std::string(task.name) + "/.*/seed:" + std::to_string(seed);
  }
};

const std::vector<std::string>& variants_of(const std::string& section, const Task& task) {
  static const std::map<std::string, std::vector<std::string>> all = {
      {"a", {"greedy"}},
      {"b", {"rows"}},
      {"c", {"greedy", "plain", "random", "r2-o1", "r2-o2", "r4-o1", "r4-o2", "r8-o1", "r8-o2"}},
      // What may be slowest comes last, so that a limit takes nothing from the others.
      {"d", {"automatic", "assign:fused", "assign:gram", "update:scatter-add", "update:one-hot"}},
      {"e", {"greedy"}},
  };
  static const std::vector<std::string> rows = {"rows"}, none;
  if (task.seeded) return all.at(section);
  if (section == "e") return rows;
  return section == "a" || section == "c" ? none : all.at(section);
}

std::vector<Case> all_cases(double scale) {
  std::vector<Case> cases;
  for (const std::string section : {"a", "b", "c", "d", "e"})
    for (const Task& task : all_tasks())
      for (int seed = 0; seed < seeds; ++seed)
        for (const std::string& variant : variants_of(section, task))
          cases.push_back({section, variant, scaled(task, scale), static_cast<std::uint64_t>(seed)});
  return cases;
}

/// The options of a case, by its variant's name.
lloyd::Options options_of(const Case& one) {
  lloyd::Options options{.n_clusters = one.task.k, .max_iter = one.task.iterations, .tol = 0, .seed = one.seed};
  const std::string& variant = one.variant;
  if (variant == "plain") options.n_local_trials = 1;
  if (variant == "random") options.init = lloyd::Init::random;
  if (variant.starts_with("r") && variant.find("-o") == 2) {
    options.init = lloyd::Init::scalable_kmeans_plus_plus;
    options.init_rounds = variant[1] - '0';
    options.oversampling_factor = variant[4] - '0';
  }
  if (variant == "update:scatter-add") options.update = lloyd::CentroidUpdate::scatter_add;
  if (variant == "update:one-hot") options.update = lloyd::CentroidUpdate::one_hot;
  if (variant == "assign:fused") options.assignment = lloyd::Assignment::fused;
  if (variant == "assign:gram") options.assignment = lloyd::Assignment::gram;
  return options;
}

bool from_rows(const Case& one) { return one.section == "b" || one.section == "d" || one.variant == "rows"; }

/// Everything that the cases of a process share.
class Session {
 public:
  explicit Session(Settings settings)
      : settings_(std::move(settings)), engine_(find_engine(settings_.engine)), journal_(settings_.raw) {}

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const Engine& engine() const { return engine_; }

  /// What was measured of a case; the cases of its group are measured with it.
  const Measured& measured(const Case& one) {
    if (!measured_.contains(one.name())) measure_group(one);
    return measured_.at(one.name());
  }
  /// The inertia after Lloyd from what an initialiser found.
  [[nodiscard]] std::optional<double> after(const Case& one) const {
    const auto found = after_.find(one.name());
    return found == after_.end() ? std::nullopt : std::optional<double>(found->second);
  }

 private:
  void prepare(const Task& task) {
    if (task_ == task.name) return;
    task_ = task.name;
    rows_.reset();
    rows_ = std::make_unique<Rows>(task.recipe, task.n, task.d, threads_used(engine_, settings_.threads));
  }

  Record record_of(const Case& one) const {
    Record record;
    record.add("case", one.name()).add("section", one.section).add("task", one.task.name).add("variant", one.variant);
    record.add("seed", one.seed).add("n", one.task.n).add("d", one.task.d).add("k", one.task.k);
    Record all = describe(settings_, engine_);
    return record.merge(all);
  }

  void measure_group(const Case& first) {
    prepare(first.task);
    const auto starts = gather(rows_->view(), start_rows(first.task.n, first.task.k, first.seed));
    std::vector<Case> group{first};
    if (first.section == "d") {
      group.clear();
      for (const std::string& variant : variants_of("d", first.task))
        group.push_back({"d", variant, first.task, first.seed});
    }
    lloyd::Matrix<float> found;
    std::vector<Way> ways;
    for (const Case& one : group) {
      ways.push_back({record_of(one), [&, one] {
                        return call(one, {rows_->view(), options_of(one), from_rows(one) ? &starts : nullptr}, found);
                      }});
    }
    Watchdog watchdog(settings_.limit, journal_);
    auto measured = measure(ways, settings_, journal_, watchdog);
    for (std::size_t i = 0; i < group.size(); ++i) measured_[group[i].name()] = std::move(measured[i]);
    if (first.section == "c") measure_after(first, found, watchdog);
  }

  /// One call of a case, timed as its section times it.
  Outcome call(const Case& one, Fit fit, lloyd::Matrix<float>& found) const {
    return with_engine(engine_, settings_.threads, [&](const auto& backend) {
      if (one.section == "a" || one.section == "b") return whole_fit(fit, backend);
      if (one.section != "c") return phased_fit(fit, backend, settings_.plant);
      fit.options.max_iter = 0;
      Outcome outcome = phased_fit(fit, backend, settings_.plant, &found);
      outcome.inertia_before = std::exchange(outcome.inertia, 0);
      outcome.seconds = outcome.seeding.value_or(0);
      return outcome;
    });
  }

  void measure_after(const Case& one, const lloyd::Matrix<float>& found, Watchdog& watchdog) {
    Record record = record_of(one);
    record.add("kind", "after");
    watchdog.now(record);
    const Fit fit{rows_->view(), options_of(one), &found};
    const Outcome outcome =
        with_engine(engine_, settings_.threads, [&](const auto& backend) { return whole_fit(fit, backend); });
    after_[one.name()] = outcome.inertia;
    add_outcome(record, outcome);
    journal_.write(record);
  }

  Settings settings_;
  Engine engine_;
  Journal journal_;
  std::string_view task_;
  std::unique_ptr<Rows> rows_;
  std::map<std::string, Measured> measured_;
  std::map<std::string, double> after_;
};

/// One row of Google Benchmark's table: the median of the warm calls, and the columns that this process knows.
void report(benchmark::State& state, Session& session, const Case& one) {
  const Measured& measured = session.measured(one);
  const double median = measured.median();
  for ([[maybe_unused]] auto step : state) state.SetIterationTime(median);
  const Outcome& last = measured.last;
  auto& counters = state.counters;
  counters["n"] = static_cast<double>(one.task.n);
  counters["scale"] = session.settings().scale;
  counters["warm"] = static_cast<double>(measured.warm.size());
  if (measured.cold) counters["cold_s"] = *measured.cold;
  if (!measured.warm.empty()) {
    const auto [least, most] = std::minmax_element(measured.warm.begin(), measured.warm.end());
    counters["spread"] = (*most - *least) / median;
  }
  const Work work = useful_work(one.task, one.variant, one.section, last.n_iter);
  if (median > 0) {
    counters["GB/s"] = work.bytes / median / 1e9;
    counters["GFLOP/s"] = work.flops / median / 1e9;
  }
  counters["n_iter"] = static_cast<double>(last.n_iter);
  if (one.section != "c") counters["inertia"] = last.inertia;
  if (last.inertia_before) counters["before"] = *last.inertia_before;
  if (const auto after = session.after(one)) counters["after"] = *after;
  if (measured.resident) counters["peak_MB"] = static_cast<double>(*measured.resident) / 1e6;
  for (const auto& [name, phase] : {std::pair{"survey_s", last.survey}, std::pair{"seeding_s", last.seeding},
                                    std::pair{"loop_s", last.loop}, std::pair{"finish_s", last.finish}})
    if (phase) counters[name] = *phase;
  state.SetLabel(session.engine().backend + " " + session.engine().isa +
                 " threads:" + std::to_string(threads_used(session.engine(), session.settings().threads)));
}

void list(double scale) {
  for (const Case& one : all_cases(scale)) {
    const Work work = useful_work(one.task, one.variant, one.section, one.task.iterations);
    Record record;
    record.add("case", one.name()).add("group", one.group()).add("section", one.section).add("task", one.task.name);
    record.add("variant", one.variant).add("seed", one.seed).add("n", one.task.n).add("d", one.task.d);
    record.add("k", one.task.k).add("iterations", one.task.iterations).add("seeded", one.task.seeded);
    record.add("useful_flops", work.flops).add("useful_bytes", work.bytes);
    std::cout << record.line();
  }
}

/// Writes what other libraries are given: PREFIX.x.npy, PREFIX.seed0.npy ..., and a line that describes them.
void write_data(const std::string& name, const std::string& prefix, const Settings& settings) {
  for (const Task& full : all_tasks()) {
    if (full.name != name) continue;
    const Task task = scaled(full, settings.scale);
    const Rows rows(task.recipe, task.n, task.d, threads_used(find_engine("cpu"), settings.threads));
    lloyd::write_npy(prefix + ".x.npy", rows.view());
    for (int seed = 0; seed < seeds; ++seed)
      lloyd::write_npy(prefix + ".seed" + std::to_string(seed) + ".npy",
                       gather(rows.view(), start_rows(task.n, task.k, static_cast<std::uint64_t>(seed))));
    Record record;
    record.add("task", task.name).add("n", task.n).add("d", task.d).add("k", task.k);
    record.add("iterations", task.iterations).add("shift", hundred_deviations(rows.view()));
    std::cout << record.line();
    return;
  }
  throw std::invalid_argument("no task " + name);
}

int run(int argc, char** argv) {
  const Settings settings = take_settings(argc, argv);
  std::string data, out;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--list") return list(settings.scale), 0;
    if (value_of(argv[i], "data", data) || value_of(argv[i], "out", out)) continue;
  }
  if (!data.empty()) return write_data(data, out, settings), 0;
  Session session(settings);
  for (const Case& one : all_cases(settings.scale)) {
    benchmark::RegisterBenchmark(one.name().c_str(),
                                 [&session, one](benchmark::State& state) { report(state, session, one); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    return bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "lloyd-task-mix: " << error.what() << '\n';
    return 1;
  }
}
