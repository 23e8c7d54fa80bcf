// SPDX-License-Identifier: MIT
/// @file
/// What to run: one aggregate for designated initialisers, in this order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI {

/// How starting centroids are found.
enum class Init : std::uint8_t {
  kmeans_plus_plus,           ///< greedy k-means++ (Arthur, Vassilvitskii 2007): k rows drawn by D, best of some trials
  scalable_kmeans_plus_plus,  ///< k-means|| (Bahmani et al. 2012): a few rounds of many candidates
  random,                     ///< k distinct rows, a row of weight w as likely as w rows
};

/// What happens to a cluster that no row of positive weight is nearest to.
enum class EmptyClusters : std::uint8_t {
  relocate,  ///< it takes the row farthest from its centroid (ties: the lowest row)
  keep,      ///< it keeps its centroid
};

/// How rows are added to the sums of their clusters. All give the same bits.
enum class CentroidUpdate : std::uint8_t {
  automatic,    ///< scatter_add: it was the faster for every k and d that was measured on a CPU
  scatter_add,  ///< row by row
  one_hot,      ///< by a product with the matrix of ones at the labels, where the backend has one
};

/// How nearest centroids are found. All give the same bits.
enum class Assignment : std::uint8_t {
  automatic,  ///< fused: it was the faster for every k and d that was measured on a CPU
  fused,      ///< scores stay in registers
  gram,       ///< a matrix product, then its minima; Cuda knows this one alone
};

/// Why a fit ended.
enum class StopReason : std::uint8_t {
  converged,  ///< by tol, or no label changed
  max_iter,   ///< as many iterations as were allowed
  cancelled,  ///< the callback answered false
};

/// What the callback sees: after the survey, after each centroid or round of seeding (once where seeding is random or
/// from a sample), after each Lloyd iteration, and at the end.
struct Iteration {
  /// The parts of a fit, in their order.
  enum class Phase : std::uint8_t {
    survey,   ///< one read of the rows: their values, their weights
    seeding,  ///< starting centroids
    lloyd,    ///< iterations
    finish,   ///< labels and inertia of the centroids returned
  };
  Phase phase = Phase::survey;  ///< where the fit is
  Index done = 0;               ///< reports within the phase
  Index total = 0;              ///< an upper bound of them, raised if passed
  Index number = 0;             ///< the Lloyd iteration, from 1; 0 in the other phases
  double inertia = 0;  ///< seeding: the potential so far; lloyd: an estimate (docs/numerics.md); finish: the result's
  double centroid_shift = 0;  ///< sum of squared distances that the centroids moved
  Index n_changed = 0;        ///< rows whose label changed, relocated ones included
  Index n_empty = 0;          ///< clusters left without a row of positive weight
  Index n_rechecked = 0;      ///< rows of this iteration that the filter could not certify
  Index n_skipped = 0;        ///< pairs of row and centroid of this iteration that bounds excluded unseen
  double seconds = 0;         ///< since the fit began
};

/// Everything a fit can be told.
struct Options {
  Index n_clusters = 8;  ///< k, 1 <= k <= rows
  Index n_init = 1;      ///< seedings tried; the lowest inertia wins (ties: the earlier), every output is that run's
  Index max_iter = 300;  ///< 0 returns the starting centroids, labelled
  double tol = 1e-4;     ///< stop once the centroids' squared shift <= tol * mean column variance; 0: no label changed
  std::uint64_t seed = 0;              ///< any value; equal seeds give equal results
  Init init = Init::kmeans_plus_plus;  ///< does not depend on where the rows lie
  Index init_size = 0;       ///< seed from a copy of so many rows of positive weight, sampled uniformly; 0: from all
  Index n_local_trials = 0;  ///< greedy k-means++, at most the rows; 0: 2 + floor(ln k); 1: plain k-means++
  Index init_rounds = 0;     ///< scalable; 0: 5, or until a round gains less than 10 %
  double oversampling_factor = 2;                          ///< scalable: factor * k candidates a round
  EmptyClusters empty_clusters = EmptyClusters::relocate;  ///< see EmptyClusters
  CentroidUpdate update = CentroidUpdate::automatic;       ///< forced for measuring both ways
  Assignment assignment = Assignment::automatic;           ///< forced for measuring both ways
  bool check_finite = true;  ///< look for NaN and infinity before assigning; a fit's survey always looks, at no cost
  std::size_t memory_budget = std::size_t{64} << 20;  ///< bytes for tiles and per-thread sums; too small is refused
  Index batch_rows = 0;                               ///< rows of a tile; 0: from the budget
  Index batch_centroids = 0;  ///< centroids of a tile of gram, which alone has any; 0: from the budget
  bool labels = true;         ///< false: the result holds none (a fit needs their memory all the same)
  std::function<bool(const Iteration&)> callback = {};  ///< false stops any phase
};

}  // namespace lloyd::inline LLOYD_ABI
