// SPDX-License-Identifier: MIT
/// @file
/// Centroids made ready for assigning rows: equal ones found by a hash table, shifted, scaled, with the terms of the
/// bound. Nothing comes back to the host.
#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include "lloyd/cuda/bound.cuh"
#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/cuda/sums.cuh"
#include "lloyd/kmeans/batching.hpp"
#include "lloyd/kmeans/rounding.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/options.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// Centroids for the filter in F, on the device. Of equal ones the lowest stands for all: the others have an infinite
/// half, so that no row finds them.
template <Real F>
struct FilterCentroids {
  F* values;                 ///< k x d: c'
  F *half, *slope, *offset;  ///< k: ||c'||^2 / 2 and the terms of its bound
  std::uint64_t* largest;    ///< 1: the pattern of the largest |c_jq - o_q|
  Label* lowest;             ///< k: the lowest centroid that equals it
};

/// What a hash table of centroids needs.
struct EqualTable {
  unsigned* slots;    ///< the lowest centroid of a group, or `empty`
  unsigned* slot_of;  ///< k
  unsigned mask;      ///< slots less one

  static constexpr unsigned empty = 0xFFFFFFFFU;
};

/// Centroids ready for assigning rows of T.
template <Real T, class Bound = Sound>
struct Prepared {
  MatrixView<const T, Device> c;  ///< k x d, as given
  std::span<const T> o;           ///< d, near them
  FilterCentroids<T> filter;
  BoundTerms terms;
  detail::Batching batching;
  CentroidUpdate update;
  Scratch scratch;  ///< where all of it lies
};

/// The power of two that brings the largest |c_jq - o_q| to 1/2 .. 1; as a number of F, and so that its square times
/// the smallest D is a normal double.
template <Real F>
[[nodiscard]] __device__ double scale_of(const std::uint64_t* largest) {
  constexpr int most = std::is_same_v<F, float> ? 126 : 490, least = std::is_same_v<F, float> ? 126 : 1000;
  const double value = __longlong_as_double(static_cast<long long>(*largest));
  if (!(value > 0)) return 1;
  const int exponent = -detail::exponent_of(value) - 1;
  return detail::power_of_two(exponent < -least ? -least : exponent > most ? most : exponent);
}

/// A hash of a row's values, whatever the order of its parts, under which -0 and 0 are one; by the eight threads of it.
template <Real T>
[[nodiscard]] __device__ std::uint64_t row_hash(const T* row, Index d) {
  std::uint64_t hash = 0;
  for (Index q = row_lane(); q < d; q += row_threads) {
    auto part = static_cast<std::uint64_t>(__double_as_longlong(static_cast<double>(row[q]) + 0.0));
    part = (part ^ static_cast<std::uint64_t>(q) * 0x9E3779B97F4A7C15U) * 0xD6E8FEB86659FD93U;
    hash += (part ^ part >> 32) * 0xD6E8FEB86659FD93U;
  }
  for (int step = 1; step < row_threads; step *= 2) hash += __shfl_xor_sync(row_mask(), hash, step);
  return hash ^ hash >> 29;
}
/// Whether two rows are equal; by eight threads.
template <Real T>
[[nodiscard]] __device__ bool rows_equal(const T* a, const T* b, Index d) {
  bool equal = true;
  for (Index q = row_lane(); q < d; q += row_threads) equal = equal && a[q] == b[q];
  return __all_sync(row_mask(), equal ? 1 : 0) != 0;
}

