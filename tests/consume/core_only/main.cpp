// SPDX-License-Identifier: MIT
/// @file
/// The Reference backend needs nothing but C++20.
#include <lloyd/kmeans.hpp>
#include <lloyd/reference.hpp>

#include <vector>

#if defined(EIGEN_WORLD_VERSION) || defined(_OPENMP)
#error "Eigen or OpenMP came in by lloyd::core"
#endif

int main() {
  const std::vector<float> data = {0, 1, 2, 10, 11, 12};
  lloyd::KMeans<lloyd::Reference> kmeans({.n_clusters = 2});
  const auto result = kmeans.fit(lloyd::MatrixView(data, 6, 1));
  return result.inertia == 4 ? 0 : 1;
}
