// SPDX-License-Identifier: MIT
/// @file
/// Every precondition. A message says who complains, what was given and what was expected.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "lloyd/error.hpp"
#include "lloyd/kmeans/quanta.hpp"
#include "lloyd/kmeans/survey.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/options.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// float64 values up to here have squared distances that double can hold.
inline constexpr double largest_value = 0x1p500;

template <class E>
[[nodiscard]] constexpr bool known(E value, E last) {
  return static_cast<unsigned>(value) <= static_cast<unsigned>(last);
}

/// Options that no data could make right.
inline void validate(const Options& o) {
  const auto at_least = [](const char* name, Index value, Index least) {
    demand(value >= least, "KMeans: ", name, " ", value, " < ", least);
  };
  at_least("n_clusters", o.n_clusters, 1);
  demand(o.n_clusters <= (std::numeric_limits<Label>::max)(), "KMeans: n_clusters ", o.n_clusters, " > 2^31 - 1");
  at_least("n_init", o.n_init, 1);
  demand(o.n_init < (Index{1} << 28), "KMeans: n_init ", o.n_init, " >= 2^28");
  at_least("max_iter", o.max_iter, 0);
  demand(o.tol >= 0 && std::isfinite(o.tol), "KMeans: tol ", o.tol, ", expected a finite number >= 0");
  demand(known(o.init, Init::random), "KMeans: unknown init ", static_cast<int>(o.init));
  at_least("init_size", o.init_size, 0);
  demand(o.init_size == 0 || o.init_size >= o.n_clusters, "KMeans: init_size ", o.init_size, " < n_clusters ",
         o.n_clusters, " (0 seeds from all rows)");
  at_least("n_local_trials", o.n_local_trials, 0);
  at_least("init_rounds", o.init_rounds, 0);
  demand(o.init_rounds < (Index{1} << 28), "KMeans: init_rounds ", o.init_rounds, " >= 2^28");
  demand(o.oversampling_factor > 0 && std::isfinite(o.oversampling_factor), "KMeans: oversampling_factor ",
         o.oversampling_factor, ", expected a finite number > 0");
  demand(known(o.empty_clusters, EmptyClusters::keep), "KMeans: unknown empty_clusters ",
         static_cast<int>(o.empty_clusters));
  demand(known(o.update, CentroidUpdate::one_hot), "KMeans: unknown update ", static_cast<int>(o.update));
  demand(known(o.assignment, Assignment::gram), "KMeans: unknown assignment ", static_cast<int>(o.assignment));
  demand(o.memory_budget > 0, "KMeans: memory_budget 0 bytes");
  at_least("batch_rows", o.batch_rows, 0);
  at_least("batch_centroids", o.batch_centroids, 0);
}

/// The first value of a tile that is not finite or too large, if there is one.
template <Real T>
void require_usable(const Tile<T>& tile, const char* who, const char* name) {
  for (Index i = 0; i < tile.x.rows(); ++i) {
    for (Index q = 0; q < tile.x.cols(); ++q) {
      const auto value = static_cast<double>(tile.x(i, q));
      // By bits, so that no compiler option can drop the check.
      const auto pattern = std::bit_cast<std::uint64_t>(value) & ~(std::uint64_t{1} << 63);
      demand(pattern < std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity()), who, ": ", name, "(",
             tile.global(i), ", ", q, ") is ", value, "; values must be finite");
      if constexpr (std::same_as<T, double>)
        demand(pattern <= std::bit_cast<std::uint64_t>(largest_value), who, ": ", name, "(", tile.global(i), ", ", q,
               ") is ", value, "; float64 values must be within 2^500 of zero (squared distances would overflow)");
    }
  }
}

/// The first weight of a tile that is negative or not finite, if there is one.
template <Real T>
void require_usable_weights(const Tile<T>& tile, const char* who) {
  for (Index i = 0; i < tile.x.rows(); ++i) {
    const double w = tile.w(i);
    demand(w >= 0 && w <= (std::numeric_limits<double>::max)(), who, ": weight ", tile.global(i), " is ", w,
           "; weights must be finite and >= 0");
  }
}

/// Refuses weights that span more than the sums keep: `spare` bits of the smallest positive one must be left, so that
/// it neither vanishes in its cluster's weight nor coarsens its mean.
inline void require_kept_weights(const Survey& survey, const Quanta& quanta, Index n, int spare, const char* who) {
  if (!survey.weighted()) return;
  const double largest = survey.largest_weight(), smallest = survey.smallest_weight();
  const int most = Quanta::most_limbs * quanta.bits - spare;
  const auto significand = [](double w) { return std::ldexp(w, -exponent_of(w)); };
  // The ratio, rounded up to a power of two.
  const int ratio =
      exponent_of(largest) - exponent_of(smallest) + (significand(largest) > significand(smallest) ? 1 : 0);
  demand(ratio <= most, who, ": the largest weight ", largest, " is 2^", ratio, " times the smallest positive one ",
         smallest, "; of ", n, " rows at most 2^", most, " is kept (set such small weights to 0)");
}

/// Whether any sum of n weighted squared distances between values up to `largest` fits in a double.
[[nodiscard]] inline bool inertia_fits(double largest, int weight_exponent, Index n, Index d) {
  if (largest == 0) return true;
  return weight_exponent + 1 + 2 * (exponent_of(largest) + 2) + ceil_log2(n) + ceil_log2(d) < 1023;
}

/// The largest |value| of a matrix.
template <Real T>
[[nodiscard]] double largest_of(MatrixView<const T> c) {
  double largest = 0;
  for (Index j = 0; j < c.rows(); ++j)
    for (Index q = 0; q < c.cols(); ++q) largest = (std::max)(largest, std::fabs(static_cast<double>(c(j, q))));
  return largest;
}

/// Whether a view can be centroids for rows of d columns.
template <Real T>
void validate_centroids(MatrixView<const T> c, Index d, const char* who) {
  demand(c.rows() >= 1, who, ": centroids have no rows");
  demand(c.rows() <= (std::numeric_limits<Label>::max)(), who, ": ", c.rows(), " centroids > 2^31 - 1");
  demand(c.cols() == d, who, ": centroids have ", c.cols(), " columns, the rows have ", d);
  require_usable(Tile<T>{c, {}, 0, 0, 1}, who, "centroids");
}

}  // namespace lloyd::inline LLOYD_ABI::detail
