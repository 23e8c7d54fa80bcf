// SPDX-License-Identifier: MIT
#ifdef WITH_CPU
#include <lloyd/lloyd.hpp>
using Backend = lloyd::Cpu;
#else
#include <lloyd/kmeans.hpp>
#include <lloyd/reference.hpp>
using Backend = lloyd::Reference;
#endif

#include <iostream>
#include <vector>

int main() {
  const std::vector<double> data = {0, 1, 2, 10, 11, 12};
  const lloyd::KMeans kmeans({.n_clusters = 2, .seed = 7}, Backend{});
  const auto result = kmeans.fit(lloyd::MatrixView(data, 6, 1));
  std::cout << "inertia " << result.inertia << '\n';
  return result.inertia == 4 && result.labels[0] != result.labels[5] ? 0 : 1;
}
