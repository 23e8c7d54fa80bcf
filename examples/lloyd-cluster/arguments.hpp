// SPDX-License-Identifier: MIT
// What lloyd-cluster can be told, and how it is written on the command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lloyd/csv.hpp"
#include "lloyd/options.hpp"

namespace program {

namespace fs = std::filesystem;

/// What a file of rows is for. No option chooses columns of centroids, nor says what separates those of colours.
enum class Role : std::uint8_t { rows, centroids, colours };

/// A file of rows, and what of it is read.
struct RowsArguments {
  fs::path path;
  lloyd::CsvHeader header = lloyd::CsvHeader::automatic;
  std::optional<char> separator;
  std::optional<std::string> columns, skip_columns;  // lists of numbers, ranges and names
  std::optional<std::string> weights;                // a column by number or name
  std::vector<std::string> model_names;              // where line 1 has names, these columns in this order; none: all
  bool use_double = false;
  Role role = Role::rows;
  fs::path copy;  // of what came through a pipe, to be opened in its place; empty: none

  [[nodiscard]] const fs::path& opened() const { return copy.empty() ? path : copy; }
};

struct EngineArguments {
  lloyd::Options options;
  int n_threads = 0;           // as in Cpu
  std::string widest = "amx";  // the name of a lloyd::Isa
  bool k_given = false;        // whether options.n_clusters is more than a default
};

struct FitArguments {
  RowsArguments rows;
  EngineArguments engine;
  fs::path start, model, labels, centroids;  // empty: none
  bool standardize = false, json = false;
};

struct PredictArguments {
  fs::path model, labels, distances;
  RowsArguments rows;
  EngineArguments engine;
  bool json = false;
};

struct SilhouetteArguments {
  std::string kind = "automatic";  // the name of a lloyd::SweepSilhouette
  lloyd::Index sample_size = 0;
};

struct SweepArguments {
  RowsArguments rows;
  EngineArguments engine;
  std::vector<lloyd::CsvColumns> ks = {{2, 10}};  // ranges
  SilhouetteArguments silhouette;
  fs::path table;
  std::vector<fs::path> figures;
  std::string python;  // empty: the first on the path, or the system's
  bool standardize = false, json = false;
};

struct QuantizeArguments {
  fs::path input, output, start, centroids;
  EngineArguments engine;
  bool json = false;
};

using Command = std::variant<FitArguments, PredictArguments, SweepArguments, QuantizeArguments>;

/// The subcommand and its arguments; none where help or the version was asked for and has been printed.
/// @throws std::runtime_error with one line for whatever is wrong
[[nodiscard]] std::optional<Command> parse(int argc, char** argv);

}  // namespace program
