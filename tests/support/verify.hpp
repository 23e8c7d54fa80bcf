// SPDX-License-Identifier: MIT
/// @file
/// Is this a k-means result? The definition, checked from nothing but the rows: own arithmetic, no part of the library.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "lloyd/clustering.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/options.hpp"
#include "support/exact.hpp"

namespace lloyd::test {

/// A Clustering of any backend of the host, as plain values.
template <Real T>
struct Outcome {
  Matrix<T> centroids;
  std::vector<Label> labels;
  std::vector<Index> cluster_sizes;
  std::vector<double> cluster_weights;
  double inertia = 0, centroid_shift = 0;
  Index n_iter = 0, n_empty = 0;
  StopReason stop_reason = StopReason::max_iter;
};

template <Real T, class B>
[[nodiscard]] Outcome<T> outcome_of(const Clustering<T, B>& r) {
  return {r.centroids,      r.labels, r.cluster_sizes, r.cluster_weights, r.inertia,
          r.centroid_shift, r.n_iter, r.n_empty,       r.stop_reason};
}

/// D(x, c) by its definition: differences in double, eight lanes of fused multiply-adds, added pairwise.
template <Real T>
[[nodiscard]] double squared_distance(const T* x, const T* c, Index d) {
  double lane[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (Index q = 0; q < d; ++q) {
    const double t = static_cast<double>(x[q]) - static_cast<double>(c[q]);
    lane[q % 8] = std::fma(t, t, lane[q % 8]);
  }
  const double even = (lane[0] + lane[4]) + (lane[2] + lane[6]), odd = (lane[1] + lane[5]) + (lane[3] + lane[7]);
  return even + odd;
}

/// The same distance without D's roundings, to 64 bits.
template <Real T>
[[nodiscard]] long double direct_distance(const T* x, const T* c, Index d) {
  long double sum = 0;
  for (Index q = 0; q < d; ++q) {
    const long double t = static_cast<long double>(x[q]) - static_cast<long double>(c[q]);
    sum += t * t;
  }
  return sum;
}

/// argmin_j D(x, c_j), ties to the lowest j, and how many attain it.
struct Nearest {
  Label label = 0;
  double d2 = 0;
  Index ties = 1;
};
template <Real T>
[[nodiscard]] Nearest nearest_of(const T* x, MatrixView<const T> c) {
  Nearest nearest{0, squared_distance(x, c.row(0), c.cols()), 1};
  for (Index j = 1; j < c.rows(); ++j) {
    const double d2 = squared_distance(x, c.row(j), c.cols());
    if (d2 == nearest.d2) ++nearest.ties;
    if (d2 < nearest.d2) nearest = {static_cast<Label>(j), d2, 1};
  }
  return nearest;
}

/// What the verifier looks at.
template <Real T>
struct Evidence {
  MatrixView<const T> x;
  const std::vector<double>& w;  // empty: all ones
  const Options& options;
  const Outcome<T>& result;

  [[nodiscard]] double weight(Index i) const { return w.empty() ? 1.0 : w[static_cast<std::size_t>(i)]; }
  [[nodiscard]] Label label(Index i) const { return result.labels[static_cast<std::size_t>(i)]; }
  [[nodiscard]] Index k() const { return options.n_clusters; }
};

namespace verify_detail {

template <class... Parts>
[[nodiscard]] std::string say(const Parts&... parts) {
  std::ostringstream out;
  out.precision(17);
  (out << ... << parts);
  return out.str();
}

template <Real T>
[[nodiscard]] std::string shapes(const Evidence<T>& e) {
  const auto& r = e.result;
  const auto k = static_cast<std::size_t>(e.k());
  if (r.centroids.rows() != e.k() || r.centroids.cols() != e.x.cols()) return "centroids have another shape than k x d";
  if (static_cast<Index>(r.labels.size()) != e.x.rows()) return "labels are not one a row";
  if (r.cluster_sizes.size() != k || r.cluster_weights.size() != k) return "sizes or weights are not one a cluster";
  for (Index j = 0; j < e.k(); ++j)
    for (Index q = 0; q < e.x.cols(); ++q)
      if (!std::isfinite(r.centroids(j, q))) return say("centroid ", j, " is not finite");
  if (!std::isfinite(r.inertia) || r.inertia < 0) return say("inertia ", r.inertia);
  if (!std::isfinite(r.centroid_shift) || r.centroid_shift < 0) return say("centroid_shift ", r.centroid_shift);
  if (r.n_iter < 0 || r.n_iter > e.options.max_iter) return say("n_iter ", r.n_iter);
  if (r.stop_reason == StopReason::max_iter && r.n_iter != e.options.max_iter)
    return say("stopped for max_iter at n_iter ", r.n_iter);
  return "";
}

template <Real T>
[[nodiscard]] std::string labels_are_nearest(const Evidence<T>& e) {
  const MatrixView<const T> c = e.result.centroids.view();
  const Index d = e.x.cols();
  // D differs from the real distance by at most d/8 + 4 roundings on either side, and by its underflow.
  const long double slack = 1 + 2 * (static_cast<long double>(d) / 8 + 4) * 0x1p-53L;
  for (Index i = 0; i < e.x.rows(); ++i) {
    const Label label = e.label(i);
    if (label < 0 || label >= e.k()) return say("label ", label, " of row ", i);
    const Nearest nearest = nearest_of(e.x.row(i), c);
    if (nearest.label != label)
      return say("row ", i, " has label ", label, " at D ", squared_distance(e.x.row(i), c.row(label), d),
                 ", but the nearest is ", nearest.label, " at D ", nearest.d2);
    const long double own = direct_distance(e.x.row(i), c.row(label), d);
    for (Index j = 0; j < e.k(); ++j)
      if (own > direct_distance(e.x.row(i), c.row(j), d) * slack + static_cast<long double>(d) * 0x1p-1074L)
        return say("row ", i, " has label ", label, ", but ", j, " is nearer by direct differences");
  }
  return "";
}

/// Sizes, weights, n_empty and inertia are those of the labels.
template <Real T>
[[nodiscard]] std::string totals_match(const Evidence<T>& e) {
  const auto k = static_cast<std::size_t>(e.k());
  std::vector<Index> sizes(k, 0), occupied(k, 0);
  std::vector<Exact> weights(k);
  Exact inertia;
  for (Index i = 0; i < e.x.rows(); ++i) {
    const auto j = static_cast<std::size_t>(e.label(i));
    ++sizes[j];
    occupied[j] += e.weight(i) > 0 ? 1 : 0;
    weights[j].add(e.weight(i));
    inertia.add(e.weight(i), squared_distance(e.x.row(i), e.result.centroids.row(e.label(i)), e.x.cols()));
  }
  Index empty = 0;
  for (std::size_t j = 0; j < k; ++j) {
    empty += occupied[j] == 0 ? 1 : 0;
    if (sizes[j] != e.result.cluster_sizes[j])
      return say("cluster_sizes[", j, "] is ", e.result.cluster_sizes[j], ", the labels say ", sizes[j]);
    if (!is_rounded(e.result.cluster_weights[j], weights[j]))
      return say("cluster_weights[", j, "] is ", e.result.cluster_weights[j], ", not the sum of its weights");
  }
  if (empty != e.result.n_empty) return say("n_empty is ", e.result.n_empty, ", the labels say ", empty);
  if (!is_rounded(e.result.inertia, inertia)) return say("inertia ", e.result.inertia, " does not add up");
  return "";
}

/// After a fit that stopped because no label changed: centroids are means, and nothing is left to relocate, so one more
/// iteration changes nothing.
template <Real T>
[[nodiscard]] std::string is_fixed_point(const Evidence<T>& e) {
  const Index d = e.x.cols();
  std::vector<Index> occupied(static_cast<std::size_t>(e.k()), 0);
  for (Index i = 0; i < e.x.rows(); ++i) occupied[static_cast<std::size_t>(e.label(i))] += e.weight(i) > 0 ? 1 : 0;
  for (Index q = 0; q < d; ++q) {
    std::vector<Exact> sums(static_cast<std::size_t>(e.k())), weights(sums.size());
    for (Index i = 0; i < e.x.rows(); ++i) {
      const auto j = static_cast<std::size_t>(e.label(i));
      sums[j].add(e.weight(i), static_cast<double>(e.x(i, q)));
      weights[j].add(e.weight(i));
    }
    for (Index j = 0; j < e.k(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (occupied[at] > 0 && !is_rounded_quotient(e.result.centroids(j, q), sums[at], weights[at]))
        return say("centroid ", j, " is not the mean of its rows in column ", q, ": ", e.result.centroids(j, q));
    }
  }
  if (e.options.empty_clusters != EmptyClusters::relocate || e.result.n_empty == 0) return "";
  for (Index i = 0; i < e.x.rows(); ++i)
    if (e.weight(i) > 0 && occupied[static_cast<std::size_t>(e.label(i))] > 1 &&
        squared_distance(e.x.row(i), e.result.centroids.row(e.label(i)), d) > 0)
      return say("a cluster is empty, but row ", i, " could have moved there");
  return "";
}

}  // namespace verify_detail

/// "" if the result is right, else what is wrong with it.
///
/// Every label is the nearest centroid, by D with ties to the lowest and by direct differences; sizes, weights, n_empty
/// and inertia are those of the labels, exactly added and rounded once; all is finite. A fit that converged at tol = 0
/// also is a fixed point: every centroid that has rows is their weighted mean, rounded once.
template <Real T>
[[nodiscard]] std::string verify(MatrixView<const T> x, const std::vector<double>& w, const Options& options,
                                 const Outcome<T>& result) {
  const Evidence<T> evidence{x, w, options, result};
  std::string complaint = verify_detail::shapes(evidence);
  if (complaint.empty()) complaint = verify_detail::labels_are_nearest(evidence);
  if (complaint.empty()) complaint = verify_detail::totals_match(evidence);
  if (complaint.empty() && options.tol == 0 && result.stop_reason == StopReason::converged)
    complaint = verify_detail::is_fixed_point(evidence);
  return complaint;
}

/// Whether two arrays hold the same bits.
template <class V>
[[nodiscard]] bool same_bits(const V* a, const V* b, std::size_t count) {
  return count == 0 || std::memcmp(a, b, count * sizeof(V)) == 0;
}

/// "" if two results are the same bit for bit, else the first part that differs.
template <Real T>
[[nodiscard]] std::string difference(const Outcome<T>& a, const Outcome<T>& b) {
  using verify_detail::say;
  if (a.labels != b.labels) return "labels differ";
  if (a.centroids.rows() != b.centroids.rows() || a.centroids.cols() != b.centroids.cols()) return "shapes differ";
  for (Index j = 0; j < a.centroids.rows(); ++j)
    if (!same_bits(a.centroids.row(j), b.centroids.row(j), static_cast<std::size_t>(a.centroids.cols())))
      return say("centroid ", j, " differs");
  if (a.cluster_sizes != b.cluster_sizes) return "cluster_sizes differ";
  if (a.cluster_weights != b.cluster_weights) return "cluster_weights differ";
  if (!same_bits(&a.inertia, &b.inertia, 1)) return say("inertia ", a.inertia, " and ", b.inertia);
  if (!same_bits(&a.centroid_shift, &b.centroid_shift, 1))
    return say("centroid_shift ", a.centroid_shift, " and ", b.centroid_shift);
  if (a.n_iter != b.n_iter) return say("n_iter ", a.n_iter, " and ", b.n_iter);
  if (a.n_empty != b.n_empty) return say("n_empty ", a.n_empty, " and ", b.n_empty);
  if (a.stop_reason != b.stop_reason) return "stop_reason differs";
  return "";
}

}  // namespace lloyd::test
