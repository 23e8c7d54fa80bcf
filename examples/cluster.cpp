// SPDX-License-Identifier: MIT
// lloyd-cluster: clusters the rows of a .csv, .tsv or .npy file and prints what came of it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
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
  std::string init = "k-means++", header = "auto";
  std::optional<std::string> separator, columns, skip_columns;
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

/// Refuses a number below `least`; what is no number is left to the conversion.
CLI::Validator at_least(int least) {
  const auto complaint = [least](const std::string& text) -> std::string {
    double value = least;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value >= least ? "" : text + ", expected at least " + std::to_string(least);
  };
  return {complaint, ""};
}

/// Refuses an integer that no Value holds; the conversion would take the largest for it.
template <class Value>
std::string complaint_of_size(const std::string& text) {
  Value value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string most = std::to_string((std::numeric_limits<Value>::max)());
  return result.ec == std::errc::result_out_of_range ? text + ", expected at most " + most : "";
}

void declare(CLI::App& app, Arguments& arguments) {
  lloyd::Options& options = arguments.options;
  app.add_option("input", arguments.input, "The rows: a .csv, .tsv or .npy file")->required();
  app.add_option("-k,--clusters", options.n_clusters, "Clusters")
      ->check(at_least(1))
      ->check(complaint_of_size<lloyd::Index>)
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Equal seeds give equal results")
      ->check(at_least(0))
      ->check(complaint_of_size<std::uint64_t>)
      ->capture_default_str();
  app.add_option("--init", arguments.init, "How to find starting centroids")
      ->check(one_of(inits))
      ->capture_default_str();
  app.add_option("--n-init", options.n_init, "Starts tried, of which the best is kept")
      ->check(at_least(1))
      ->check(complaint_of_size<lloyd::Index>)
      ->capture_default_str();
  app.add_option("--max-iter", options.max_iter, "Iterations at most")
      ->check(at_least(0))
      ->check(complaint_of_size<lloyd::Index>)
      ->capture_default_str();
  app.add_option("--tol", options.tol, "Stop at this shift of the centroids, 0: when no label changes")
      ->check(at_least(0))
      ->capture_default_str();
  app.add_option("--threads", arguments.threads, "Threads, 0: OpenMP's default")
      ->check(at_least(0))
      ->check(complaint_of_size<int>)
      ->capture_default_str();
  app.add_flag("--standardize", arguments.standardize,
               "Scale every column to mean 0 and deviation 1 first; centroids are given in the units of the file");
  app.add_flag("--double", arguments.use_double, "Read text as double (a .npy file is read as what it holds)");
  app.add_option("--header", arguments.header,
                 "Whether line 1 of a .csv or .tsv holds names; auto: if no field of it is a number")
      ->check(one_of(headers))
      ->capture_default_str();
  app.add_option("--separator", arguments.separator,
                 "One character, or tab; if not given a comma in .csv and a tab in .tsv");
  app.add_option("--columns", arguments.columns, "Read these columns of the .csv or .tsv alone, such as 2-5,8");
  app.add_option("--skip-columns", arguments.skip_columns, "Leave these columns out, such as 1 for one of text");
  app.add_option("--labels", arguments.labels, "Write the cluster of each row here (.csv, .tsv or .npy)");
  app.add_option("--centroids", arguments.centroids, "Write the centroids here (.csv, .tsv or .npy)");
}

[[noreturn]] void refuse(const std::string& message) { throw std::runtime_error(message); }

