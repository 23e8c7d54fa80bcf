// SPDX-License-Identifier: MIT
// Rows in a GPU's memory for a backend that reads the host's.
// errors: 2
// expect: lloyd: the rows are not in the backend's memory space
#include <lloyd/kmeans.hpp>
#include <lloyd/reference.hpp>

#ifdef RIGHT
using Space = lloyd::Host;
#else
using Space = lloyd::Device;
#endif

auto f(const lloyd::MatrixView<const float, Space>& x) {
  return lloyd::KMeans<lloyd::Reference>({.n_clusters = 2}).fit(x);
}
