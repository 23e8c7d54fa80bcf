// SPDX-License-Identifier: MIT
/// @file
/// What each of two units does with the version that it includes.
#pragma once

#include <lloyd/kmeans.hpp>
#include <lloyd/reference.hpp>

#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

/// Fits two groups on a line, and has an error thrown and caught; prints what it saw.
/// @param bytes  what an Options of the other unit takes
static bool fits_two_groups(const char* unit, std::size_t bytes) {
  const std::vector<double> data = {0, 1, 2, 10, 11, 12};
  const lloyd::MatrixView points(data, 6, 1);
  const auto result = lloyd::KMeans({.n_clusters = 2, .seed = 7}, lloyd::Reference{}).fit(points);

  std::string refusal;
  try {
    (void)lloyd::KMeans({.n_clusters = 7}, lloyd::Reference{}).fit(points);
  } catch (const lloyd::InvalidArgument& error) {
    refusal = error.what();
  }
  std::cout << unit << ": version " << LLOYD_VERSION_MAJOR << '.' << LLOYD_VERSION_MINOR << '.' << LLOYD_VERSION_PATCH
            << ", Options of " << sizeof(lloyd::Options) << " bytes, the other's of " << bytes << ", inertia "
            << result.inertia << ", " << refusal << '\n';
  return result.inertia == 4 && result.labels[0] != result.labels[5] && !refusal.empty();
}
