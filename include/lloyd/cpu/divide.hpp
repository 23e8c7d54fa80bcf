// SPDX-License-Identifier: MIT
/// @file
/// c'_j = S_j / m_j: clusters are shared between threads.
#pragma once

#include <algorithm>

#include "lloyd/cpu/parallel.hpp"
#include "lloyd/cpu/quick_quotient.hpp"
#include "lloyd/kmeans/sums.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

template <Real T>
void divide(const detail::SumsView& sums, const detail::Quanta& quanta, MatrixView<const T> c, MatrixView<T> next,
            int n_threads) {
  constexpr Index values_a_part = 4096;
  const int parts = parts_of(n_threads, c.rows() * c.cols(), values_a_part);
  parallel(parts, [&](int part) {
    const Run run = run_of(c.rows(), part, parts);
    for (Index j = run.begin; j < run.end; ++j) {
      if (sums.occupancy(j) == 0) {
        std::copy_n(c.row(j), c.cols(), next.row(j));
        continue;
      }
      const QuickQuotient<T> mean(sums.weight(quanta, j));
      for (Index q = 0; q < c.cols(); ++q) next(j, q) = mean.of(sums.sum(quanta, j, q));
    }
  });
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
