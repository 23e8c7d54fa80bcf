// SPDX-License-Identifier: MIT
/// @file
/// d2_i = min(d2_i, min_t D(x_i, y_t)): D is evaluated only for rows that a candidate may improve, or known already.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "lloyd/cpu/nearer.hpp"
#include "lloyd/cpu/parallel.hpp"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/kmeans/improvements.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// phi += w_i d2_i over rows begin .. begin + count - 1, unless phi is null.
/// @return max_i w_i d2_i
template <class W>
double largest_of(const W& w, std::span<const double> d2, Index begin, Index count, detail::ExactSum* phi) {
  if (phi != nullptr)
    for (Index i = begin; i < begin + count; ++i) phi->add_product(w(i), d2[static_cast<std::size_t>(i)]);
  constexpr Index chains = 8;  // a maximum waits for the one before
  double largest[chains] = {};
  const auto raise = [&](double& least, Index i) {
    least = (std::max)(least, w.empty() ? d2[static_cast<std::size_t>(i)] : w(i) * d2[static_cast<std::size_t>(i)]);
  };
  Index i = begin;
  for (; i + chains <= begin + count; i += chains)
#pragma GCC unroll 8
    for (Index j = 0; j < chains; ++j) raise(largest[j], i + j);
  for (; i < begin + count; ++i) raise(largest[0], i);
  return *std::max_element(largest, largest + chains);
}

/// The same over all rows, by threads.
template <class W>
double largest_of(const W& w, std::span<const double> d2, detail::ExactSum* phi, int n_threads) {
  struct Worker {
    detail::ExactSum phi{};
    double largest = 0;
  };
  constexpr Index batch = Index{1} << 14;
  double largest = 0;
  for_each_batch(
      n_threads, static_cast<Index>(d2.size()), batch, [] { return Worker(); },
      [&](Worker& worker, Index begin, Index count) {
        worker.largest =
            (std::max)(worker.largest, largest_of(w, d2, begin, count, phi != nullptr ? &worker.phi : nullptr));
      },
      [&](Worker& worker) {
        largest = (std::max)(largest, worker.largest);
        if (phi != nullptr) phi->merge(worker.phi);
      });
  return largest;
}

/// d2_i = what is noted of row i, l_i = label. As many threads as there are runs, if there are rows enough.
inline void lower(std::span<const detail::Improvements::Run* const> runs, Label label, std::span<double> d2,
                  std::span<Label> labels) {
  constexpr Index worth_a_thread = 4096;
  Index noted = 0;
  for (const detail::Improvements::Run* run : runs) noted += static_cast<Index>(run->rows().size());
  const auto all = static_cast<Index>(runs.size());
  const int parts = parts_of(static_cast<int>(all), noted, worth_a_thread);
  parallel(parts, [&](int part) {
    const Run mine = run_of(all, part, parts);
    for (Index r = mine.begin; r < mine.end; ++r)
      for (const auto& [row, d2_noted] : runs[static_cast<std::size_t>(r)]->rows()) {
        d2[static_cast<std::size_t>(row)] = d2_noted;
        labels[static_cast<std::size_t>(row)] = label;
      }
  });
}

template <Real T, class Bound>
double lower(const Tile<T>& tile, const Prepared<T, Bound>& prepared, MatrixView<const T> seeds, Label first,
             std::span<double> d2, std::span<Label> labels, detail::ExactSum* phi) {
  struct Worker {
    Nearer<T, Bound> nearer;
    detail::ExactSum phi{};
    double largest = 0;
  };
  const std::vector<double> limits = reach_of(prepared, seeds);
  double largest = 0;
  for_each_batch(
      prepared.n_threads, tile.x.rows(), prepared.batching.rows,
      [&] { return Worker{Nearer<T, Bound>(prepared, tile.x, limits)}; },
      [&](Worker& worker, Index begin, Index count) {
        worker.nearer.find(begin, count, d2, labels, [&](Index i, Label c, double candidate) {
          d2[static_cast<std::size_t>(i)] = candidate;
          if (!labels.empty()) labels[static_cast<std::size_t>(i)] = first + c;
          return candidate;
        });
        worker.largest =
            (std::max)(worker.largest, largest_of(tile.w, d2, begin, count, phi != nullptr ? &worker.phi : nullptr));
      },
      [&](Worker& worker) {
        largest = (std::max)(largest, worker.largest);
        if (phi != nullptr) phi->merge(worker.phi);
      });
  return largest;
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
