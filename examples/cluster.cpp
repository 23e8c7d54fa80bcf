// SPDX-License-Identifier: MIT
// lloyd-cluster: clusters the rows of a .csv or .npy file and prints what came of it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lloyd/csv.hpp"
#include "lloyd/lloyd.hpp"
#include "lloyd/npy.hpp"

namespace {

namespace fs = std::filesystem;

const std::map<std::string, lloyd::Init> inits = {{"k-means++", lloyd::Init::kmeans_plus_plus},
                                                  {"scalable-k-means++", lloyd::Init::scalable_kmeans_plus_plus},
                                                  {"random", lloyd::Init::random}};
const std::map<std::string, lloyd::CsvHeader> headers = {
    {"auto", lloyd::CsvHeader::automatic}, {"yes", lloyd::CsvHeader::yes}, {"no", lloyd::CsvHeader::no}};

struct Arguments {
  fs::path input, labels, centroids;
  std::string init = "k-means++", header = "auto", separator = ",";
  lloyd::Options options;
  int threads = 0;
  bool standardize = false, use_double = false;
};

template <class Names>
CLI::IsMember one_of(const Names& names) {
  std::vector<std::string> keys;
  for (const auto& entry : names) keys.push_back(entry.first);
  return CLI::IsMember(keys);
}

void declare(CLI::App& app, Arguments& arguments) {
  lloyd::Options& options = arguments.options;
  app.add_option("input", arguments.input, "The rows: a .csv or .npy file")->required();
  app.add_option("-k,--clusters", options.n_clusters, "Clusters")->capture_default_str();
  app.add_option("--seed", options.seed, "Equal seeds give equal results")->capture_default_str();
  app.add_option("--init", arguments.init, "How to find starting centroids")
      ->check(one_of(inits))
      ->capture_default_str();
  app.add_option("--n-init", options.n_init, "Starts tried, of which the best is kept")->capture_default_str();
  app.add_option("--max-iter", options.max_iter, "Iterations at most")->capture_default_str();
  app.add_option("--tol", options.tol, "Stop at this shift of the centroids, 0: when no label changes")
      ->capture_default_str();
  app.add_option("--threads", arguments.threads, "Threads, 0: one a core")->capture_default_str();
  app.add_flag("--standardize", arguments.standardize, "Scale every column to mean 0 and deviation 1 first");
  app.add_flag("--double", arguments.use_double, "Read .csv as double (a .npy file is read as what it holds)");
  app.add_option("--header", arguments.header, "Whether line 1 of the .csv holds names")
      ->check(one_of(headers))
      ->capture_default_str();
  app.add_option("--separator", arguments.separator, "Of the .csv: one character, or tab")->capture_default_str();
  app.add_option("--labels", arguments.labels, "Write the cluster of each row here (.csv or .npy)");
  app.add_option("--centroids", arguments.centroids, "Write the centroids here (.csv or .npy)");
}

[[noreturn]] void refuse(const std::string& message) { throw std::runtime_error(message); }

bool is_npy(const fs::path& path) {
  if (path.extension() == ".npy") return true;
  if (path.extension() == ".csv") return false;
  refuse("\"" + path.string() + "\" ends neither in .csv nor in .npy");
}

/// Finds now what would otherwise fail after the fit.
void check_output(const fs::path& output, const fs::path& other, const char* what) {
  if (output.empty()) return;
  static_cast<void>(is_npy(output));
  const fs::path parent = output.has_parent_path() ? output.parent_path() : ".";
  if (!fs::is_directory(parent)) refuse(std::string(what) + ": there is no directory \"" + parent.string() + "\"");
  if (!other.empty() && fs::weakly_canonical(output) == fs::weakly_canonical(other)) {
    refuse(std::string(what) + ": \"" + output.string() + "\" would overwrite \"" + other.string() + "\"");
  }
}

lloyd::CsvOptions csv_options(const Arguments& arguments) {
  const std::string& separator = arguments.separator;
  if (separator != "tab" && separator.size() != 1)
    refuse("--separator is one character or tab, not \"" + separator + "\"");
  return {.separator = separator == "tab" ? '\t' : separator[0], .header = headers.at(arguments.header)};
}

template <class T>
lloyd::CsvTable<T> read(const Arguments& arguments) {
  if (is_npy(arguments.input)) return {lloyd::read_npy<T>(arguments.input), {}};
  return lloyd::read_csv_table<T>(arguments.input, csv_options(arguments));
}

std::string column_name(const std::vector<std::string>& names, lloyd::Index column) {
  return names.empty() ? "x" + std::to_string(column + 1) : names[static_cast<std::size_t>(column)];
}

/// x = shift + scale * standardised x, a column.
struct Scaling {
  double shift = 0, scale = 1;
};

/// The mean and the deviation (over n) of a column; a constant one keeps its scale.
template <class T>
Scaling column_scaling(const lloyd::Matrix<T>& x, lloyd::Index column, const std::string& name) {
  const auto n = static_cast<double>(x.rows());
  bool constant = true;
  double mean = 0, variance = 0;
  for (lloyd::Index i = 0; i < x.rows(); ++i) {
    if (!std::isfinite(x(i, column))) refuse("row " + std::to_string(i) + " of column " + name + " is not finite");
    constant = constant && x(i, column) == x(0, column);
    mean += static_cast<double>(x(i, column)) / n;
  }
  if (constant) return {static_cast<double>(x(0, column)), 1};
  for (lloyd::Index i = 0; i < x.rows(); ++i) {
    const double difference = static_cast<double>(x(i, column)) - mean;
    variance += difference * difference / n;
  }
  if (!(variance > 0) || !std::isfinite(variance)) refuse("column " + name + " cannot be standardised in double");
  return {mean, std::sqrt(variance)};
}

template <class T>
std::vector<Scaling> standardize(lloyd::CsvTable<T>& table) {
  lloyd::Matrix<T>& x = table.values;
  std::vector<Scaling> scalings;
  for (lloyd::Index j = 0; j < x.cols(); ++j) {
    const auto [shift, scale] = scalings.emplace_back(column_scaling(x, j, column_name(table.names, j)));
    for (lloyd::Index i = 0; i < x.rows(); ++i)
      x(i, j) = static_cast<T>((static_cast<double>(x(i, j)) - shift) / scale);
  }
  return scalings;
}

/// Centroids in the units of the file.
template <class T>
lloyd::Matrix<T> in_original_units(lloyd::Matrix<T> centroids, const std::vector<Scaling>& scalings) {
  for (std::size_t j = 0; j < scalings.size(); ++j) {
    for (lloyd::Index i = 0; i < centroids.rows(); ++i) {
      T& value = centroids(i, static_cast<lloyd::Index>(j));
      value = static_cast<T>(scalings[j].shift + scalings[j].scale * static_cast<double>(value));
    }
  }
  return centroids;
}

std::string digits(double value, std::chars_format format, int precision) {
  char text[400];  // the largest double has 309 digits before the point
  return {text, std::to_chars(text, text + sizeof text, value, format, precision).ptr};
}

/// Right-aligned columns, two blanks apart.
void print(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) widths[j] = (std::max)(widths[j], row[j].size());
  }
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      std::cout << (j == 0 ? "" : "  ") << std::setw(static_cast<int>(widths[j])) << row[j];
    }
    std::cout << '\n';
  }
}

