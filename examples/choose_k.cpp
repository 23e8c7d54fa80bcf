// SPDX-License-Identifier: MIT
// How many clusters? A sweep over k, the elbow of its inertia, and its largest silhouette.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <lloyd/lloyd.hpp>
#include <lloyd/sweep.hpp>
#include <vector>

int main() {
  // Five clouds of 120 points on a circle of radius 10.
  constexpr double x_of[] = {10, 3.09, -8.09, -8.09, 3.09}, y_of[] = {0, 9.51, 5.88, -5.88, -9.51};
  std::vector<float> values;
  for (int i = 0; i < 600; ++i) {
    values.push_back(static_cast<float>(x_of[i % 5] + (i * 37 % 101) / 40.0));
    values.push_back(static_cast<float>(y_of[i % 5] + (i * 53 % 103) / 40.0));
  }
  const lloyd::MatrixView points(values, 600, 2);

  const lloyd::KMeans kmeans({.n_init = 3, .seed = 1});
  const auto runs = lloyd::sweep(kmeans, points, {2, 3, 4, 5, 6, 7, 8, 9});
  std::cout << "  k   inertia  silhouette\n" << std::fixed;
  for (const auto& run : runs)
    std::cout << std::setw(3) << run.n_clusters << std::setw(10) << std::setprecision(0) << run.inertia << std::setw(12)
              << std::setprecision(3) << run.silhouette << '\n';

  const auto& elbow = lloyd::elbow(runs);
  const auto& best = *std::max_element(runs.begin(), runs.end(),
                                       [](const auto& a, const auto& b) { return a.silhouette < b.silhouette; });
  std::cout << "elbow at " << elbow.n_clusters << ", largest silhouette at " << best.n_clusters << '\n';

  // The runs hold their clusterings: nothing is fitted again.
  for (const auto size : best.clustering.cluster_sizes) std::cout << size << ' ';
  std::cout << "rows\n";
  return elbow.n_clusters == 5 && best.n_clusters == 5 ? 0 : 1;
}
