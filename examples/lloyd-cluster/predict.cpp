// SPDX-License-Identifier: MIT
// lloyd-cluster predict: which cluster of a model each row belongs to.
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "commands.hpp"
#include "engine.hpp"
#include "errors.hpp"
#include "format.hpp"
#include "model.hpp"
#include "outputs.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "stopwatch.hpp"
#include "table.hpp"

namespace program {
namespace {

/// Refuses rows whose columns are not those of the model, as far as that is known.
template <class T>
void check_columns(const Model<T>& model, const Table<T>& table, const PredictArguments& arguments) {
  const std::string file = arguments.rows.path.string();
  if (table.x.cols() != model.centroids.cols()) {
    refuse(file, " has ", counted(table.x.cols(), "column"), ", the model ", model.centroids.cols(),
           " (--columns and --skip-columns choose)");
  }
  if (model.names.empty() || table.names.empty()) return;
  for (std::size_t j = 0; j < model.names.size(); ++j) {
    if (model.names[j] == table.names[j]) continue;
    refuse(file, ": column ", table.columns[j], " is \"", table.names[j], "\", in the model \"", model.names[j],
           "\" (--columns and --skip-columns choose)");
  }
}

/// Rows are read as what the model holds; a model of text holds what the rows hold.
bool uses_double(const PredictArguments& arguments) {
  const auto name = [](bool is_double) { return std::string(is_double ? "float64" : "float32"); };
  const bool of_rows = reads_double(arguments.rows);
  if (is_text(format_of_model(arguments.model))) return of_rows;
  const bool of_model = model_holds_double(arguments.model);
  if (arguments.rows.use_double && !of_model) refuse("--double: \"", arguments.model.string(), "\" holds float32");
  if (!is_text(format_of_rows(arguments.rows.path)) && of_rows != of_model) {
    refuse(arguments.rows.path.string(), " holds ", name(of_rows), ", the model ", name(of_model),
           ": numpy.save(path, x.astype(numpy.", name(of_model), "))");
  }
  return of_model;
}

template <class T>
void print_json(const PredictArguments& arguments, const Table<T>& table, const Model<T>& model,
                const std::vector<std::string>& names, const lloyd::Matrix<T>& centroids, const Summary& summary,
                double inertia, const Stopwatch& watch) {
  Json json;
  json.open('{').member("command", "predict").member("model", arguments.model.string());
  json.member("input", arguments.rows.path.string()).member("rows", table.x.rows());
  json.member("columns", names).member("scalar", sizeof(T) == 4 ? "float32" : "float64");
  json.member("standardized", !model.scaling.empty()).member("inertia", inertia);
  print_clusters(json, centroids, summary);
  watch.print(json);
  print_end(json.close('}').text());
}

template <class T>
void predict(const PredictArguments& given, Outputs& outputs) {
  PredictArguments arguments = given;
  Stopwatch watch;
  Progress progress;
  progress.say(lloyd::detail::text("reading ", arguments.rows.path.string()));
  const auto model = read_model<T>(arguments.model, arguments.rows.separator);
  arguments.rows.model_names = model.names;
  auto table = read_table<T>(arguments.rows, arguments.engine.options.check_finite);
  check_columns(model, table, arguments);
  arguments.engine.options.check_finite = false;  // done, unless it is not wanted
  watch.lap("read");
  standardize(table, arguments.rows.path, model.scaling, Engine<T>::workers(arguments.engine),
              given.engine.options.check_finite);
  progress.say("predicting");
  auto nearest = Engine<T>::assign(arguments.engine, model.centroids.view(), table.x.view());
  watch.lap("predict");
  const auto summary = summarize(nearest.labels, nearest.distances, table.weights, model.centroids.rows());
  double inertia = 0;
  for (const double each : summary.inertias) inertia += each;
  watch.lap("summarize");

  if (!arguments.labels.empty())
    write_column(outputs, arguments.labels, nearest.labels, table.names.empty() ? "" : "cluster");
  if (!arguments.distances.empty()) {
    for (double& distance : nearest.distances) distance = std::sqrt(distance);
    write_column(outputs, arguments.distances, nearest.distances, table.names.empty() ? "" : "distance");
  }
  outputs.commit();
  watch.lap("write");

  progress.clear();
  auto centroids = model.centroids;
  restore(centroids, model.scaling);
  const auto names = table.names.empty() && !model.names.empty() ? model.names : column_names(table);
  if (arguments.json) return print_json(arguments, table, model, names, centroids, summary, inertia, watch);
  print_clusters(centroids, names, summary, !model.scaling.empty());
  print_end(lloyd::detail::text("total inertia ", digits(inertia, std::chars_format::general, 9),
                                model.scaling.empty() ? "" : " (standardised)"));
}

}  // namespace

void run(const PredictArguments& arguments) {
  Outputs outputs({arguments.model, arguments.rows.path});
  outputs.promise("--labels", arguments.labels, {Format::csv, Format::tsv, Format::npy});
  outputs.promise("--distances", arguments.distances, {Format::csv, Format::tsv, Format::npy});
  uses_double(arguments) ? predict<double>(arguments, outputs) : predict<float>(arguments, outputs);
}

}  // namespace program
