// SPDX-License-Identifier: MIT
/// @file
/// A user's program: two groups on a line.
#include <lloyd/lloyd.hpp>
#include <lloyd/version.hpp>

#include <iostream>
#include <vector>

int main() {
  const std::vector<double> data = {0, 1, 2, 10, 11, 12};
  lloyd::KMeans kmeans({.n_clusters = 2, .seed = 7});
  const auto result = kmeans.fit(lloyd::MatrixView(data, 6, 1));

  std::cout << "lloyd " << LLOYD_VERSION_MAJOR << '.' << LLOYD_VERSION_MINOR << ", inertia " << result.inertia << '\n';
  return result.inertia == 4 && result.labels[0] != result.labels[5] ? 0 : 1;
}
