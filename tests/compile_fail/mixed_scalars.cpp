// SPDX-License-Identifier: MIT
// expect: lloyd: centroids and rows must have the same scalar type
#include <lloyd/kmeans.hpp>
#include <lloyd/reference.hpp>

#ifdef RIGHT
using Row = float;
#else
using Row = double;
#endif

auto f(const lloyd::Matrix<float>& x, const lloyd::Matrix<Row>& y) {
  lloyd::KMeans<lloyd::Reference> kmeans({.n_clusters = 2});
  const auto result = kmeans.fit(x);
  return kmeans.predict(result.centroids, y);
}
