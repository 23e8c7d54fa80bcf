// SPDX-License-Identifier: MIT
/// @file
/// The backends and scalars that typed suites run over, and how to make a KMeans of each.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <utility>

#include "lloyd/lloyd.hpp"
#include "lloyd/reference.hpp"
#include "support/instances.hpp"

namespace lloyd::test {

/// One entry of a typed suite.
template <class B, Real T>
struct On {
  using Backend = B;
  using Scalar = T;
  static constexpr bool is_reference = std::is_same_v<B, Reference>;
};

using EveryBackend = testing::Types<On<Reference, float>, On<Reference, double>, On<Cpu, float>, On<Cpu, double>>;

/// For TYPED_TEST_SUITE: Suite/Cpu_float.
struct BackendNames {
  template <class Entry>
  static std::string GetName(int /*index*/) {
    const std::string scalar = std::is_same_v<typename Entry::Scalar, float> ? "float" : "double";
    return (Entry::is_reference ? "Reference_" : "Cpu_") + scalar;
  }
};

/// A backend of so many threads, where it has threads.
template <class B>
[[nodiscard]] B backend([[maybe_unused]] int n_threads = 2) {
  B result;
  if constexpr (requires { result.n_threads; }) result.n_threads = n_threads;
  return result;
}

/// A KMeans of an entry's backend.
template <class Entry>
[[nodiscard]] KMeans<typename Entry::Backend> kmeans_of(Options options, int n_threads = 2) {
  return KMeans<typename Entry::Backend>(std::move(options), backend<typename Entry::Backend>(n_threads));
}

}  // namespace lloyd::test
