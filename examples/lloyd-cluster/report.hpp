// SPDX-License-Identifier: MIT
// What a clustering came to, as a table for people and as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "format.hpp"
#include "json.hpp"
#include "lloyd/options.hpp"
#include "table.hpp"

namespace program {

[[nodiscard]] std::string name_of(lloyd::StopReason reason);

/// Of each cluster.
struct Summary {
  std::vector<lloyd::Index> sizes;  // rows
  std::vector<double> weights;      // sums of weights; none if rows have none
  std::vector<double> inertias;     // weighted sums of squared distances to the centroid
};

/// Counts and adds what the rows of each of k clusters come to; the distances are squared.
[[nodiscard]] Summary summarize(const std::vector<lloyd::Label>& labels, const std::vector<double>& distances,
                                const std::vector<double>& weights, lloyd::Index k);

/// Prints one line a cluster, with the first columns of its centroid in the units of the file.
template <class T>
void print_clusters(const lloyd::Matrix<T>& centroids, const std::vector<std::string>& names, const Summary& summary,
                    bool standardized);

/// Adds the array of clusters.
template <class T>
void print_clusters(Json& json, const lloyd::Matrix<T>& centroids, const Summary& summary);

/// Adds what came of a fit as a whole: of a lloyd::Clustering.
template <class Clustering>
void print_result(Json& json, const Clustering& result) {
  json.member("inertia", result.inertia)
      .member("iterations", result.n_iter)
      .member("stop", name_of(result.stop_reason));
  json.member("centroid_shift", result.centroid_shift).member("empty_clusters", result.n_empty);
  json.member("rechecked_rows", result.n_rechecked);
}

/// How a fit ended: iterations, why, seconds.
template <class Clustering>
[[nodiscard]] std::string end_of_fit(const Clustering& result, double seconds) {
  return std::to_string(result.n_iter) + (result.n_iter == 1 ? " iteration, " : " iterations, ") +
         name_of(result.stop_reason) + ", " + digits(seconds, std::chars_format::fixed, 3) + " s";
}

/// Prints rows of cells, the headings first: columns right-aligned, but remarks without a heading, two blanks apart.
void print_cells(const std::vector<std::vector<std::string>>& rows);

/// Ends the output, when all files are in place. @throws std::runtime_error if it cannot be written
void print_end(const std::string& text);

}  // namespace program