/// One line a cluster, with the first columns of its centroid.
template <class T>
void print_clusters(const lloyd::Matrix<T>& centroids, const std::vector<std::string>& names,
                    const std::vector<lloyd::Index>& sizes, const std::vector<double>& inertias) {
  constexpr lloyd::Index shown = 6;
  const lloyd::Index columns = (std::min)(shown, centroids.cols());
  double n = 0;
  for (const lloyd::Index size : sizes) n += static_cast<double>(size);
  std::vector<std::vector<std::string>> rows = {{"cluster", "rows", "share %", "inertia"}};
  for (lloyd::Index j = 0; j < columns; ++j) rows[0].push_back(column_name(names, j));
  for (lloyd::Index i = 0; i < centroids.rows(); ++i) {
    const auto cluster = static_cast<std::size_t>(i);
    auto& row = rows.emplace_back();
    row = {std::to_string(i), std::to_string(sizes[cluster]),
           digits(100 * static_cast<double>(sizes[cluster]) / n, std::chars_format::fixed, 1),
           digits(inertias[cluster], std::chars_format::general, 6)};
    for (lloyd::Index j = 0; j < columns; ++j) {
      row.push_back(digits(static_cast<double>(centroids(i, j)), std::chars_format::general, 6));
    }
  }
  print(rows);
  if (columns < centroids.cols()) std::cout << "(" << columns << " of " << centroids.cols() << " columns shown)\n";
}

