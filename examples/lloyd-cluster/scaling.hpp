// SPDX-License-Identifier: MIT
// Columns scaled to mean 0 and deviation 1, and back.
#pragma once

#include <vector>

#include "lloyd/matrix.hpp"
#include "table.hpp"

namespace program {

/// Of each column: standardised x = ((x - mean) - rest) / scale. The rest is what a double lacks of the mean.
struct Scaling {
  std::vector<double> mean, rest, scale;

  [[nodiscard]] bool empty() const { return mean.empty(); }
  [[nodiscard]] bool operator==(const Scaling&) const = default;
};

/// The weighted mean and deviation (over n, not n - 1) of each column; a constant one keeps its scale. Sums are exact,
/// so that neither the order of rows nor the number of threads matters, and a weight is a repetition.
/// @throws std::runtime_error for a column whose deviation double does not hold, and weights that are all 0
template <class T>
[[nodiscard]] Scaling scaling_of(const Table<T>& table, int threads);

/// Rows in units of the file become standardised ones.
template <class T>
void standardize(lloyd::Matrix<T>& x, const Scaling& scaling, int threads);

/// Standardised rows become those in units of the file.
template <class T>
void restore(lloyd::Matrix<T>& x, const Scaling& scaling);

}  // namespace program