bool is_npy(const fs::path& path) {
  if (path.extension() == ".npy") return true;
  if (path.extension() == ".csv" || path.extension() == ".tsv") return false;
  refuse("\"" + path.string() + "\" does not end in .csv, .tsv or .npy");
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

/// Tries whether an output can be written, and leaves no trace of it.
void try_output(const fs::path& output, const char* what) {
  std::error_code ignored;
  if (output.empty() || fs::is_other(output, ignored)) return;  // a pipe or a device may be opened but once
  try {
    const lloyd::detail::OutputFile file(output, "write");
  } catch (const lloyd::BackendError& error) {
    const std::string_view message = error.what(), who = "lloyd::write: ";
    refuse(std::string(what) + ": " + std::string(message.substr(who.size())));
  }
}

std::string digits(double value, std::chars_format format, int precision) {
  char text[400];  // the largest double has 309 digits before the point
  return {text, std::to_chars(text, text + sizeof text, value, format, precision).ptr};
}

/// The columns of a list such as 2-5,8.
std::vector<lloyd::CsvColumns> parse_columns(const char* what, const std::optional<std::string>& given) {
  std::vector<lloyd::CsvColumns> ranges;
  const std::string list = given.value_or("");
  const char* at = list.data();
  const char* const last = at + list.size();
  const auto number = [&](lloyd::Index& value) {
    const auto [end, error] = std::from_chars(at, last, value);
    at = end;
    return error == std::errc() && value > 0;
  };
  for (bool more = given.has_value(); more; ++at) {
    lloyd::CsvColumns range;
    bool good = number(range.first);
    range.last = range.first;
    if (good && at != last && *at == '-') {
      ++at;
      good = number(range.last) && range.first <= range.last;
    }
    more = at != last;
    if (!good || (more && *at != ','))
      refuse(std::string(what) + ": \"" + list + "\", expected columns from 1, such as 2-5,8");
    ranges.push_back(range);
  }
  return ranges;
}

char separator_of(const Arguments& arguments, const fs::path& path) {
  if (!arguments.separator) return path.extension() == ".tsv" ? '\t' : ',';
  const std::string& separator = *arguments.separator;
  if (separator != "tab" && separator.size() != 1)
    refuse("--separator is one character or tab, not \"" + separator + "\"");
  return separator == "tab" ? '\t' : separator[0];
}

/// The reader's message with the options of this program.
std::string in_own_words(std::string message) {
  const std::string_view header = "set header to yes";
  if (const auto at = message.find(header); at != std::string::npos) message.replace(at, header.size(), "--header yes");
  if (message.ends_with("expected a number"))
    message += " (--skip-columns leaves a column of text out, --separator says what separates columns)";
  return message;
}

/// Where a value stands in its file.
template <class T>
std::string place(const lloyd::CsvTable<T>& table, lloyd::Index row, lloyd::Index column) {
  if (table.columns.empty()) return "row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1);
  return "line " + std::to_string(row + (table.names.empty() ? 1 : 2)) + ", column " +
         std::to_string(table.columns[static_cast<std::size_t>(column)]);
}

/// Refuses what a fit would refuse, but by its place in the file.
template <class T>
void check_values(const lloyd::CsvTable<T>& table, const std::string& file) {
  for (lloyd::Index i = 0; i < table.values.rows(); ++i) {
    for (lloyd::Index j = 0; j < table.values.cols(); ++j) {
      const auto value = static_cast<double>(table.values(i, j));
      if (std::abs(value) <= 0x1p500) continue;
      refuse(file + ": " + place(table, i, j) + " is " + digits(value, std::chars_format::general, 6) +
             ", expected a finite number" + (std::isfinite(value) ? " within 2^500 of zero" : ""));
    }
  }
}

template <class T>
lloyd::CsvTable<T> read(const Arguments& arguments) {
  const bool npy = is_npy(arguments.input);
  if (npy && (arguments.columns || arguments.skip_columns))
    refuse("--columns and --skip-columns are for .csv and .tsv files");
  try {
    lloyd::CsvTable<T> table;
    if (npy) {
      table.values = lloyd::read_npy<T>(arguments.input);
    } else {
      table = lloyd::read_csv_table<T>(arguments.input,
                                       {.separator = separator_of(arguments, arguments.input),
                                        .header = headers.at(arguments.header),
                                        .columns = parse_columns("--columns", arguments.columns),
                                        .skip_columns = parse_columns("--skip-columns", arguments.skip_columns)});
    }
    check_values(table, arguments.input.string());
    return table;
  } catch (const lloyd::BackendError& error) {
    refuse(in_own_words(error.what()));
  }
}

template <class T>
std::string column_name(const lloyd::CsvTable<T>& table, lloyd::Index column) {
  const auto j = static_cast<std::size_t>(column);
  if (!table.names.empty()) return table.names[j];
  return "x" + std::to_string(table.columns.empty() ? column + 1 : table.columns[j]);
}

/// x = shift + (rest + scale * standardised x), a column; the rest is what shift lacks of the mean.
struct Scaling {
  double shift = 0, rest = 0, scale = 1;
};

/// The mean and the deviation (over n) of a column; a constant one keeps its scale.
template <class T>
Scaling column_scaling(const lloyd::Matrix<T>& x, lloyd::Index column, const std::string& name) {
  const auto n = static_cast<double>(x.rows());
  const auto value = [&](lloyd::Index i) { return static_cast<double>(x(i, column)); };
  bool constant = true;
  lloyd::detail::ExactSum sum, rest, squares;  // a plain sum loses the mean of a column far from zero
  for (lloyd::Index i = 0; i < x.rows(); ++i) {
    constant = constant && value(i) == value(0);
    sum.add(value(i));
  }
  if (constant) return {value(0), 0, 1};
  Scaling scaling{sum.value() / n, 0, 1};
  for (lloyd::Index i = 0; i < x.rows(); ++i) rest.add(value(i) - scaling.shift);
  scaling.rest = rest.value() / n;
  for (lloyd::Index i = 0; i < x.rows(); ++i) {
    const double difference = (value(i) - scaling.shift) - scaling.rest;
    squares.add(difference * difference);
  }
  const double variance = squares.value() / n;
  if (!(variance > 0) || !std::isfinite(variance)) refuse("column " + name + " cannot be standardised in double");
  scaling.scale = std::sqrt(variance);
  return scaling;
}

template <class T>
std::vector<Scaling> standardize(lloyd::CsvTable<T>& table) {
  lloyd::Matrix<T>& x = table.values;
  std::vector<Scaling> scalings;
  for (lloyd::Index j = 0; j < x.cols(); ++j) {
    const auto [shift, rest, scale] = scalings.emplace_back(column_scaling(x, j, column_name(table, j)));
    for (lloyd::Index i = 0; i < x.rows(); ++i)
      x(i, j) = static_cast<T>(((static_cast<double>(x(i, j)) - shift) - rest) / scale);
  }
  return scalings;
}

/// Centroids in the units of the file.
template <class T>
lloyd::Matrix<T> in_original_units(lloyd::Matrix<T> centroids, const std::vector<Scaling>& scalings) {
  for (std::size_t j = 0; j < scalings.size(); ++j) {
    for (lloyd::Index i = 0; i < centroids.rows(); ++i) {
      T& value = centroids(i, static_cast<lloyd::Index>(j));
      value = static_cast<T>(scalings[j].shift + (scalings[j].rest + scalings[j].scale * static_cast<double>(value)));
    }
  }
  return centroids;
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
void print_clusters(const lloyd::Matrix<T>& centroids, const lloyd::CsvTable<T>& table,
                    const std::vector<lloyd::Index>& sizes, const std::vector<double>& inertias, bool standardized) {
  constexpr lloyd::Index shown = 6;
  const lloyd::Index columns = (std::min)(shown, centroids.cols());
  double n = 0;
  for (const lloyd::Index size : sizes) n += static_cast<double>(size);
  std::vector<std::vector<std::string>> rows = {
      {"cluster", "rows", "share %", standardized ? "inertia (standardised)" : "inertia"}};
  for (lloyd::Index j = 0; j < columns; ++j) rows[0].push_back(column_name(table, j));
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

/// Writes both beside their places first, so that a full disk leaves none of them half done.
template <class T>
void write_results(const Arguments& arguments, std::span<const lloyd::Label> labels, const lloyd::Matrix<T>& centroids,
                   const std::vector<std::string>& names) {
  namespace parts = lloyd::detail;
  std::optional<parts::OutputFile> labels_file, centroids_file;
  if (const auto& path = arguments.labels; !path.empty()) {
    auto& file = labels_file.emplace(path, "write");
    is_npy(path) ? parts::write_npy_labels(file, labels) : parts::write_csv_labels(file, labels);
    file.close();
  }
  if (const auto& path = arguments.centroids; !path.empty()) {
    auto& file = centroids_file.emplace(path, "write");
    const char separator = separator_of(arguments, path);
    if (!is_npy(path)) file.write(parts::csv_header(names, centroids.cols(), {.separator = separator}));
    is_npy(path) ? parts::write_npy_rows(file, centroids.view())
                 : parts::write_csv_rows(file, centroids.view(), separator);
    file.close();
  }
  if (labels_file) labels_file->commit();
  if (centroids_file) centroids_file->commit();
}

template <class T>
void cluster(const Arguments& arguments) {
  lloyd::CsvTable<T> table = read<T>(arguments);
  const lloyd::Matrix<T>& x = table.values;
  if (arguments.options.n_clusters > x.rows()) {
    refuse("-k/--clusters: " + std::to_string(arguments.options.n_clusters) + ", expected at most " +
           std::to_string(x.rows()) + " as \"" + arguments.input.string() + "\" has rows");
  }
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

  print_clusters(centroids, table, result.cluster_sizes, inertias, arguments.standardize);
  std::cout << "total inertia " << digits(result.inertia, std::chars_format::general, 9)
            << (arguments.standardize ? " (standardised), " : ", ") << result.n_iter << " iterations, "
            << name_of(result.stop_reason) << ", " << digits(seconds.count(), std::chars_format::fixed, 3) << " s\n";
  if (!std::cout.flush()) refuse("the output cannot be written");
}

void run(Arguments& arguments) {
  arguments.options.init = inits.at(arguments.init);
  check_output(arguments.labels, arguments.input, "--labels");
  check_output(arguments.centroids, arguments.input, "--centroids");
  check_output(arguments.centroids, arguments.labels, "--centroids");
  try_output(arguments.labels, "--labels");
  try_output(arguments.centroids, "--centroids");
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
