// SPDX-License-Identifier: MIT
// The library's calls for float and double, compiled once: a fit takes a compiler some ten seconds.
#pragma once

#include <span>
#include <vector>

#include "arguments.hpp"
#include "lloyd/clustering.hpp"
#include "lloyd/cpu.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/sweep.hpp"

namespace program {

template <class T>
struct Engine {
  using View = lloyd::MatrixView<const T>;
  using Weights = std::span<const double>;  // empty: all ones

  /// The threads that a call has.
  static int workers(const EngineArguments& engine);
  static lloyd::Clustering<T> fit(const EngineArguments& engine, View x, Weights w);
  static lloyd::Clustering<T> fit_from(const EngineArguments& engine, View centroids, View x, Weights w);
  /// One fit of k clusters and its silhouette; none if the callback cancels it.
  static std::vector<lloyd::SweepRun<T>> sweep(const EngineArguments& engine, const SilhouetteArguments& silhouette,
                                               View x, Weights w, lloyd::Index k);
  /// Labels and squared distances.
  static lloyd::NearestCentroids<> assign(const EngineArguments& engine, View centroids, View y);
};

extern template struct Engine<float>;
extern template struct Engine<double>;

}  // namespace program
