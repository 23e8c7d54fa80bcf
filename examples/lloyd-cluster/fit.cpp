// SPDX-License-Identifier: MIT
// lloyd-cluster fit: reads rows, finds clusters, shows them, and writes what was asked for.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "clustering.hpp"
#include "commands.hpp"
#include "engine.hpp"
#include "errors.hpp"
#include "format.hpp"
#include "model.hpp"
#include "notes.hpp"
#include "outputs.hpp"
#include "report.hpp"
#include "stopwatch.hpp"

namespace program {
namespace {

template <class T>
void write(Outputs& outputs, const FitArguments& arguments, const Model<T>& model, const lloyd::Clustering<T>& result,
           const lloyd::Matrix<T>& centroids) {
  if (!arguments.labels.empty())
    write_column(outputs, arguments.labels, result.labels, model.names.empty() ? "" : "cluster");
  if (!arguments.centroids.empty())
    write_matrix(outputs, arguments.centroids, centroids, model.names, arguments.rows.separator);
  if (!arguments.model.empty()) {
    lloyd::Npz arrays = to_npz(model);
    arrays.add("cluster_sizes", result.cluster_sizes);
    arrays.add("cluster_weights", result.cluster_weights);
    arrays.add("inertia", result.inertia);
    auto& file = outputs.open(arguments.model);
    lloyd::detail::write_zip(arrays.members(), file.origin(), [&](std::string_view bytes) { file.write(bytes); });
  }
  outputs.commit();
}

template <class T>
void print_json(const FitArguments& arguments, const Table<T>& table, const lloyd::Clustering<T>& result,
                const lloyd::Matrix<T>& centroids, const Summary& summary, const Stopwatch& watch) {
  Json json;
  json.open('{').member("command", "fit").member("input", arguments.rows.path.string());
  json.member("rows", table.x.rows()).member("columns", column_names(table));
  json.member("scalar", sizeof(T) == 4 ? "float32" : "float64").member("standardized", arguments.standardize);
  json.member("k", centroids.rows()).member("seed", arguments.engine.options.seed);
  print_result(json, result);
  print_clusters(json, centroids, summary);
  watch.print(json);
  print_end(json.close('}').text());
}

template <class T>
void fit(const FitArguments& given, Outputs& outputs) {
  FitArguments arguments = given;
  Stopwatch watch;
  Progress progress;
  progress.say(lloyd::detail::text("reading ", arguments.rows.path.string()));
  auto table = read_table<T>(arguments.rows);
  const int threads = Engine<T>::workers(arguments.engine);
  progress.clear();
  say_notes(table, arguments.rows, arguments.standardize, threads);
  std::optional<Model<T>> start;
  if (!arguments.start.empty())
    start = check_start(read_model<T>(arguments.start, arguments.rows.separator), arguments.engine, table.x.cols(),
                        table.names);
  const bool was_standardized = start && !start->scaling.empty();
  check_clusters(arguments.engine.options.n_clusters, table.x.rows(), arguments.rows.path,
                 arguments.engine.k_given || start);
  watch.lap("read");

  Model<T> model;
  model.names = table.names;
  if (arguments.standardize) {
    progress.say("standardising");
    model.scaling = scaling_of(table, threads);
    standardize(table, arguments.rows.path, model.scaling, threads);
    watch.lap("standardize");
  }
  arguments.engine.options.labels = !arguments.labels.empty();
  progress.expect("", arguments.engine.options.n_init);
  const auto result = cluster(arguments.engine, table, std::move(start), model.scaling, progress);
  const double seconds = watch.lap("fit");

  arguments.engine.options.check_finite = false;  // read_table has looked
  const auto nearest = Engine<T>::assign(arguments.engine, result.centroids.view(), table.x.view());
  auto summary = summarize(nearest.labels, nearest.distances, table.weights, result.centroids.rows());
  if (!table.weights.empty()) summary.weights = result.cluster_weights;
  watch.lap("summarize");

  model.centroids = result.centroids;
  lloyd::Matrix<T> centroids = result.centroids;
  restore(centroids, model.scaling);
  write(outputs, arguments, model, result, centroids);
  watch.lap("write");

  progress.clear();
  if (arguments.json) return print_json(arguments, table, result, centroids, summary, watch);
  print_clusters(centroids, column_names(table), summary, arguments.standardize);
  std::string end =
      lloyd::detail::text("total inertia ", digits(result.inertia, std::chars_format::general, 9),
                          arguments.standardize ? " (standardised), " : ", ", end_of_fit(result, seconds));
  if (const auto empty = std::count(summary.sizes.begin(), summary.sizes.end(), 0); empty != 0)
    end += lloyd::detail::text(", ", empty, empty == 1 ? " cluster" : " clusters", " without rows");
  if (was_standardized && !arguments.standardize)
    end += ", not standardised as the rows of " + arguments.start.string() + " were";
  print_end(end);
}

}  // namespace

void run(const FitArguments& arguments) {
  Outputs outputs({arguments.rows.path, arguments.start});
  outputs.promise("--labels", arguments.labels, {Format::csv, Format::tsv, Format::npy});
  outputs.promise("--centroids", arguments.centroids, {Format::csv, Format::tsv, Format::npy, Format::fvecs});
  outputs.promise("--model", arguments.model, {Format::npz});
  const bool uses_double = reads_double(arguments.rows);
  if (uses_double) refuse_float_file("--centroids", arguments.centroids);
  uses_double ? fit<double>(arguments, outputs) : fit<float>(arguments, outputs);
}

}  // namespace program
