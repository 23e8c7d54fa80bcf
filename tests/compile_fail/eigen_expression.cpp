// SPDX-License-Identifier: MIT
// expect: a row-major Eigen matrix (include lloyd/eigen.hpp) or a source (assign an expression to a matrix first)
#include <lloyd/eigen.hpp>
#include <lloyd/kmeans.hpp>
#include <lloyd/reference.hpp>

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

auto f(const Rows& x) {
  const lloyd::KMeans<lloyd::Reference> kmeans({.n_clusters = 2});
#ifdef RIGHT
  const Rows half = 0.5F * x;
  return kmeans.fit(half);
#else
  return kmeans.fit(0.5F * x);
#endif
}
