// SPDX-License-Identifier: MIT
#include "clustering.hpp"

#include <string>
#include <utility>

#include "engine.hpp"
#include "errors.hpp"
#include "format.hpp"
#include "interrupt.hpp"

namespace program {

template <class T>
Model<T> check_start(Model<T> start, EngineArguments& engine, lloyd::Index columns,
                     const std::vector<std::string>& names) {
  const std::string file = start.file.string();
  if (start.centroids.cols() != columns) {
    refuse("--start: \"", file, "\": the centroids have ", counted(start.centroids.cols(), "column"),
           ", the rows have ", columns);
  }
  start = in_order_of(names, std::move(start));
  const lloyd::Index k = start.centroids.rows();
  if (engine.k_given && engine.options.n_clusters != k) {
    refuse("--start: \"", file, "\" holds ", counted(k, "centroid"), ", --n-clusters is ", engine.options.n_clusters,
           ": leave -k out, the file decides");
  }
  if (engine.options.n_init != 1) refuse("--n-init: expected 1 with --start");
  engine.options.n_clusters = k;
  return start;
}

void check_clusters(lloyd::Index k, lloyd::Index rows, const fs::path& path, bool given) {
  if (k <= rows) return;
  refuse("-k/--n-clusters: ", k, given ? "" : " (the default)", ", but \"", path.string(), "\" has only ",
         counted(rows, "row"));
}

void refuse_float_file(const char* option, const fs::path& path) {
  if (path.empty() || format_of(path, {Format::csv, Format::tsv, Format::npy, Format::fvecs}) != Format::fvecs) return;
  refuse(option, ": \"", path.string(), "\" would hold float32, the rows are float64; .npy holds both");
}

template <class T>
lloyd::Clustering<T> cluster(EngineArguments engine, const Table<T>& table, std::optional<Model<T>> start,
                             const Scaling& scaling, Progress& progress) {
  engine.options.callback = [&progress](const lloyd::Iteration& iteration) { return progress(iteration); };
  const AsksForInterrupts asks;
  auto result = start ? Engine<T>::fit_from(engine, starting_centroids(*std::move(start), scaling).view(),
                                            table.x.view(), table.weights)
                      : Engine<T>::fit(engine, table.x.view(), table.weights);
  if (result.stop_reason == lloyd::StopReason::cancelled) {
    throw Interrupted("cancelled; nothing was written", interrupted());
  }
  return result;
}

template Model<float> check_start(Model<float>, EngineArguments&, lloyd::Index, const std::vector<std::string>&);
template Model<double> check_start(Model<double>, EngineArguments&, lloyd::Index, const std::vector<std::string>&);
template lloyd::Clustering<float> cluster(EngineArguments, const Table<float>&, std::optional<Model<float>>,
                                          const Scaling&, Progress&);
template lloyd::Clustering<double> cluster(EngineArguments, const Table<double>&, std::optional<Model<double>>,
                                           const Scaling&, Progress&);

}  // namespace program
