// SPDX-License-Identifier: MIT
// A weight is a repetition: a row of weight 3 is three rows, to the last bit. A row of weight 0 is labelled, and moves
// nothing.
#include <iostream>
#include <lloyd/lloyd.hpp>
#include <vector>

int main() {
  // Prices at which something was sold, and how often; the last is a price that was asked and never paid.
  const std::vector<double> prices = {1.0, 1.25, 2.0, 8.5, 9.0, 40.0};
  const std::vector<float> times = {3, 1, 2, 4, 1, 0};
  const lloyd::KMeans kmeans({.n_clusters = 2, .tol = 0});
  const auto weighted = kmeans.fit(lloyd::MatrixView(prices, prices.size(), 1), times);

  std::vector<double> each;
  for (std::size_t i = 0; i < prices.size(); ++i)
    for (float sold = 0; sold < times[i]; ++sold) each.push_back(prices[i]);
  const lloyd::Matrix<double>& start = weighted.centroids;
  const auto repeated = kmeans.fit_from(start, lloyd::MatrixView(each, each.size(), 1));

  for (std::size_t j = 0; j < 2; ++j)
    std::cout << weighted.cluster_weights[j] << " sales about " << weighted.centroids(static_cast<lloyd::Index>(j), 0)
              << ", of " << weighted.cluster_sizes[j] << " prices\n";
  std::cout << "inertia " << weighted.inertia << ", of single sales " << repeated.inertia << '\n';
  return weighted.centroids == repeated.centroids && weighted.inertia == repeated.inertia ? 0 : 1;
}
