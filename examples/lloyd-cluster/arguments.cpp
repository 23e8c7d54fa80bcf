// SPDX-License-Identifier: MIT
#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <system_error>
#include <utility>

#include "columns.hpp"
#include "errors.hpp"
#include "lloyd/io/file.hpp"
#include "lloyd/io/number.hpp"
#include "lloyd/version.hpp"

namespace program {
namespace {

const std::map<std::string, lloyd::CsvHeader> headers = {
    {"auto", lloyd::CsvHeader::automatic}, {"yes", lloyd::CsvHeader::yes}, {"no", lloyd::CsvHeader::no}};
const std::map<std::string, lloyd::Init> inits = {{"k-means++", lloyd::Init::kmeans_plus_plus},
                                                  {"scalable-k-means++", lloyd::Init::scalable_kmeans_plus_plus},
                                                  {"random", lloyd::Init::random}};
const std::map<std::string, lloyd::EmptyClusters> empties = {{"relocate", lloyd::EmptyClusters::relocate},
                                                             {"keep", lloyd::EmptyClusters::keep}};
const std::map<std::string, lloyd::CentroidUpdate> updates = {{"automatic", lloyd::CentroidUpdate::automatic},
                                                              {"scatter-add", lloyd::CentroidUpdate::scatter_add},
                                                              {"one-hot", lloyd::CentroidUpdate::one_hot}};
const std::map<std::string, lloyd::Assignment> assignments = {{"automatic", lloyd::Assignment::automatic},
                                                              {"fused", lloyd::Assignment::fused},
                                                              {"gram", lloyd::Assignment::gram}};

/// Reads a whole number in decimal digits. @return what is wrong with the text; empty: nothing
template <class Value>
std::string read_whole(const std::string& text, Value least, Value& value) {
  const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return "\"" + text + "\", expected a whole number of at least " + std::to_string(least);
  value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (text.starts_with('-') || (result.ec == std::errc() && value < least))
    return text + ", expected at least " + std::to_string(least);
  if (result.ec == std::errc()) return "";
  return text + ", expected at most " + std::to_string((std::numeric_limits<Value>::max)());
}

/// An option that is a whole number; the conversion, to which 010 would be 8, is handed its plain digits.
template <class Value>
CLI::Option* add_count(CLI::App& app, const std::string& name, Value& value, int least, const std::string& help) {
  const auto plain = [least](std::string& text) {
    Value number = 0;
    std::string complaint = read_whole(text, static_cast<Value>(least), number);
    if (complaint.empty()) text = std::to_string(number);
    return complaint;
  };
  return app.add_option(name, value, help)->transform(CLI::Validator(plain, ""))->capture_default_str();
}

/// An option that is a number, in decimal.
CLI::Option* add_number(CLI::App& app, const std::string& name, double& value, const std::string& help) {
  const auto complaint = [](const std::string& text) -> std::string {
    const auto parsed = lloyd::detail::parse_number<double>(text.data(), text.data() + text.size());
    const bool whole = parsed.kind == lloyd::detail::Parse::number && parsed.end == text.data() + text.size();
    return whole ? (parsed.value >= 0 ? "" : text + ", expected at least 0") : "\"" + text + "\", expected a number";
  };
  return app.add_option(name, value, help)->check(complaint)->capture_default_str();
}

/// Bytes, of which units count 1024 each: "256MiB", "256M" and "268435456" are the same.
std::string plain_bytes(std::string& text) {
  constexpr std::string_view units = "kmgtpe";
  const std::size_t length = (std::min)(text.find_first_not_of("0123456789"), text.size());
  std::string unit = text.substr(length);
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  const std::size_t power = unit.empty() || unit == "b" ? 0 : units.find(unit[0]) + 1;  // npos + 1 is 0
  const std::string_view rest = std::string_view(unit).substr(power == 0 ? 0 : 1);
  const bool known = rest.empty() || rest == "b" || (power != 0 && (rest == "i" || rest == "ib"));
  if (length == 0 || !known) return "\"" + text + "\", expected bytes, or such as 256MiB";
  std::size_t bytes = 0;
  const auto result = std::from_chars(text.data(), text.data() + length, bytes);
  if (result.ec != std::errc() || bytes > (std::numeric_limits<std::size_t>::max)() >> 10 * power)
    return text + ", expected at most " + std::to_string((std::numeric_limits<std::size_t>::max)()) + " bytes";
  text = std::to_string(bytes << 10 * power);
  return "";
}

/// An option that is one of some words.
template <class Value>
void add_choice(CLI::App& app, const std::string& name, Value& value, const std::map<std::string, Value>& words,
                const std::string& help) {
  std::vector<std::string> keys;
  std::string shown;
  for (const auto& [word, meaning] : words) {
    keys.push_back(word);
    if (meaning == value) shown = word;
  }
  app.add_option_function<std::string>(
         name, [&value, &words](const std::string& word) { value = words.at(word); }, help)
      ->check(CLI::IsMember(keys))
      ->default_str(shown);
}

/// An option or a positional argument that is the path of a file.
template <class Path>
CLI::Option* add_path(CLI::App& app, const std::string& name, Path& path, const std::string& help) {
  return app.add_option(name, path, help)->check([](const std::string& text) -> std::string {
    return text.empty() ? "\"\", expected the name of a file" : "";
  });
}

/// An option that is a list of columns, which names in line 1 may be needed to read.
void add_columns(CLI::App& app, const std::string& name, std::optional<std::string>& columns, const std::string& help) {
  app.add_option_function<std::string>(
      name, [&columns](const std::string& list) { columns = list; }, help);
}

void declare_rows(CLI::App& app, RowsArguments& rows) {
  add_path(app, "input", rows.path, "The rows: a .csv, .tsv, .npy or .fvecs file, or a pipe of .csv")->required();
  add_choice(
      app, "--header", rows.header, headers,
      "Whether line 1 of a .csv or .tsv holds names; auto: if no field is a number, and not all are missing values");
  app.add_option_function<std::string>(
      "--separator",
      [&rows](const std::string& separator) {
        const bool tab = separator == "tab", space = separator == "space";
        if (!tab && !space && separator.size() != 1)
          refuse("--separator is one character, tab or space, not \"", separator, "\"");
        rows.separator = tab ? '\t' : space ? ' ' : separator[0];
      },
      "One character, tab or space; if not given a comma in .csv and a tab in .tsv");
  add_columns(
      app, "--columns", rows.columns,
      "Read these columns alone, in this order: numbers, ranges or names (quoted where they hold a comma), such as "
      "2-5,8,age");
  add_columns(app, "--skip-columns", rows.skip_columns, "Leave these columns out, such as 1 or id");
  app.add_flag("--double", rows.use_double,
               "Read text as double (other files are read as what they hold, predict reads as its model holds)");
}

void declare_weights(CLI::App& app, RowsArguments& rows) {
  app.add_option("--weights", rows.weights,
                 "The column, by number from 1 or by name, that says how many rows each row stands for");
}

void declare_standardize(CLI::App& app, bool& standardize) {
  app.add_flag("--standardize,--standardise", standardize,
               "Scale every column to mean 0 and deviation 1 first; centroids are given in the units of the file");
}

/// What every way of clustering can be told.
void declare_speed(CLI::App& app, EngineArguments& engine) {
  lloyd::Options& options = engine.options;
  app.option_defaults()->group("Speed (the result does not depend on these)");
  add_count(app, "--threads", engine.n_threads, 0, "Threads, 0: OpenMP's default");
  app.add_option("--widest", engine.widest, "The widest instruction set to use of those that are here")
      ->check(CLI::IsMember({"portable", "avx2", "avx512", "amx"}))
      ->capture_default_str();
  add_choice(app, "--assignment", options.assignment, assignments, "How scores are made");
  app.add_option("--memory-budget", options.memory_budget, "For tiles and sums of threads: bytes, or such as 256MiB")
      ->transform(CLI::Validator(plain_bytes, ""))
      ->capture_default_str();
  add_count(app, "--batch-rows", options.batch_rows, 0, "Rows of a tile, 0: from the budget");
  add_count(app, "--batch-centroids", options.batch_centroids, 0, "Centroids of a tile, 0: from the budget");
  app.option_defaults()->group("Options");
}

void declare_clusters(CLI::App& app, EngineArguments& engine, const char* what = "Clusters") {
  add_count(app, "-k,--n-clusters", engine.options.n_clusters, 1, what)->each([&engine](const std::string&) {
    engine.k_given = true;
  });
}

void declare_fit_options(CLI::App& app, EngineArguments& engine) {
  lloyd::Options& options = engine.options;
  app.option_defaults()->group("Clustering");
  add_count(app, "--seed", options.seed, 0, "Equal seeds give equal results");
  add_choice(app, "--init", options.init, inits, "How to find starting centroids");
  add_count(app, "--n-init", options.n_init, 1, "Starts tried, of which the best is kept");
  add_count(app, "--max-iter", options.max_iter, 0, "Iterations at most");
  add_number(
      app, "--tol", options.tol,
      "Stop once the centroids' squared shift is at most so many times the mean variance of the columns; 0: once "
      "no label changes");
  add_count(app, "--init-size", options.init_size, 0, "Find starting centroids from so many rows, 0: from all");
  add_count(app, "--n-local-trials", options.n_local_trials, 0,
            "Candidates a step of k-means++, 0: 2 + floor(ln k), 1: plain k-means++");
  add_count(app, "--init-rounds", options.init_rounds, 0,
            "Rounds of scalable-k-means++, 0: 5, or fewer if one gains less than 10 %");
  add_number(app, "--oversampling-factor", options.oversampling_factor,
             "Candidates of a round of scalable-k-means++, in multiples of k");
  add_choice(app, "--empty-clusters", options.empty_clusters, empties,
             "An empty cluster takes the row farthest from its centroid, or keeps its centroid");
  app.option_defaults()->group("Options");
  declare_speed(app, engine);
  app.option_defaults()->group("Speed (the result does not depend on these)");
  add_choice(app, "--update", options.update, updates, "How sums are made");
  app.option_defaults()->group("Options");
}

void declare_outputs(CLI::App& app, FitArguments& arguments) {
  add_path(app, "--start", arguments.start,
           "Start from these centroids, in the units of the rows: a .npz of --model, .npy, .fvecs, .csv or .tsv");
  add_path(app, "--model", arguments.model, "Write what predict needs here (.npz)");
  add_path(app, "--centroids", arguments.centroids, "Write the centroids here (.csv, .tsv, .npy or .fvecs)");
  add_path(app, "--labels", arguments.labels, "Write the cluster of each row here (.csv, .tsv or .npy)");
  app.add_flag("--json", arguments.json, "Print the result as one line of JSON");
}

void declare(CLI::App& app, FitArguments& arguments) {
  declare_rows(app, arguments.rows);
  declare_clusters(app, arguments.engine);
  declare_weights(app, arguments.rows);
  declare_standardize(app, arguments.standardize);
  declare_outputs(app, arguments);
  declare_fit_options(app, arguments.engine);
}

void declare(CLI::App& app, PredictArguments& arguments) {
  add_path(app, "model", arguments.model,
           "The centroids: a .npz that fit --model wrote, or centroids as .npy, .fvecs, .csv or .tsv")
      ->required();
  declare_rows(app, arguments.rows);
  declare_weights(app, arguments.rows);
  add_path(app, "--labels", arguments.labels,
           "Write the number of the nearest centroid of each row here (.csv, .tsv or .npy)");
  add_path(app, "--distances", arguments.distances,
           "Write the distance of each row to it here (.csv, .tsv or .npy), of standardised rows if the model is");
  app.add_flag("--json", arguments.json, "Print the result as one line of JSON");
  declare_speed(app, arguments.engine);
  app.add_flag_callback(
      "--no-check-finite", [&arguments] { arguments.engine.options.check_finite = false; },
      "Do not look for NaN and infinity in the rows first; such a row has no meaningful label");
}

void declare(CLI::App& app, SweepArguments& arguments) {
  declare_rows(app, arguments.rows);
  declare_weights(app, arguments.rows);
  declare_standardize(app, arguments.standardize);
  app.add_option_function<std::string>(
         "-k,--n-clusters",
         [&arguments](const std::string& list) {
           const auto ranges = parse_ranges(list);
           if (!ranges) refuse("-k/--n-clusters: \"", list, "\", expected numbers of clusters, such as 2-10,15");
           arguments.ks = *ranges;
           arguments.engine.k_given = true;
         },
         "The numbers of clusters to try")
      ->default_str("2-10");
  app.add_option(
         "--silhouette", arguments.silhouette.kind,
         "Exact, which takes n^2 / 2 distances, or by distances to centroids; automatic: exact up to 10,000 rows")
      ->check(CLI::IsMember({"automatic", "exact", "simplified", "none"}))
      ->capture_default_str();
  add_count(app, "--sample-size", arguments.silhouette.sample_size, 0,
            "Compute an exact silhouette of so many rows, drawn uniformly, 0: of all");
  add_path(app, "--table", arguments.table, "Write the table here (.csv or .tsv)");
  add_path(app, "--figure", arguments.figures,
           "Draw inertia and silhouette by k here (.svg or .png; may be given twice); needs matplotlib");
  add_path(app, "--python", arguments.python,
           "The Python 3 that has matplotlib; if not given python3, or else /usr/bin/python3");
  app.add_flag("--json", arguments.json, "Print the result as one line of JSON");
  declare_fit_options(app, arguments.engine);
}

void declare(CLI::App& app, QuantizeArguments& arguments) {
  arguments.engine.options.n_clusters = 16;
  add_path(app, "input", arguments.input, "The picture: a .png, .jpg or .jpeg file")->required();
  add_path(app, "output", arguments.output, "Where to write it in k colours (.png)")->required();
  declare_clusters(app, arguments.engine, "Colours");
  add_path(app, "--start", arguments.start,
           "Start from these colours: red, green and blue from 0 to 255 (.csv, .tsv, .npy or .fvecs)");
  add_path(app, "--centroids", arguments.centroids, "Write the colours, unrounded, here (.csv, .tsv, .npy or .fvecs)");
  app.add_flag("--json", arguments.json, "Print the result as one line of JSON");
  declare_fit_options(app, arguments.engine);
}

std::string version() {
  return std::to_string(LLOYD_VERSION_MAJOR) + "." + std::to_string(LLOYD_VERSION_MINOR) + "." +
         std::to_string(LLOYD_VERSION_PATCH);
}

/// The words with a subcommand before them: `lloyd-cluster rows.csv` is `lloyd-cluster fit rows.csv`.
std::vector<std::string> with_subcommand(std::vector<std::string> words) {
  const std::string commands = "fit, predict, sweep or quantize";
  if (words.empty()) refuse("a subcommand (", commands, ") or a file is required; --help says more");
  const std::string first = words.front();
  constexpr std::array<std::string_view, 7> known = {"fit", "predict", "sweep",    "quantize",
                                                     "-h",  "--help",  "--version"};
  if (std::find(known.begin(), known.end(), first) != known.end()) return words;
  std::error_code missing;
  if (!first.starts_with('-') && first.find_first_of("./") == std::string::npos && !fs::exists(first, missing))
    refuse("\"", first, "\" is no subcommand, expected ", commands);
  words.insert(words.begin(), "fit");
  return words;
}

/// How many letters must be put in, left out or replaced to make one word of another.
std::size_t edits_between(std::string_view from, std::string_view to) {
  std::vector<std::size_t> edits(to.size() + 1);
  std::iota(edits.begin(), edits.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = edits[0]++;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = edits[j + 1];
      edits[j + 1] = (std::min)({replaced, diagonal + 1, edits[j] + 1});
    }
  }
  return edits.back();
}

/// The subcommands that have an option, for a sentence.
std::string owners_of(const std::string& option, const CLI::App& app) {
  std::string owners;
  for (const CLI::App* command : app.get_subcommands({}))
    if (command->get_option_no_throw(option) != nullptr)
      owners += (owners.empty() ? "" : " and ") + command->get_name();
  return owners;
}

/// Names that options have elsewhere.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> elsewhere = {{{"--k", "-k"},
                                                                                     {"--sep", "--separator"},
                                                                                     {"--delimiter", "--separator"},
                                                                                     {"--delim", "--separator"},
                                                                                     {"--scale", "--standardize"},
                                                                                     {"--normalize", "--standardize"},
                                                                                     {"--normalise", "--standardize"},
                                                                                     {"-v", "--version"},
                                                                                     {"-V", "--version"}}};

