// SPDX-License-Identifier: MIT
// The shortest program: six points, two clusters.
#include <iostream>
#include <lloyd/lloyd.hpp>
#include <vector>

int main() {
  const std::vector<float> values = {0, 0, 1, 0, 0, 1, 9, 9, 9, 8, 8, 9};
  const lloyd::MatrixView points(values, 6, 2);  // 6 rows of 2, not copied

  const lloyd::KMeans kmeans({.n_clusters = 2, .seed = 7});
  const auto result = kmeans.fit(points);

  for (lloyd::Index j = 0; j < result.centroids.rows(); ++j)
    std::cout << "cluster " << j << " has " << result.cluster_sizes[static_cast<std::size_t>(j)] << " points about ("
              << result.centroids(j, 0) << ", " << result.centroids(j, 1) << ")\n";
  std::cout << "inertia " << result.inertia << " after " << result.n_iter << " iterations\n";

  const std::vector<float> more = {2, 2, 7, 7};
  const auto labels = kmeans.predict(result.centroids, lloyd::MatrixView(more, 2, 2));
  std::cout << "(2, 2) is of cluster " << labels[0] << ", (7, 7) of cluster " << labels[1] << '\n';
  return labels[0] == result.labels.front() && labels[1] == result.labels.back() ? 0 : 1;
}