/// Enters centroids into the table, equal ones at one slot, which ends with the lowest; raises the largest |c - o|.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    merge_equal_kernel(Gate gate, MatrixView<const T, Device> c, const T* o, EqualTable table, std::uint64_t* largest) {
  if (gate.closed()) return;
  double most = 0;
  for (Index j = first_row(); j < c.rows(); j += row_step()) {
    const T* row = c.row(j);
    for (Index q = row_lane(); q < c.cols(); q += row_threads) {
      const double size = fabs(__dsub_rn(static_cast<double>(row[q]), static_cast<double>(o[q])));
      most = size > most ? size : most;
    }
    const auto own = static_cast<unsigned>(j);
    for (auto slot = static_cast<unsigned>(row_hash(row, c.cols())) & table.mask;; slot = (slot + 1) & table.mask) {
      unsigned there = EqualTable::empty;
      if (row_lane() == 0) there = atomicCAS(table.slots + slot, EqualTable::empty, own);
      there = __shfl_sync(row_mask(), there, 0, row_threads);
      if (there != EqualTable::empty && !rows_equal(row, c.row(there), c.cols())) continue;
      if (row_lane() == 0 && there != EqualTable::empty) atomicMin(table.slots + slot, own);
      if (row_lane() == 0) table.slot_of[j] = slot;
      break;
    }
  }
  if (most > 0) raise(largest, static_cast<std::uint64_t>(__double_as_longlong(most)));
}

/// c' = scale (c - o), and what is known of it.
template <Real T>
__global__ void __launch_bounds__(block_threads)
    lay_out_kernel(Gate gate, MatrixView<const T, Device> c, const T* o, EqualTable table, FilterCentroids<T> to,
                   BoundTerms terms) {
  if (gate.closed()) return;
  const double scale = scale_of<T>(to.largest);
  const Index d = c.cols();
  for (Index j = first_row(); j < c.rows(); j += row_step()) {
    double lane = 0;
    for (Index q = row_lane(); q < d; q += row_threads) {
      const double value = __dsub_rn(static_cast<double>(c(j, q)), static_cast<double>(o[q])) * scale;
      to.values[j * d + q] = static_cast<T>(value);
      lane = __fma_rn(value, value, lane);
    }
    const double square = sum_over_row(lane);
    if (row_lane() != 0) continue;
    const auto lowest = static_cast<Label>(table.slots[table.slot_of[j]]);
    const double raised = square * (1 + terms.of_d + 0x1p-50), norm = sqrt(raised) * (1 + 0x1p-50);
    to.lowest[j] = lowest;
    to.half[j] = lowest == j ? static_cast<T>(square / 2) : static_cast<T>(INFINITY);
    to.slope[j] = static_cast<T>(terms.slope(norm));
    to.offset[j] = static_cast<T>(terms.offset(raised));
  }
}

/// Slots of a hash table for k centroids.
[[nodiscard]] inline Index slots_of(Index k) {
  return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(2 * k)));
}

/// The scratch that prepare() takes.
template <Real T>
[[nodiscard]] std::size_t bytes_of_prepared(Index k, Index d) {
  const auto bytes = [](Index n, std::size_t size) { return Arena::padded(static_cast<std::size_t>(n) * size); };
  return bytes(k * d, sizeof(T)) + 3 * bytes(k, sizeof(T)) + 2 * bytes(k, sizeof(Label)) +
         bytes(slots_of(k), sizeof(unsigned)) + bytes(1, sizeof(std::uint64_t));
}

template <Real T, class Bound = Sound>
[[nodiscard]] Prepared<T, Bound> prepare(Engine& engine, MatrixView<const T, Device> c, std::span<const T> o,
                                         const detail::Batching& batching, const Options& options) {
  Scratch scratch = engine.scratch();
  const Index k = c.rows(), d = c.cols(), slots = slots_of(k);
  FilterCentroids<T> filter{
      scratch.take<T>(k * d),         scratch.take<T>(k),    scratch.take<T>(k), scratch.take<T>(k),
      scratch.take<std::uint64_t>(1), scratch.take<Label>(k)};
  const EqualTable table{scratch.take<unsigned>(slots), scratch.take<unsigned>(k), static_cast<unsigned>(slots - 1)};
  const BoundTerms terms = bound_terms<T, Bound>(d);
  engine.clear(filter.largest, 1);
  LLOYD_CUDA_CHECK(
      cudaMemsetAsync(table.slots, 0xFF, static_cast<std::size_t>(slots) * sizeof(unsigned), engine.stream()));
  engine.launch_for(k, row_threads, merge_equal_kernel<T>, engine.gate(), c, o.data(), table, filter.largest);
  engine.launch_for(k, row_threads, lay_out_kernel<T>, engine.gate(), c, o.data(), table, filter, terms);
  return {c, o, filter, terms, batching, options.update, std::move(scratch)};
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
