// SPDX-License-Identifier: MIT
// Columns scaled to mean 0 and deviation 1, and back.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "lloyd/matrix.hpp"
#include "table.hpp"

namespace program {

/// The least and the largest value of a column, of rows that have weight.
struct Extent {
  double least = std::numeric_limits<double>::infinity(), most = -least;

  void include(double low, double high) {
    least = low < least ? low : least;
    most = high > most ? high : most;
  }
};

/// That of each column. Reads the rows once.
template <class T>
[[nodiscard]] std::vector<Extent> extents(const Table<T>& table, int threads);

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

/// A value that becomes one that no fit takes.
struct OutOfRange {
  lloyd::Index row, column;
  double value, standardized;
};

/// Rows in units of the file become standardised ones. @return the first value that is lost by that
template <class T>
std::optional<OutOfRange> standardize(lloyd::Matrix<T>& x, const Scaling& scaling, int threads);

/// The same of a table. @throws std::runtime_error with the place of a value that is lost, unless `checked` is off
template <class T>
void standardize(Table<T>& table, const fs::path& file, const Scaling& scaling, int threads, bool checked = true);

/// Standardised rows become those in units of the file.
template <class T>
void restore(lloyd::Matrix<T>& x, const Scaling& scaling);

}  // namespace program
