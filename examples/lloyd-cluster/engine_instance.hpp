// SPDX-License-Identifier: MIT
// The bodies of engine.hpp, for the two units that instantiate them.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "engine.hpp"
#include "lloyd/lloyd.hpp"

namespace program {

/// The names of instruction sets stand in the order of their values.
[[nodiscard]] inline lloyd::Cpu cpu_of(const EngineArguments& engine) {
  constexpr std::array<std::string_view, 4> names = {"portable", "avx2", "avx512", "amx"};
  const auto found = std::find(names.begin(), names.end(), engine.widest);
  return {engine.n_threads, static_cast<lloyd::Isa>(found - names.begin())};
}

template <class T>
int Engine<T>::workers(const EngineArguments& engine) {
  return cpu_of(engine).workers();
}

template <class T>
lloyd::Clustering<T> Engine<T>::fit(const EngineArguments& engine, View x, Weights w) {
  return lloyd::KMeans(engine.options, cpu_of(engine)).fit(x, w);
}

template <class T>
lloyd::Clustering<T> Engine<T>::fit_from(const EngineArguments& engine, View centroids, View x, Weights w) {
  return lloyd::KMeans(engine.options, cpu_of(engine)).fit_from(centroids, x, w);
}

template <class T>
std::vector<lloyd::SweepRun<T>> Engine<T>::sweep(const EngineArguments& engine, const SilhouetteArguments& silhouette,
                                                 View x, Weights w, lloyd::Index k) {
  constexpr std::array<std::string_view, 4> names = {"automatic", "exact", "simplified", "none"};
  const auto kind = std::find(names.begin(), names.end(), silhouette.kind) - names.begin();
  const lloyd::Cpu cpu = cpu_of(engine);
  return lloyd::sweep(lloyd::KMeans(engine.options, cpu), x, w, {k},
                      {.silhouette = static_cast<lloyd::SweepSilhouette>(kind),
                       .metrics = {.sample_size = silhouette.sample_size,
                                   .seed = engine.options.seed,
                                   .n_threads = cpu.n_threads,
                                   .memory_budget = engine.options.memory_budget,
                                   .widest = cpu.widest}});
}

template <class T>
lloyd::NearestCentroids<> Engine<T>::assign(const EngineArguments& engine, View centroids, View y) {
  return lloyd::KMeans(engine.options, cpu_of(engine)).assign(centroids, y);
}

}  // namespace program
