// SPDX-License-Identifier: MIT
/// @file
/// sum_j D(c'_j, c_j).
#pragma once

#include "lloyd/cpu/lanes.hpp"
#include "lloyd/cpu/parallel.hpp"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

template <Real T>
[[nodiscard]] double converge(MatrixView<const T> next, MatrixView<const T> c, DistanceFunction<T> distance_to,
                              int n_threads) {
  detail::ExactSum shift;
  for_each_batch(
      n_threads, c.rows(), 1024, [] { return detail::ExactSum(); },
      [&](detail::ExactSum& sum, Index begin, Index count) {
        for (Index j = begin; j < begin + count; ++j) sum.add(distance_to(next.row(j), c.row(j), c.cols()));
      },
      [&](const detail::ExactSum& sum) { shift.merge(sum); });
  return shift.value();
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
