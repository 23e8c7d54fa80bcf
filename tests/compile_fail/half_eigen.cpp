// SPDX-License-Identifier: MIT
// expect: lloyd: a matrix holds float or double; convert integer, half and other values first
#include <lloyd/eigen.hpp>
#include <lloyd/kmeans.hpp>
#include <lloyd/reference.hpp>

#ifdef RIGHT
using Value = double;
#else
using Value = Eigen::half;
#endif

using Rows = Eigen::Matrix<Value, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

auto f(const Rows& x) { return lloyd::KMeans<lloyd::Reference>({.n_clusters = 2}).fit(x); }
