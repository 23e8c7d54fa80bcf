// SPDX-License-Identifier: MIT
/// @file
/// The contract between the algorithm and a backend: a table of primitives, one a line, its formula beside it.
///
/// Symbols: x n x d rows of a tile, w their weights, c k x d centroids, l labels, d2 squared distances D, S sums of
/// clusters (exact integers), phi exact sums of one term a row. All primitives *add* to S, phi, g, M and m and never
/// clear them, so tiles, threads and ranks are one idea; a null phi is not wanted. `assign` returns the
/// number of rows that its filter could not certify; `assign_accumulate` adds it to S, with that of the rows moved and
/// of the centroids that no row was compared with, by bounds kept from the pass before.
/// Where `lower` and `gain` are given seeds s, d2_i = D(x_i, s_{l_i}) for all rows: a backend may skip rows by that.
/// Beside the table a backend may note, in `gain`, the rows that candidates improve, so that the chosen one's `lower`
/// reads no row: see Notes in kmeans/seed_plus_plus.hpp, and Cpu.
/// Labels, d2 and every sum are the same bits on every backend. To write a backend, start from lloyd/reference.hpp;
/// KMeans<Yours> checks it against this table.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "lloyd/kmeans/batching.hpp"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/kmeans/mass.hpp"
#include "lloyd/kmeans/quanta.hpp"
#include "lloyd/kmeans/row_state.hpp"
#include "lloyd/kmeans/sums.hpp"
#include "lloyd/kmeans/survey.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI {

namespace detail {

/// What one call of a primitive works on: what the concept below names.
template <Real T, class B>
struct Operands {
  Tile<T, typename B::Space> tile;
  MatrixView<const T, typename B::Space> c;
  MatrixView<T, typename B::Space> next;
  std::span<const T> o;
  typename B::template Prepared<T> prepared;
  std::span<Label> labels;
  RowState state;
  std::span<const Label> old_labels;
  std::span<double> d2;
  std::span<const double> old_d2;
  Quanta quanta;
  SumsView sums;
  ExactSum* phi;
  std::span<ExactSum> gains;
  std::span<std::uint64_t> maxima;
  std::span<std::int64_t> masses;
  std::vector<FarRow> far_rows;
  Batching batching;
  MassScale scale;
  BernoulliTrial trial;
  std::vector<Index> rows;
  Options options;
  Index i;
  Label j;
};

}  // namespace detail

/// A backend for rows of T: the formula of each primitive stands beside it in the source. Spans of labels, d2 and old_*
/// cover the tile's rows; an empty one is not written.
template <class B, class T>
concept BackendFor = Real<T> && requires(const B& b, detail::Operands<T, B>& a) {
  typename B::Space;                     // Host or Device
  typename B::template Buffer<Label>;    // owns n values
  typename B::template Dense<T>;         // owns a k x d matrix
  typename B::template Prepared<T>;      // centroids, ready for assigning
  { b.workers() } -> std::same_as<int>;  // that share the memory budget
  // clang-format off
  b.survey(a.tile, a.maxima);                                            // M = max(M, bits of |x_iq|, of w_i): kmeans/survey.hpp
  { b.prepare(a.c, a.o, a.batching, a.options, a.c) } -> std::same_as<typename B::template Prepared<T>>;  // c, with o near it; the last: the centroids of the pass before, or none
  { b.assign(a.tile, a.prepared, a.labels, a.d2, a.phi) } -> std::same_as<Index>;   // l_i = argmin_j D(x_i, c_j), ties to the lowest; d2_i = D(x_i, c_{l_i}); phi += w_i d2_i
  b.assign_accumulate(a.tile, a.prepared, a.state, a.quanta, a.sums, a.phi, a.phi);  // l'_i as above; S_{l'_i} += w_i x_i, S_{l_i} -= w_i x_i where l'_i != l_i; phi_1 += w_i D(x_i, o), phi_2 += w_i D(x_i, c_{l'_i})
  b.accumulate(a.tile, a.options, a.old_labels, a.quanta, a.sums);       // S_{l_i} += w_i x_i
  b.distance(a.tile, a.c, a.old_labels, a.d2, a.phi);                    // d2_i = D(x_i, c_{l_i}); phi += w_i d2_i
  { b.lower(a.tile, a.prepared, a.c, a.j, a.d2, a.labels, a.phi) } -> std::same_as<double>;  // d2_i = min(d2_i, min_t D(x_i, c_t)), l_i = j + t where lower; phi += w_i d2_i; max_i w_i d2_i
  b.gain(a.tile, a.prepared, a.c, a.old_labels, a.old_d2, a.gains);      // g_t += w_i max(0, d2_i - D(x_i, c_t))
  b.pick(a.tile, a.old_d2, a.scale, a.i, a.masses);                      // m_i = q_i, the masses of the rows of block i by row; for i = -1 their sums, by block
  b.sample(a.tile, a.old_d2, a.scale, a.trial, a.rows);                  // the rows i that a draw of their own chooses with probability min(1, expected q_i / total)
  b.farthest(a.tile, a.old_d2, a.old_labels, a.i, a.far_rows);           // the i farthest rows by d2 > 0 of positive weight, ties to the lowest row
  b.move(a.tile, a.i, a.j, a.labels, a.quanta, a.sums);                  // S_{l_i} -= w_i x_i, S_j += w_i x_i, l_i = j
  b.divide(a.sums, a.quanta, a.c, a.next);                               // c'_j = S_j / m_j rounded once, or c_j where no row of positive weight is left
  { b.converge(a.c, a.c) } -> std::same_as<double>;                      // sum_j D(c'_j, c_j)
  // clang-format on
};

}  // namespace lloyd::inline LLOYD_ABI
