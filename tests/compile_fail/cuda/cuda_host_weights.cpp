// SPDX-License-Identifier: MIT
// Weights of the host for a fit on a device.
// expect: lloyd: the weights must be a VectorView of float or double in the backend's memory space
#include <lloyd/cuda.cuh>

#include <vector>

#ifdef RIGHT
using W = lloyd::VectorView<const float, lloyd::Device>;
#else
using W = std::vector<float>;
#endif

auto f(const lloyd::MatrixView<const float, lloyd::Device>& x, const W& w) {
  return lloyd::KMeans<lloyd::Cuda>({.n_clusters = 2}).fit(x, w);
}
