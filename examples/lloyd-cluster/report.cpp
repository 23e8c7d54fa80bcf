// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <numeric>

#include "errors.hpp"
#include "format.hpp"
#include "lloyd/io/file.hpp"

namespace program {

using lloyd::Index;

namespace {

/// Each cluster's part of all rows, which count by their weights; NaN where all weights are 0.
std::vector<double> shares_of(const Summary& summary) {
  std::vector<double> shares = summary.weights;
  if (shares.empty()) shares.assign(summary.sizes.begin(), summary.sizes.end());
  const double all = std::reduce(shares.begin(), shares.end());
  for (double& share : shares) share /= all;
  return shares;
}

}  // namespace

Summary summarize(const std::vector<lloyd::Label>& labels, const std::vector<double>& distances,
                  const std::vector<double>& weights, Index k) {
  const auto count = static_cast<std::size_t>(k);
  Summary summary{std::vector<Index>(count), std::vector<double>(weights.empty() ? 0 : count),
                  std::vector<double>(count)};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto cluster = static_cast<std::size_t>(labels[i]);
    const double w = weights.empty() ? 1 : weights[i];
    ++summary.sizes[cluster];
    if (!weights.empty()) summary.weights[cluster] += w;
    summary.inertias[cluster] += w * distances[i];
  }
  return summary;
}

void print_cells(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) widths[j] = (std::max)(widths[j], row[j].size());
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t j = 0; j < row.size(); ++j) {
      const bool is_remark = rows.front()[j].empty();
      line.append(j == 0 ? 0 : 2, ' ').append(is_remark ? 0 : widths[j] - row[j].size(), ' ').append(row[j]);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    std::cout << line << '\n';
  }
}

template <class T>
void print_clusters(const lloyd::Matrix<T>& centroids, const std::vector<std::string>& names, const Summary& summary,
                    bool standardized) {
  constexpr Index most = 6;
  const Index columns = (std::min)(most, centroids.cols());
  const bool weighted = !summary.weights.empty();
  const auto shares = shares_of(summary);
  std::vector<std::vector<std::string>> rows = {{"cluster", "rows"}};
  if (weighted) rows[0].emplace_back("weight");
  rows[0].emplace_back("share %");
  rows[0].emplace_back(standardized ? "inertia (standardised)" : "inertia");
  for (Index j = 0; j < columns; ++j) rows[0].push_back(names[static_cast<std::size_t>(j)]);
  for (Index i = 0; i < centroids.rows(); ++i) {
    const auto cluster = static_cast<std::size_t>(i);
    auto& row = rows.emplace_back();
    row = {std::to_string(i), std::to_string(summary.sizes[cluster])};
    if (weighted) row.push_back(shown(summary.weights[cluster]));
    row.push_back(std::isnan(shares[cluster]) ? "-" : digits(100 * shares[cluster], std::chars_format::fixed, 1));
    row.push_back(shown(summary.inertias[cluster]));
    for (Index j = 0; j < columns; ++j) row.push_back(shown(static_cast<double>(centroids(i, j))));
  }
  print_cells(rows);
  if (columns < centroids.cols())
    std::cout << "(" << columns << " of " << centroids.cols() << " columns shown; --json gives all)\n";
}

template <class T>
void print_clusters(Json& json, const lloyd::Matrix<T>& centroids, const Summary& summary) {
  const auto shares = shares_of(summary);
  json.key("clusters").open('[');
  for (Index i = 0; i < centroids.rows(); ++i) {
    const auto cluster = static_cast<std::size_t>(i);
    json.open('{').member("size", summary.sizes[cluster]).member("share", shares[cluster]);
    if (!summary.weights.empty()) json.member("weight", summary.weights[cluster]);
    json.member("inertia", summary.inertias[cluster]);
    json.member("centroid", std::vector<T>(centroids.row(i), centroids.row(i) + centroids.cols())).close('}');
  }
  json.close(']');
}

void print_end(const std::string& text) {
  std::cout << text << '\n';
  if (std::cout.flush()) return;
  refuse("standard output cannot be written: ", lloyd::detail::error_text(errno),
         "; any files that were asked for are complete");
}

std::string name_of(lloyd::StopReason reason) {
  if (reason == lloyd::StopReason::converged) return "converged";
  return reason == lloyd::StopReason::max_iter ? "stopped at max-iter" : "cancelled";
}

template void print_clusters(const lloyd::Matrix<float>&, const std::vector<std::string>&, const Summary&, bool);
template void print_clusters(const lloyd::Matrix<double>&, const std::vector<std::string>&, const Summary&, bool);
template void print_clusters(Json&, const lloyd::Matrix<float>&, const Summary&);
template void print_clusters(Json&, const lloyd::Matrix<double>&, const Summary&);

}  // namespace program