std::string name_of(lloyd::StopReason reason) {
  if (reason == lloyd::StopReason::converged) return "converged";
  return reason == lloyd::StopReason::max_iter ? "stopped at max-iter" : "cancelled";
}

template <class T>
void write_results(const Arguments& arguments, std::span<const lloyd::Label> labels, const lloyd::Matrix<T>& centroids,
                   const std::vector<std::string>& names) {
  if (const auto& path = arguments.labels; !path.empty()) {
    is_npy(path) ? lloyd::write_npy(path, labels) : lloyd::write_csv(path, labels);
  }
  if (const auto& path = arguments.centroids; !path.empty()) {
    is_npy(path) ? lloyd::write_npy(path, centroids) : lloyd::write_csv(path, centroids, names, csv_options(arguments));
  }
}

template <class T>
void cluster(const Arguments& arguments) {
  lloyd::CsvTable<T> table = read<T>(arguments);
  const lloyd::Matrix<T>& x = table.values;
  const auto scalings = arguments.standardize ? standardize(table) : std::vector<Scaling>();

  lloyd::KMeans kmeans(arguments.options, lloyd::Cpu{.n_threads = arguments.threads});
  const auto start = std::chrono::steady_clock::now();
  const auto result = kmeans.fit(x);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

  std::vector<double> inertias(result.cluster_sizes.size());
  const auto nearest = kmeans.assign(result.centroids, x);
  for (std::size_t i = 0; i < nearest.labels.size(); ++i) {
    inertias[static_cast<std::size_t>(nearest.labels[i])] += nearest.distances[i];
  }
  const auto centroids = in_original_units(result.centroids, scalings);
  write_results<T>(arguments, result.labels, centroids, table.names);

  print_clusters(centroids, table.names, result.cluster_sizes, inertias);
  std::cout << "inertia " << digits(result.inertia, std::chars_format::general, 9)
            << (arguments.standardize ? " (standardised), " : ", ") << result.n_iter << " iterations, "
            << name_of(result.stop_reason) << ", " << digits(seconds.count(), std::chars_format::fixed, 3) << " s\n";
  if (!std::cout.flush()) refuse("the output cannot be written");
}

void run(Arguments& arguments) {
  arguments.options.init = inits.at(arguments.init);
  check_output(arguments.labels, arguments.input, "--labels");
  check_output(arguments.centroids, arguments.input, "--centroids");
  check_output(arguments.centroids, arguments.labels, "--centroids");
  bool use_double = arguments.use_double;
  if (is_npy(arguments.input)) {
    const bool holds_double = lloyd::npy_scalar(arguments.input) == lloyd::NpyScalar::float64;
    if (use_double && !holds_double) refuse("--double: \"" + arguments.input.string() + "\" holds float32");
    use_double = holds_double;
  }
  use_double ? cluster<double>(arguments) : cluster<float>(arguments);
}

/// One line, whatever the message holds.
int fail(std::string message) {
  std::replace_if(
      message.begin(), message.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  std::cerr << "lloyd-cluster: " << message << '\n';
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Clusters the rows of a table by k-means.", "lloyd-cluster");
  Arguments arguments;
  try {
    declare(app, arguments);
    app.parse(argc, argv);
    run(arguments);
    return 0;
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error) : fail(error.what());
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}
