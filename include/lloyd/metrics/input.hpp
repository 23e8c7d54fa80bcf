// SPDX-License-Identifier: MIT
/// @file
/// What every metric asks of its rows, labels and options before any work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

#include "lloyd/cpu/parallel.hpp"
#include "lloyd/cpu/survey.hpp"
#include "lloyd/error.hpp"
#include "lloyd/kmeans/validate.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/metrics/options.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Who computes, and with what.
struct Computing {
  const char* who;
  int threads;
  Isa isa;
  std::size_t budget;

  Computing(const MetricOptions& options, const char* caller, bool may_sample = false)
      : who(caller),
        threads(cpu::threads_of(options.n_threads)),
        isa(cpu::usable_isa((std::min)(options.widest, Isa::avx512))),
        budget(options.memory_budget) {
    demand(options.n_threads >= 0, who, ": n_threads ", options.n_threads, " < 0 (0 takes OpenMP's default)");
    demand(budget > 0, who, ": memory_budget 0 bytes");
    demand(options.sample_size >= 0, who, ": sample_size ", options.sample_size, " < 0 (0 takes all rows)");
    demand(may_sample || options.sample_size == 0, who, ": sample_size ", options.sample_size,
           ", expected 0: only silhouette_score takes a sample");
  }

  /// How many threads are worth waking for so many multiply-adds in `count` pieces.
  [[nodiscard]] int parts(double work, Index count) const {
    constexpr double least_work = 1 << 17;
    const double worth = (std::min)({work / least_work, static_cast<double>(count), static_cast<double>(threads)});
    return (std::max)(1, static_cast<int>(worth));
  }
  /// The same with no more threads than all of the work is worth.
  [[nodiscard]] Computing limited(double work) const {
    Computing other = *this;
    other.threads = parts(work, threads);
    return other;
  }
};

/// Any matrix in memory that KMeans takes, as a view.
template <class X>
[[nodiscard]] auto rows_of_matrix(const X& x) {
  static_assert(MatrixLike<X>,
                "lloyd: a metric takes a MatrixView, a Matrix or a row-major Eigen matrix (include lloyd/eigen.hpp)");
  const auto view = MatrixTraits<X>::view(x);
  using T = typename decltype(view)::Scalar;
  static_assert(std::is_same_v<std::remove_const_t<decltype(view)>, MatrixView<const T>>,
                "lloyd: a metric takes rows in the host's memory");
  return view;
}

/// Refuses rows that are not there, not as many as labels, or not finite. What it looked at tells how to sum them.
template <Real T>
[[nodiscard]] Survey require_rows(MatrixView<const T> x, std::span<const Label> labels, const Computing& computing) {
  const char* who = computing.who;
  demand(x.rows() >= 1, who, ": x has no rows");
  demand(x.cols() >= 1, who, ": x has no columns");
  demand(static_cast<Index>(labels.size()) == x.rows(), who, ": ", labels.size(), " labels, x has ", x.rows(), " rows");
  const Tile<T> tile{x, {}, 0, 0, 1};
  Survey survey(x.cols());
  cpu::survey(tile, survey.maxima(), computing.threads);
  if (!survey.finite() || survey.largest() > largest_value) require_usable(tile, who, "x");
  demand(inertia_fits(survey.largest(), 0, x.rows(), x.cols()), who, ": values up to ", survey.largest(),
         " have squared distances whose sum is beyond the largest double");
  return survey;
}

/// Of one cluster there is nothing to compare; where every row is alone there is nothing to be together.
inline void require_clusters(Index k, Index n, const char* who) {
  demand(k >= 2 && k < n, who, ": the labels of ", n, " rows make ", k, k == 1 ? " cluster" : " clusters",
         ", expected at least 2 and fewer than rows");
}

}  // namespace lloyd::inline LLOYD_ABI::detail
