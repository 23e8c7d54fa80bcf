// SPDX-License-Identifier: MIT
// Rows of the host for a fit on a device.
// errors: 2
// expect: lloyd: the rows are not in the backend's memory space
#include <lloyd/cuda.cuh>

#ifdef RIGHT
using Space = lloyd::Device;
#else
using Space = lloyd::Host;
#endif

auto f(const lloyd::MatrixView<const float, Space>& x) { return lloyd::KMeans<lloyd::Cuda>({.n_clusters = 2}).fit(x); }
