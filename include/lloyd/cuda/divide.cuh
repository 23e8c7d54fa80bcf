// SPDX-License-Identifier: MIT
/// @file
/// c'_j = S_j / m_j: a value to a thread; two doubles decide nearly every rounding.
#pragma once

#include <cuda_runtime.h>

#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/kmeans/sums.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

template <Real T>
__global__ void __launch_bounds__(block_threads)
    divide_kernel(Gate gate, detail::SumsView sums, DeviceQuanta quanta, MatrixView<const T, Device> c,
                  MatrixView<T, Device> next) {
  if (gate.closed()) return;
  const detail::SumsShape& shape = sums.shape();
  for (Index e = first_thing(); e < c.rows() * c.cols(); e += thing_step()) {
    const Index j = e / c.cols(), q = e % c.cols();
    if (sums.occupancy(j) == 0) {
      next(j, q) = c(j, q);
      continue;
    }
    const auto limbs_of = [&](Index column) {
      return detail::LimbSum{sums.cluster(j) + column, shape.columns, shape.limbs, quanta.bits,
                             quanta.exponent[column]};
    };
    const detail::LimbSum weight =
        shape.weighted() ? limbs_of(shape.d) : detail::LimbSum{&sums.cluster_size(j), 1, 1, 0, 0};
    next(j, q) = detail::quotient<T>(limbs_of(q), weight);
  }
}

template <Real T>
void divide(Engine& engine, const detail::SumsView& sums, const detail::Quanta& quanta, MatrixView<const T, Device> c,
            MatrixView<T, Device> next) {
  engine.launch_for(c.rows() * c.cols(), 1, divide_kernel<T>, engine.gate(), sums, engine.quanta(quanta), c, next);
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
