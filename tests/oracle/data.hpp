// SPDX-License-Identifier: MIT
/// @file
/// The cases of results.csv, and their rows and weights as make_oracle.py made them, value by value.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "lloyd/csv.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::test {

/// A line of results.csv.
struct OracleCase {
  std::string name, data, weights;
  Index n = 0, d = 0, k = 0;
  std::uint64_t seed = 0;
  double scale = 0;
  Index n_iter = 0;
  double inertia = 0;
  std::uint64_t labels = 0;  // a hash
  std::vector<Index> sizes;
};

[[nodiscard]] inline std::vector<OracleCase> read_cases(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::vector<OracleCase> cases;
  std::string line;
  std::getline(in, line);  // names of the columns
  while (std::getline(in, line)) {
    std::array<std::string, 12> field;
    std::istringstream fields(line);
    for (auto& one : field) std::getline(fields, one, ',');
    OracleCase c;
    c.name = field[0], c.data = field[1], c.weights = field[7];
    c.n = std::stoll(field[2]), c.d = std::stoll(field[3]), c.k = std::stoll(field[4]);
    c.seed = std::stoull(field[5]), c.scale = std::stod(field[6]);
    c.n_iter = std::stoll(field[8]), c.inertia = std::stod(field[9]), c.labels = std::stoull(field[10], nullptr, 16);
    std::istringstream sizes(field[11]);
    for (Index size = 0; sizes >> size;) c.sizes.push_back(size);
    cases.push_back(std::move(c));
  }
  return cases;
}

/// Double i of a stream: SplitMix64 of 2^40 stream + i.
[[nodiscard]] inline double uniform(std::uint64_t stream, Index i) {
  std::uint64_t z = ((stream << 40) + static_cast<std::uint64_t>(i)) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

[[nodiscard]] inline double blob_value(const OracleCase& c, Index i, Index q) {
  const auto which = static_cast<Index>(uniform(64 * c.seed + 1, i) * static_cast<double>(c.k));
  double sum_of_twelve = -6;
  for (std::uint64_t part = 0; part < 12; ++part) sum_of_twelve += uniform(64 * c.seed + 2 + part, i * c.d + q);
  const double centre = 12.0 * uniform(64 * c.seed, which * c.d + q), noise = c.scale * sum_of_twelve;
  return centre + noise;
}

/// The table of wines, each column less its mean and divided by its deviation if `standardised`.
[[nodiscard]] inline Matrix<double> wine(const std::string& path, bool standardised) {
  std::ifstream in(path);
  Matrix<double> x = read_csv_table<double>(in, {}).values;
  const auto n = static_cast<double>(x.rows());
  for (Index q = 0; q < x.cols() && standardised; ++q) {
    double mean = 0, variance = 0;
    for (Index i = 0; i < x.rows(); ++i) mean += x(i, q) / n;
    for (Index i = 0; i < x.rows(); ++i) variance += (x(i, q) - mean) * (x(i, q) - mean) / n;
    for (Index i = 0; i < x.rows(); ++i) x(i, q) = (x(i, q) - mean) / std::sqrt(variance);
  }
  return x;
}

/// The rows of a case, rounded to float32 whatever T is.
template <Real T>
[[nodiscard]] Matrix<T> rows_of_case(const OracleCase& c, const std::string& wine_path) {
  const bool from_file = c.data.substr(0, 4) == "wine";
  const Matrix<double> table = from_file ? wine(wine_path, c.data == "wine_standardised") : Matrix<double>(0, 0);
  Matrix<T> x(c.n, c.d);
  for (Index i = 0; i < c.n; ++i) {
    double ten = 1;
    for (Index q = 0; q < c.d; ++q, ten *= 10) {
      double value = 0;
      if (from_file) value = table(i, q);
      if (c.data == "blobs") value = blob_value(c, i, q);
      const double u = uniform(64 * c.seed, i * c.d + q);
      if (c.data == "uniform") value = u + c.scale;
      if (c.data == "skewed") value = (u * u) * (u * u) * ten;
      x(i, q) = static_cast<T>(static_cast<float>(value));
    }
  }
  return x;
}

[[nodiscard]] inline std::vector<double> weights_of_case(const OracleCase& c) {
  std::vector<double> w;
  for (Index i = 0; i < c.n && c.weights != "none"; ++i) {
    const double u = uniform(64 * c.seed + 63, i);
    w.push_back(c.weights == "zeros" && u < 0.25 ? 0 : u);
  }
  return w;
}

/// Labels with clusters numbered by their first rows, which matches two clusterings whatever their numbers.
[[nodiscard]] inline std::vector<Label> canonical(const std::vector<Label>& labels, Index k) {
  std::vector<Label> number(static_cast<std::size_t>(k), -1), result;
  Label next = 0;
  for (const Label label : labels) {
    Label& own = number[static_cast<std::size_t>(label)];
    if (own < 0) own = next++;
    result.push_back(own);
  }
  return result;
}

/// FNV-1a of one byte a label.
[[nodiscard]] inline std::uint64_t fnv(const std::vector<Label>& labels) {
  std::uint64_t value = 0xCBF29CE484222325U;
  for (const Label label : labels) value = (value ^ static_cast<std::uint64_t>(label)) * 0x100000001B3U;
  return value;
}

}  // namespace lloyd::test
