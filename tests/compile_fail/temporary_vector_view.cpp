// SPDX-License-Identifier: MIT
// expect: deleted
// expect: VectorView
#include <lloyd/matrix.hpp>

#include <vector>

double f() {
#ifdef RIGHT
  const std::vector<double> values{0, 1, 2, 3};
  const lloyd::VectorView w(values);
#else
  const lloyd::VectorView w(std::vector<double>{0, 1, 2, 3});
#endif
  return w[3];
}