/// The option that may have been meant by a word that is none; empty: none is like it.
std::string likely_option(const CLI::App& app, const CLI::App& command, const std::string& word) {
  for (const auto& [name, meant] : elsewhere) {
    const std::string option(meant);
    if (word == name && command.get_option_no_throw(option) != nullptr) return option;
    if (word == name && app.get_option_no_throw(option) != nullptr) return "lloyd-cluster " + option;
  }
  std::string likely;
  std::size_t least = (std::min)(std::size_t{3}, word.size() / 2);  // as many edits make another word
  for (const CLI::Option* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) {
      const std::size_t edits = edits_between(word, "--" + name);
      if (edits >= least) continue;
      least = edits;
      likely = "--" + name;
    }
  }
  return likely;
}

/// What is wrong where words are left over: the first of them, and what may have been meant.
std::string on_surplus(const CLI::App& app, const CLI::App& command, std::string word) {
  if (!word.starts_with('-')) {
    return "\"" + word + "\" was not expected" +
           " (a list is written without blanks, a name that has some in quotes, and one file is read at a time)";
  }
  word.resize((std::min)(word.find('='), word.size()));
  const std::string complaint = word + " is no option of " + command.get_name();
  if (const std::string owners = owners_of(word, app); !owners.empty()) return complaint + ", but of " + owners;
  const std::string likely = likely_option(app, command, word);
  return complaint + (likely.empty() ? ", whose --help lists them" : "; did you mean " + likely + "?");
}

