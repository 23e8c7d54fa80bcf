// SPDX-License-Identifier: MIT
// Rows in a GPU's memory for a metric.
// expect: lloyd: a metric takes rows in the host's memory
#include <lloyd/metrics.hpp>

#ifdef RIGHT
using Space = lloyd::Host;
#else
using Space = lloyd::Device;
#endif

double f(const lloyd::MatrixView<const float, Space>& x, const std::vector<lloyd::Label>& labels) {
  return lloyd::silhouette_score(x, labels);
}
