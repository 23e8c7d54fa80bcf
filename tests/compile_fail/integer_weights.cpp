// SPDX-License-Identifier: MIT
// expect: lloyd: weights must be a VectorView, a span or a vector of float or double
#include <lloyd/kmeans.hpp>
#include <lloyd/reference.hpp>

#include <vector>

#ifdef RIGHT
using Weight = double;
#else
using Weight = int;
#endif

auto f(const lloyd::Matrix<float>& x, const std::vector<Weight>& w) {
  return lloyd::KMeans<lloyd::Reference>({.n_clusters = 2}).fit(x, w);
}
