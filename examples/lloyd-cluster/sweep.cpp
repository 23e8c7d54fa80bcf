// SPDX-License-Identifier: MIT
// lloyd-cluster sweep: the same rows in several numbers of clusters, as a table and a figure.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "clustering.hpp"
#include "commands.hpp"
#include "engine.hpp"
#include "errors.hpp"
#include "format.hpp"
#include "notes.hpp"
#include "outputs.hpp"
#include "progress.hpp"
#include "python.hpp"
#include "report.hpp"
#include "stopwatch.hpp"

namespace program {
namespace {

using lloyd::Index;

/// The numbers of clusters in ascending order, each once.
std::vector<Index> numbers_of(const SweepArguments& arguments, Index rows) {
  std::set<Index> ks;
  for (const auto& [first, last] : arguments.ks) {
    check_clusters(last, rows, arguments.rows.path, arguments.engine.k_given);
    for (Index k = first; k <= last; ++k) ks.insert(k);
  }
  return {ks.begin(), ks.end()};
}

/// What the runs advise.
struct Advice {
  std::optional<Index> elbow;  // none of fewer than three runs
  std::optional<Index> best;   // of the silhouettes, if there are any
};

template <class Runs>
Advice advice_of(const Runs& runs) {
  Advice advice;
  if (runs.size() >= 3) advice.elbow = lloyd::elbow(runs).n_clusters;
  double most = 0;
  for (const auto& run : runs) {
    if (std::isnan(run.silhouette) || (advice.best && run.silhouette <= most)) continue;
    advice.best = run.n_clusters;
    most = run.silhouette;
  }
  return advice;
}

/// What the values are, for people.
struct Names {
  std::string inertia = "inertia", silhouette = "silhouette";

