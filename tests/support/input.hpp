// SPDX-License-Identifier: MIT
/// @file
/// What fits are made of in tests.
#pragma once

#include <vector>

#include "lloyd/matrix.hpp"
#include "lloyd/options.hpp"

namespace lloyd::test {

/// What a fit starts from: given centroids, or none to seed.
template <Real T>
struct Input {
  Matrix<T> x;
  std::vector<double> w = {};
  Matrix<T> c = {};

  [[nodiscard]] bool seeded() const { return c.rows() == 0; }
};

/// Every way of seeding.
inline const std::vector<Init> every_init{Init::kmeans_plus_plus, Init::scalable_kmeans_plus_plus, Init::random};

}  // namespace lloyd::test
