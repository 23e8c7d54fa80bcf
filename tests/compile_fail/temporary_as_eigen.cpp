// SPDX-License-Identifier: MIT
// expect: deleted function
// expect: as_eigen
#include <lloyd/eigen.hpp>

lloyd::Matrix<float> centroids();

float f() {
#ifdef RIGHT
  const lloyd::Matrix<float> c = centroids();
  const auto map = lloyd::as_eigen(c);
#else
  const auto map = lloyd::as_eigen(centroids());
#endif
  return map.sum();
}
