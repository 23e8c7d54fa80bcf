// SPDX-License-Identifier: MIT
/// @file
/// Distances to every centroid.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "lloyd/kmeans/memory.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// out_j = sqrt(D_j) over one row; the first minimum stands where D has it, though two D may share a root.
inline void root_of_row(double* row, Index k) {
  const Index nearest = std::min_element(row, row + k) - row;
  const double least = std::sqrt(row[nearest]);
  for (Index j = 0; j < k; ++j) {
    row[j] = std::sqrt(row[j]);
    if (j < nearest && row[j] == least) row[j] = std::nextafter(least, std::numeric_limits<double>::infinity());
  }
}

/// sqrt(D(y_i, c_j)) for every row and centroid: m x k. Rows are taken some thousands at a time, so that they stay in
/// the cache while the centroids pass by; a device is waited for once in some centroids.
template <class B, Real T, class S>
[[nodiscard]] Matrix<double> transform(const B& backend, MatrixView<const T, typename B::Space> c, const S& source) {
  constexpr Index most_rows = 4096, most_centroids = on_host<B> ? 1 : 64;
  Matrix<double> out(source.rows(), c.rows());
  auto labels = make_buffer<Label>(backend, (std::min)(source.rows(), most_rows));
  auto d2 = make_buffer<double>(backend, (std::min)(source.rows(), most_rows) * (std::min)(c.rows(), most_centroids));
  source.for_each_tile([&](const auto& tile) {
    demand_here(backend, tile);
    for (Index begin = 0; begin < tile.x.rows(); begin += most_rows) {
      const Index rows = (std::min)(most_rows, tile.x.rows() - begin);
      const Tile<T, typename B::Space> part{tile.x.slice(begin, rows), tile.w.slice(begin, rows), tile.offset + begin,
                                            tile.global(begin), tile.step};
      const auto own = static_cast<std::size_t>(rows);
      for (Index j = 0; j < c.rows(); j += most_centroids) {
        const Index end = (std::min)(j + most_centroids, c.rows());
        const auto columns = span_of(d2).first(static_cast<std::size_t>(end - j) * own);
        for (Index t = j; t < end; ++t) {
          fill(backend, span_of(labels), static_cast<Label>(t));
          backend.distance(part, c, std::span<const Label>(span_of(labels)).first(own),
                           columns.subspan(static_cast<std::size_t>(t - j) * own, own), nullptr);
        }
        auto found = to_host(backend, columns);
        auto value = found.begin();
        for (Index t = j; t < end; ++t)
          for (Index i = 0; i < rows; ++i) out(tile.offset + begin + i, t) = *value++;
      }
      for (Index i = 0; i < rows; ++i) root_of_row(out.row(tile.offset + begin + i), c.rows());
    }
  });
  return out;
}

}  // namespace lloyd::inline LLOYD_ABI::detail
