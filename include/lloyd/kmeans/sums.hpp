// SPDX-License-Identifier: MIT
/// @file
/// The sums of a clustering as one array of integers, so that one exchange adds all of them over ranks.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "lloyd/kmeans/quanta.hpp"
#include "lloyd/kmeans/quotient.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// How the array is laid out: k clusters of `limbs` x `columns` integers, then k sizes (rows), then k occupancies (rows
/// of positive weight), then how many rows changed cluster, how many were rechecked, and how many pairs of a row and a
/// centroid were skipped.
struct SumsShape {
  static constexpr Index counters = 3;  ///< of the last line

  Index k = 0, d = 0, columns = 0;  ///< columns: d, and one for the weight when rows are weighted
  int limbs = 1;

  SumsShape() = default;
  SumsShape(Index clusters, Index features, const Quanta& quanta)
      : k(clusters), d(features), columns(quanta.columns()), limbs(quanta.limbs) {}

  [[nodiscard]] constexpr bool weighted() const { return columns > d; }
  [[nodiscard]] constexpr Index size() const { return k * limbs * columns + 2 * k + counters; }
};

/// Access to such an array. Owns nothing.
class SumsView {
 public:
  constexpr SumsView(std::span<std::int64_t> values, const SumsShape& shape) : values_(values), shape_(shape) {}

  [[nodiscard]] constexpr const SumsShape& shape() const { return shape_; }
  [[nodiscard]] constexpr std::span<std::int64_t> values() const { return values_; }
  /// Limb l of column q of cluster j stands at cluster(j)[l * columns + q].
  [[nodiscard]] constexpr std::int64_t* cluster(Index j) const {
    return values_.data() + j * shape_.limbs * shape_.columns;
  }
  [[nodiscard]] constexpr std::int64_t& cluster_size(Index j) const { return tail()[j]; }
  [[nodiscard]] constexpr std::int64_t& occupancy(Index j) const { return tail()[shape_.k + j]; }
  [[nodiscard]] constexpr std::int64_t& changed() const { return tail()[2 * shape_.k]; }
  [[nodiscard]] constexpr std::int64_t& rechecked() const { return tail()[2 * shape_.k + 1]; }
  [[nodiscard]] constexpr std::int64_t& skipped() const { return tail()[2 * shape_.k + 2]; }

  /// sum_i w_i x_iq over the rows of cluster j.
  [[nodiscard]] LimbSum sum(const Quanta& quanta, Index j, Index q) const {
    return {cluster(j) + q, shape_.columns, shape_.limbs, quanta.bits, quanta.exponent[static_cast<std::size_t>(q)]};
  }
  /// sum_i w_i over the rows of cluster j.
  [[nodiscard]] LimbSum weight(const Quanta& quanta, Index j) const {
    if (shape_.weighted()) return sum(quanta, j, shape_.d);
    return {&cluster_size(j), 1, 1, 0, 0};
  }

 private:
  [[nodiscard]] constexpr std::int64_t* tail() const {
    return values_.data() + shape_.k * shape_.limbs * shape_.columns;
  }

  std::span<std::int64_t> values_;
  SumsShape shape_;
};

/// Hands every limb of w * x to `add(limb, integer)`, exactly: the rounded product, then what its rounding lost.
template <class Add>
constexpr void for_each_limb_of_product(double w, double x, double inverse_quantum, int bits, int limbs,
                                        const Add& add) {
  const double product = w * x;
  for_each_limb(product, inverse_quantum, bits, limbs, add);
  const double lost = std::fma(w, x, -product);
  if (lost != 0) for_each_limb(lost, inverse_quantum, bits, limbs, add);
}

/// Hands every integer that a row adds to its cluster's sums to `add(place, integer)`: cluster(j)[place] += integer. Of
/// columns `first` and on.
template <Real T, class Add>
constexpr void for_each_integer_of_row(const T* x, double w, const SumsShape& shape, const Quanta& quanta,
                                       const Add& add, Index first = 0) {
  for (Index q = first; q < shape.columns; ++q) {
    const double inverse = quanta.inverse[static_cast<std::size_t>(q)];
    const auto place = [&](int l, std::int64_t whole) { add(l * shape.columns + q, whole); };
    if (q == shape.d) {
      for_each_limb(w, inverse, quanta.bits, quanta.limbs, place);
    } else if (shape.weighted()) {
      for_each_limb_of_product(w, static_cast<double>(x[q]), inverse, quanta.bits, quanta.limbs, place);
    } else {
      for_each_limb(static_cast<double>(x[q]), inverse, quanta.bits, quanta.limbs, place);
    }
  }
}

/// sign = 1: row x of weight w enters cluster j. sign = -1: it leaves, exactly.
template <Real T>
void add_row(const T* x, double w, std::int64_t sign, Index j, const Quanta& quanta, const SumsView& sums) {
  std::int64_t* cluster = sums.cluster(j);
  for_each_integer_of_row(x, w, sums.shape(), quanta,
                          [&](Index place, std::int64_t whole) { add_wrapping(cluster[place], whole, sign); });
  sums.cluster_size(j) += sign;
  if (w > 0) sums.occupancy(j) += sign;
}

/// Row x of weight w goes from cluster `from` (-1: from none) to cluster `to`, exactly.
template <Real T>
void move_row(const T* x, double w, Label from, Label to, const Quanta& quanta, const SumsView& sums) {
  if (from >= 0) add_row(x, w, -1, from, quanta, sums);
  add_row(x, w, 1, to, quanta, sums);
  ++sums.changed();
}

}  // namespace lloyd::inline LLOYD_ABI::detail
