// SPDX-License-Identifier: MIT
// The model is its centroids: saved as a .npy file, read again (here, or by numpy.load), it gives the same labels. A
// fit that starts from yesterday's centroids is quick.
#include <filesystem>
#include <iostream>
#include <lloyd/lloyd.hpp>
#include <lloyd/npy.hpp>
#include <vector>

int main() {
  std::vector<float> values;
  for (int i = 0; i < 3000; ++i) values.push_back(static_cast<float>(i % 3 * 20 + i * 31 % 17));
  const lloyd::MatrixView points(values, 1000, 3);

  const lloyd::KMeans kmeans({.n_clusters = 5, .seed = 1});
  const auto result = kmeans.fit(points);
  lloyd::write_npy("centroids.npy", result.centroids);  // appears whole or not at all
  lloyd::write_npy("labels.npy", result.labels);

  const auto centroids = lloyd::read_npy<float>("centroids.npy");
  const bool same = centroids == result.centroids && kmeans.predict(centroids, points) == result.labels;
  const auto again = kmeans.fit_from(centroids, points);
  std::cout << std::filesystem::file_size("centroids.npy") << " bytes, " << (same ? "the same labels" : "other labels")
            << "; fitted again in " << again.n_iter << " iterations instead of " << result.n_iter << '\n';

  // A file that holds another type is refused, with the conversion to make.
  try {
    (void)lloyd::read_npy<double>("centroids.npy");
    return 1;
  } catch (const lloyd::BackendError& error) {
    std::cout << error.what() << '\n';
  }
  return same && again.n_iter <= result.n_iter ? 0 : 1;
}
