// SPDX-License-Identifier: MIT
// expect: lloyd: x must be a MatrixView, a Matrix, a row-major Eigen matrix (include lloyd/eigen.hpp) or a source
#include <lloyd/kmeans.hpp>
#include <lloyd/reference.hpp>

#include <vector>

#ifdef RIGHT
using Rows = lloyd::MatrixView<const double>;
#else
using Rows = std::vector<std::vector<double>>;
#endif

auto f(const Rows& x) { return lloyd::KMeans<lloyd::Reference>({.n_clusters = 2}).fit(x); }