/// The complaint of the library that takes the words apart, in our own where it says too little.
std::string explained(const CLI::ParseError& error, const CLI::App& app) {
  const auto commands = app.get_subcommands();
  if (commands.empty()) return error.what();
  const CLI::App& command = *commands.front();
  const auto words = app.remaining(true);
  const bool missing = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError);
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !words.empty())
    return on_surplus(app, command, words.front());
  if (missing)  // --help itself, misspelled, lacks an input
    for (const auto& word : words)
      if (word.starts_with('-')) return on_surplus(app, command, word);
  const std::string what = error.what(), option = what.substr(0, what.find(':'));
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch))
    return option +
           (what.find("At Most") == std::string::npos ? ": its value is missing" : ": it is given more than once");
  if (missing)
    return command.get_name() + ": " + error.what() + "; lloyd-cluster " + command.get_name() + " --help says more";
  return error.what();
}

}  // namespace

std::optional<Command> parse(int argc, char** argv) {
  CLI::App app(
      "Clusters the rows of a table by k-means. `lloyd-cluster rows.csv -k 3` is `lloyd-cluster fit rows.csv -k 3`.",
      "lloyd-cluster");
  app.require_subcommand(1);
  app.footer("`lloyd-cluster fit --help` lists the options of fit, and so for each.");
  app.set_version_flag("--version", "lloyd-cluster " + version());
  FitArguments fit;
  PredictArguments predict;
  SweepArguments sweep;
  QuantizeArguments quantize;
  const auto add = [&app](const char* name, const char* what, auto& arguments) {
    CLI::App* const subcommand = app.add_subcommand(name, what);
    declare(*subcommand, arguments);
    return subcommand;
  };
  const auto* const fits = add("fit", "Finds clusters and shows them; writes centroids, labels and a model", fit);
  const auto* const predicts = add("predict", "Says which cluster of a model each row belongs to", predict);
  const auto* const sweeps = add("sweep", "Compares numbers of clusters in a table and a figure", sweep);
  add("quantize", "Reduces a picture to k colours", quantize);
  try {
    auto words = with_subcommand({argv + 1, argv + argc});
    std::reverse(words.begin(), words.end());  // as the library takes them
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) refuse(explained(error, app));
    app.exit(error);  // prints what was asked for
    if (!std::cout.flush()) refuse("standard output cannot be written: ", lloyd::detail::error_text(errno));
    return std::nullopt;
  }
  if (fits->parsed()) return fit;
  if (predicts->parsed()) return predict;
  if (sweeps->parsed()) return sweep;
  return quantize;
}

}  // namespace program
