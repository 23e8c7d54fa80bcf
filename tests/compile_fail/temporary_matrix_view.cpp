// SPDX-License-Identifier: MIT
// expect: deleted
// expect: MatrixView
#include <lloyd/matrix.hpp>

#include <vector>

float f() {
#ifdef RIGHT
  const std::vector<float> values{0, 1, 2, 3};
  const lloyd::MatrixView x(values, 2, 2);
#else
  const lloyd::MatrixView x(std::vector<float>{0, 1, 2, 3}, 2, 2);
#endif
  return x(1, 1);
}