  Names(const SweepArguments& arguments, Index rows) {
    const auto& [kind, sample_size] = arguments.silhouette;
    const bool simplified =
        kind == "simplified" || (kind == "automatic" && sample_size == 0 && rows > lloyd::detail::most_exact_rows);
    if (arguments.standardize) inertia += " (standardised)";
    if (simplified) silhouette = "simplified silhouette";
    if (!simplified && sample_size > 0 && sample_size < rows)
      silhouette += lloyd::detail::text(" of ", sample_size, " rows");
  }
};

template <class Runs>
void print_table(const Runs& runs, const Advice& advice, const Names& names) {
  std::vector<std::vector<std::string>> rows = {{"k", names.inertia, names.silhouette, "iterations", "seconds", ""}};
  for (const auto& run : runs) {
    std::string mark;
    if (run.n_clusters == advice.elbow) mark = "elbow";
    if (run.n_clusters == advice.best) mark += mark.empty() ? "best silhouette" : ", best silhouette";
    rows.push_back({std::to_string(run.n_clusters), digits(run.inertia, std::chars_format::general, 9),
                    std::isnan(run.silhouette) ? "-" : digits(run.silhouette, std::chars_format::fixed, 4),
                    std::to_string(run.n_iter), digits(run.seconds, std::chars_format::fixed, 3), mark});
  }
  print_cells(rows);
  std::string end = std::to_string(runs.size()) + (runs.size() == 1 ? " number" : " numbers") + " of clusters";
  if (advice.elbow) end += lloyd::detail::text(", elbow at k = ", *advice.elbow);
  if (advice.best) end += lloyd::detail::text(", best silhouette at k = ", *advice.best);
  print_end(end);
}

template <class Runs>
void write_table(Outputs& outputs, const fs::path& path, const Runs& runs) {
  const char separator = separator_of(format_of(path, {Format::csv, Format::tsv}));
  const auto add = [&](std::string& lines, double value) { lloyd::detail::append_number(lines += separator, value); };
  std::string lines = "k";
  for (const char* const name : {"inertia", "silhouette", "iterations", "seconds"}) (lines += separator) += name;
  lines += '\n';
  for (const auto& run : runs) {
    lines += std::to_string(run.n_clusters);
    add(lines, run.inertia);
    add(lines, run.silhouette);
    add(lines, static_cast<double>(run.n_iter));
    add(lines, run.seconds);
    lines += '\n';
  }
  outputs.open(path).write(lines);
}

/// The runs and what they advise, for programs and for the figure.
template <class Runs>
void add_runs(Json& json, const Runs& runs, const Advice& advice) {
  const auto number = [&](const char* name, std::optional<Index> k) { k ? json.member(name, *k) : json.null(name); };
  number("elbow", advice.elbow);
  number("best_silhouette", advice.best);
  json.key("runs").open('[');
  for (const auto& run : runs) {
    json.open('{').member("k", run.n_clusters).member("inertia", run.inertia).member("silhouette", run.silhouette);
    json.member("iterations", run.n_iter).member("stop", name_of(run.clustering.stop_reason));
    json.member("seconds", run.seconds).close('}');
  }
  json.close(']');
}

/// Refuses a Python that does not run the script, or a program that ends well and is none.
void require_drawing(const std::string& python) {
  if (run_python(python, plot_sweep_script, {}, "") == "ready\n") return;
  refuse("--python: \"", python, "\" does not run the script that draws, expected a Python 3 that has matplotlib");
}

/// The Python that draws: where none is named, that of the system if the first on the path does not.
std::string drawing_python(const std::string& given) {
  if (!given.empty()) {
    require_drawing(given);
    return given;
  }
  const std::string first = "python3", of_system = "/usr/bin/python3";
  try {
    require_drawing(first);
    return first;
  } catch (const std::runtime_error& error) {
    try {
      require_drawing(of_system);
      return of_system;
    } catch (const std::runtime_error&) {  // the first says what is missing
      throw std::runtime_error(error.what());
    }
  }
}

template <class Runs>
void write_figures(Outputs& outputs, const SweepArguments& arguments, const Runs& runs, const Advice& advice,
                   const Names& names) {
  Json json;
  json.open('{').member("input", arguments.rows.path.filename().string());
  json.member("names", std::vector<std::string>{names.inertia, names.silhouette});
  add_runs(json, runs, advice);
  json.close('}');
  for (const auto& path : arguments.figures) {
    const bool svg = format_of(path, {Format::svg, Format::png}) == Format::svg;
    const std::string figure = run_python(arguments.python, plot_sweep_script, {svg ? "svg" : "png"}, json.text());
    if (svg ? figure.find("<svg") == std::string::npos : !figure.starts_with("\x89PNG")) {
      refuse("--figure: \"", path.string(), "\": \"", arguments.python, "\" drew no figure, but ", figure.size(),
             " bytes of something else");
    }
    outputs.open(path).write(figure);
  }
}

template <class T>
void sweep(const SweepArguments& given, Outputs& outputs) {
  SweepArguments arguments = given;
  Stopwatch watch;
  Progress progress;
  progress.say(lloyd::detail::text("reading ", arguments.rows.path.string()));
  auto table = read_table<T>(arguments.rows);
  const int threads = Engine<T>::workers(arguments.engine);
  progress.clear();
  say_notes(table, arguments.rows, arguments.standardize, threads);
  const auto ks = numbers_of(arguments, table.x.rows());
  watch.lap("read");
  if (arguments.standardize) {
    progress.say("standardising");
    standardize(table, arguments.rows.path, scaling_of(table, threads), threads);
    watch.lap("standardize");
  }
  arguments.engine.options.labels = false;
  arguments.engine.options.callback = [&](const lloyd::Iteration& iteration) { return progress(iteration); };
  std::vector<lloyd::SweepRun<T>> runs;
  for (const Index k : ks) {  // a signal ends the program at once: a silhouette could not be asked to stop
    progress.expect(lloyd::detail::text("k = ", k, ", "), arguments.engine.options.n_init,
                    arguments.silhouette.kind == "none" ? "" : "silhouette");
    auto run = Engine<T>::sweep(arguments.engine, arguments.silhouette, table.x.view(), table.weights, k);
    runs.push_back(std::move(run.front()));
  }
  watch.lap("sweep");
  const Advice advice = advice_of(runs);
  const Names names(arguments, table.x.rows());
  if (!arguments.figures.empty()) progress.say("drawing");
  if (!arguments.table.empty()) write_table(outputs, arguments.table, runs);
  write_figures(outputs, arguments, runs, advice, names);
  outputs.commit();
  watch.lap("write");

  progress.clear();
  if (arguments.json) {
    Json json;
    json.open('{').member("command", "sweep").member("input", arguments.rows.path.string());
    json.member("rows", table.x.rows()).member("columns", column_names(table));
    json.member("scalar", sizeof(T) == 4 ? "float32" : "float64").member("standardized", arguments.standardize);
    add_runs(json, runs, advice);
    watch.print(json);
    return print_end(json.close('}').text());
  }
  print_table(runs, advice, names);
}

}  // namespace

void run(const SweepArguments& given) {
  SweepArguments arguments = given;
  Outputs outputs({arguments.rows.path});
  outputs.promise("--table", arguments.table, {Format::csv, Format::tsv});
  for (const auto& path : arguments.figures) outputs.promise("--figure", path, {Format::svg, Format::png});
  if (!arguments.figures.empty()) arguments.python = drawing_python(given.python);  // before the work
  reads_double(arguments.rows) ? sweep<double>(arguments, outputs) : sweep<float>(arguments, outputs);
}

}  // namespace program
