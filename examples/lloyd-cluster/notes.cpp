// SPDX-License-Identifier: MIT
#include "precision.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <string>
#include <type_traits>

#include "format.hpp"
#include "scaling.hpp"

namespace program {
namespace {

using lloyd::Index;

/// Whether all values of a column are whole numbers.
template <class T>
bool is_whole(const lloyd::Matrix<T>& x, Index column) {
  for (Index i = 0; i < x.rows(); ++i)
    if (x(i, column) != std::trunc(x(i, column))) return false;
  return true;
}

std::string ten_digits(double value) { return digits(value, std::chars_format::general, 10); }

}  // namespace

template <class T>
void say_too_fine(const Table<T>& table, const RowsArguments& rows, int threads) {
  if (std::is_same_v<T, double> || !is_text(format_of_rows(rows.path))) return;
  const auto columns = extents(table, threads);
  for (Index j = 0; j < table.x.cols(); ++j) {
    const auto [least, most] = columns[static_cast<std::size_t>(j)];
    const auto largest = static_cast<T>((std::max)(std::abs(least), std::abs(most)));
    const double step = std::nextafter(largest, std::numeric_limits<T>::infinity()) - largest;
    if (!(most - least < 1000 * step)) continue;
    if (step < 1 && (least == most || is_whole(table.x, j))) continue;  // float holds them exactly
    std::cerr << "lloyd-cluster: " << rows.path.string() << ": column " << column_name(table, j) << " goes from "
              << ten_digits(least) << " to " << ten_digits(most) << ", where float takes steps of " << shown(step)
              << "; --double keeps its digits\n";
  }
}

template void say_too_fine(const Table<float>& table, const RowsArguments& rows, int threads);
template void say_too_fine(const Table<double>& table, const RowsArguments& rows, int threads);

}  // namespace program
