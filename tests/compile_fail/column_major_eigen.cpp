// SPDX-License-Identifier: MIT
// expect: lloyd: column-major matrices are not supported; pass a row-major one or its transpose's copy
#include <lloyd/eigen.hpp>
#include <lloyd/kmeans.hpp>
#include <lloyd/reference.hpp>

#ifdef RIGHT
using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
#else
using Rows = Eigen::MatrixXf;
#endif

auto f(const Rows& x) { return lloyd::KMeans<lloyd::Reference>({.n_clusters = 2}).fit(x); }
