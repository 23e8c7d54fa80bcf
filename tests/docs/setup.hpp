// SPDX-License-Identifier: MIT
/// @file
/// The names that short blocks in README.md and docs/ may use without introducing them.
#pragma once

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "lloyd/lloyd.hpp"

inline constexpr std::int64_t n = 100;  ///< rows
inline constexpr std::int64_t d = 2;    ///< columns

/// n x d values around three places.
inline const std::vector<float> data = [] {
  std::vector<float> values;
  for (int i = 0; i < n; ++i) {
    values.push_back(static_cast<float>(i % 3) * 10 + static_cast<float>(i % 7));
    values.push_back(static_cast<float>(i % 3) * -5 + static_cast<float>(i % 5));
  }
  return values;
}();
inline const lloyd::MatrixView others(data, n / 2, d);
inline const std::vector<double> weights(static_cast<std::size_t>(n), 1.0);
