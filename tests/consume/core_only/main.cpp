// SPDX-License-Identifier: MIT
/// @file
/// The Reference backend and the metrics need nothing but C++20.
#include <lloyd/kmeans.hpp>
#include <lloyd/reference.hpp>
#include <lloyd/sweep.hpp>

#include <vector>

#if defined(EIGEN_WORLD_VERSION) || defined(_OPENMP)
#error "Eigen or OpenMP came in by lloyd::core"
#endif

int main() {
  const std::vector<float> data = {0, 1, 2, 10, 11, 12};
  lloyd::KMeans<lloyd::Reference> kmeans({.n_clusters = 2});
  const lloyd::MatrixView points(data, 6, 1);
  const auto result = kmeans.fit(points);
  return result.inertia == 4 && lloyd::silhouette_score(points, result.labels) > 0.8 ? 0 : 1;
}
