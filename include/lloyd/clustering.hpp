// SPDX-License-Identifier: MIT
/// @file
/// What came of it.
#pragma once

#include <vector>

#include "lloyd/matrix.hpp"
#include "lloyd/options.hpp"

namespace lloyd::inline LLOYD_ABI {

struct Cpu;

/// The result of a fit; also the model that predict, transform and score take (its centroids).
///
/// On every exit path `predict(centroids, x) == labels`, `inertia` is the weighted sum of squared distances D to
/// these centroids, and sizes and weights are those of these labels. A fit cancelled before it had centroids returns
/// a clustering of no centroids and no labels, of infinite inertia.
template <Real T, class B = Cpu>
struct Clustering {
  typename B::template Dense<T> centroids;    ///< k x d
  typename B::template Buffer<Label> labels;  ///< n; ties go to the lowest; empty if Options::labels is false
  std::vector<Index> cluster_sizes;           ///< k: rows
  std::vector<double> cluster_weights;        ///< k: sums of weights
  double inertia = 0;                         ///< sum_i w_i D(x_i, c_{l_i}), rounded once
  double centroid_shift = 0;                  ///< of the last iteration: sum_j D(c'_j, c_j); 0 if there was none
  Index n_iter = 0;                           ///< Lloyd iterations done
  Index n_empty = 0;                          ///< clusters without a row of positive weight
  Index n_rechecked = 0;                      ///< rows that the filter could not certify, over this run's assignments
  Index n_skipped = 0;                        ///< pairs of row and centroid that bounds excluded, likewise
  StopReason stop_reason = StopReason::max_iter;  ///< not converging is a result, not an error
};

/// The nearest centroid of each row and the squared distance to it.
template <class B = Cpu>
struct NearestCentroids {
  typename B::template Buffer<Label> labels;      ///< m; ties go to the lowest
  typename B::template Buffer<double> distances;  ///< m: D, squared, in double for float rows too
};

}  // namespace lloyd::inline LLOYD_ABI
