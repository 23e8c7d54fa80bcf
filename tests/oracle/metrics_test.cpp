// SPDX-License-Identifier: MIT
// scikit-learn's metrics, frozen by make_metrics_oracle.py.
#include "lloyd/metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lloyd/csv.hpp"
#include "oracle/data.hpp"

namespace lloyd::test {
namespace {

const std::string data_folder = LLOYD_TEST_DATA;

/// The fields of every line but the first two: the versions that made the file, and the names of the columns.
[[nodiscard]] std::vector<std::vector<std::string>> frozen(const std::string& name) {
  std::ifstream in(data_folder + "/../../tests/oracle/" + name);
  std::vector<std::vector<std::string>> lines;
  std::string line, field;
  std::getline(in, line);
  EXPECT_EQ(line.rfind("# scikit-learn ", 0), 0U) << name;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    lines.emplace_back();
    while (std::getline(fields, field, ',')) lines.back().push_back(field);
  }
  return lines;
}

/// As the script's, value by value.
[[nodiscard]] Matrix<double> flowers(std::uint64_t seed) {
  constexpr double centre[3][4] = {{5, 3.5, 1.5, 0.25}, {6, 2.75, 4.25, 1.25}, {6.5, 3, 5.5, 2}};
  constexpr double width[4] = {0.375, 0.375, 0.375, 0.1875};
  Matrix<double> x(150, 4);
  for (Index i = 0; i < 150; ++i) {
    for (Index q = 0; q < 4; ++q) {
      double sum_of_twelve = -6;
      for (std::uint64_t part = 0; part < 12; ++part) sum_of_twelve += uniform(64 * seed + 2 + part, i * 4 + q);
      const double noise = width[q] * sum_of_twelve;
      x(i, q) = std::floor(10 * (centre[i / 50][q] + noise) + 0.5) / 10;
    }
  }
  return x;
}

[[nodiscard]] std::vector<Label> labels_of(const std::string& kind, const OracleCase& c, const Matrix<double>& x) {
  std::vector<Label> labels;
  if (kind == "classes") {
    std::ifstream in(data_folder + "/wine_classes.csv");
    const auto table = read_csv_table<double>(in, {}).values;
    for (Index i = 0; i < table.rows(); ++i) labels.push_back(static_cast<Label>(table(i, 0)));
    return labels;
  }
  for (Index i = 0; i < c.n; ++i) {
    const auto place = [&](double u) { return static_cast<Index>(u * static_cast<double>(c.k)); };
    const double u = uniform(64 * c.seed + 40, i);
    Index label = place(u * u);
    if (kind == "which") label = c.data == "flowers" ? i / 50 : place(uniform(64 * c.seed + 1, i));
    if (kind == "alone") label = i % 10 == 0 ? 100 + i : i % c.k;
    if (kind == "nearest") {
      const auto to = [&](Index j) { return detail::distance(x.row(i), x.row(j * (c.n / c.k)), c.d); };
      for (Index j = label = 0; j < c.k; ++j)
        if (to(j) < to(label)) label = j;
    }
    labels.push_back(static_cast<Label>(label));
  }
  return labels;
}

/// What metrics are given, and scikit-learn's answers.
struct MetricCase {
  std::string name;
  Matrix<double> x;
  std::vector<Label> labels;
  double silhouette = 0, simplified = 0, calinski_harabasz = 0, davies_bouldin = 0;
  std::vector<double> samples;
};

[[nodiscard]] const std::vector<MetricCase>& metric_cases() {
  static const auto all = [] {
    std::vector<MetricCase> cases;
    for (const auto& field : frozen("metrics.csv")) {
      OracleCase c;
      c.name = field.at(0), c.data = field.at(1), c.n = std::stoll(field.at(2)), c.d = std::stoll(field.at(3));
      c.k = std::stoll(field.at(4)), c.seed = std::stoull(field.at(5)), c.scale = std::stod(field.at(6));
      MetricCase of;
      of.name = c.name;
      of.x = c.data == "flowers" ? flowers(c.seed) : rows_of_case<double>(c, data_folder + "/wine.csv");
      of.labels = labels_of(field.at(7), c, of.x);
      of.silhouette = std::stod(field.at(8)), of.simplified = std::stod(field.at(9));
      of.calinski_harabasz = std::stod(field.at(10)), of.davies_bouldin = std::stod(field.at(11));
      std::istringstream samples(field.at(12));
      for (double s = 0; samples >> s;) of.samples.push_back(s);
      cases.push_back(std::move(of));
    }
    return cases;
  }();
  return all;
}

/// Within 1e-12, relative to values above 1.
void expect_equal(double value, double right, const std::string& what) {
  EXPECT_LE(std::fabs(value - right), 1e-12 * std::max(1.0, std::fabs(right)))
      << what << ": " << value << ", " << right;
}

TEST(MetricOracle, HasItsCases) {
  EXPECT_EQ(metric_cases().size(), 14U);
  EXPECT_EQ(frozen("agreement.csv").size(), 11U);
}

TEST(MetricOracle, Silhouettes) {
  for (const MetricCase& c : metric_cases()) {
    expect_equal(silhouette_score(c.x, c.labels), c.silhouette, c.name);
    const auto samples = silhouette_samples(c.x, c.labels);
    const std::size_t step = std::max(std::size_t{1}, samples.size() / 60);
    ASSERT_GE(c.samples.size(), 50U);
    for (std::size_t i = 0; i < c.samples.size(); ++i)
      expect_equal(samples.at(i * step), c.samples[i], c.name + ", row " + std::to_string(i * step));
  }
}

/// The labels as places of centroids, which are the means of their rows.
TEST(MetricOracle, SimplifiedSilhouettes) {
  for (const MetricCase& c : metric_cases()) {
    const detail::Partition partition(c.labels);
    Matrix<double> means(partition.clusters(), c.x.cols());
    for (std::size_t i = 0; i < c.labels.size(); ++i)
      for (Index q = 0; q < c.x.cols(); ++q) means(partition.number[i], q) += c.x(static_cast<Index>(i), q);
    for (Index j = 0; j < means.rows(); ++j)
      for (Index q = 0; q < means.cols(); ++q)
        means(j, q) /= static_cast<double>(partition.sizes[static_cast<std::size_t>(j)]);
    expect_equal(simplified_silhouette(c.x, means, partition.number), c.simplified, c.name);
  }
}

TEST(MetricOracle, Dispersion) {
  for (const MetricCase& c : metric_cases()) {
    expect_equal(calinski_harabasz_score(c.x, c.labels), c.calinski_harabasz, c.name);
    expect_equal(davies_bouldin_score(c.x, c.labels), c.davies_bouldin, c.name);
  }
}

/// A pair of labellings as the script's.
[[nodiscard]] std::pair<std::vector<Label>, std::vector<Label>> pair_of(const std::vector<std::string>& field) {
  const Index n = std::stoll(field.at(1)), k = std::stoll(field.at(2)), m = std::stoll(field.at(3));
  const std::uint64_t seed = std::stoull(field.at(4));
  const std::string& how = field.at(5);
  std::pair<std::vector<Label>, std::vector<Label>> pair;
  for (Index i = 0; i < n; ++i) {
    const double u = uniform(64 * seed, i), v = uniform(64 * seed + 1, i), w = uniform(64 * seed + 2, i);
    auto reference = static_cast<Index>(u * u * static_cast<double>(k));
    auto label = static_cast<Index>(v * static_cast<double>(m));
    if (how == "noisy" && w < 0.7) label = (reference * 7 + 3) % m;
    if (how == "renamed") label = (reference * 5 + 2) % k * 10 - 3;
    if (how == "alone") label = i - 5;
    if (how == "rare") reference = u < 0x1p-14 ? 1 : 0, label = u < 0x1p-13 ? 1 : 0;
    pair.first.push_back(static_cast<Label>(reference));
    pair.second.push_back(static_cast<Label>(label));
  }
  return pair;
}

TEST(MetricOracle, Agreement) {
  for (const auto& field : frozen("agreement.csv")) {
    const auto [reference, labels] = pair_of(field);
    expect_equal(adjusted_rand_score(reference, labels), std::stod(field.at(6)), field.at(0));
    expect_equal(normalized_mutual_info_score(reference, labels), std::stod(field.at(7)), field.at(0));
    EXPECT_EQ(match_labels(reference, labels).n_equal, std::stoll(field.at(8))) << field.at(0);
  }
}

}  // namespace
}  // namespace lloyd::test
