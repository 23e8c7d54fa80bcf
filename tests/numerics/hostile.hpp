// SPDX-License-Identifier: MIT
/// @file
/// Rows and centroids that are hard on the certificate, and the faults that may be planted in its bound.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "lloyd/matrix.hpp"

namespace lloyd::test::hostile {

// The planted faults.
struct HundredthOfTheBound {
  static constexpr double factor = 0.01;
  static constexpr bool covers_distance = true;
};
struct NoBound {
  static constexpr double factor = 0;
  static constexpr bool covers_distance = false;
};
struct WithoutTheTermOfD {
  static constexpr double factor = 1;
  static constexpr bool covers_distance = false;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  Index below(Index n) { return static_cast<Index>(next() % static_cast<std::uint64_t>(n)); }

 private:
  std::uint64_t state_;
};

enum class Kind { uniform, offset, grid, scales, bisector, near_the_origin, far, huge, tiny, last };

inline const char* name(Kind kind) {
  constexpr const char* names[] = {"uniform",      "offset 1e6", "grid",
                                   "mixed scales", "bisectors",  "centroids at the mean",
                                   "far rows",     "huge",       "tiny"};
  return names[static_cast<int>(kind)];
}

template <class T>
T moved(T value, Index ulps) {
  for (; ulps > 0; --ulps) value = std::nextafter(value, std::numeric_limits<T>::infinity());
  for (; ulps < 0; ++ulps) value = std::nextafter(value, -std::numeric_limits<T>::infinity());
  return value;
}

template <class T>
struct Problem {
  Index n, d, k;
  std::vector<T> x, c;

  Problem(Kind kind, Index rows, Index features, Index centroids, std::uint64_t seed)
      : n(rows), d(features), k(centroids), x(static_cast<std::size_t>(n * d)), c(static_cast<std::size_t>(k * d)) {
    Random random(seed);
    for (auto& value : c) value = centroid_value(kind, random);
    if (kind == Kind::near_the_origin)  // centroids that differ from their mean by much less than rows do
      for (std::size_t i = 0; i < c.size(); ++i) c[i] = moved(T{1}, random.below(9) - 4);
    for (Index i = 0; i < n; ++i) {
      const Index a = random.below(k), b = random.below(k);
      for (Index q = 0; q < d; ++q) {
        T& value = x[static_cast<std::size_t>(i * d + q)];
        value = row_value(kind, random);
        if (kind != Kind::bisector) continue;
        const double middle = (static_cast<double>(c[static_cast<std::size_t>(a * d + q)]) +
                               static_cast<double>(c[static_cast<std::size_t>(b * d + q)])) /
                              2;
        value = moved(static_cast<T>(middle), random.below(5) - 2);
      }
    }
  }

  static T row_value(Kind kind, Random& random) {
    if (kind == Kind::near_the_origin) return static_cast<T>(1000 * (random.uniform() - 0.5));
    if (kind == Kind::far)
      return static_cast<T>((random.uniform() - 0.5) * std::ldexp(1.0, static_cast<int>(random.below(60))));
    return centroid_value(kind, random);
  }
  static T centroid_value(Kind kind, Random& random) {
    const double u = random.uniform();
    switch (kind) {
      case Kind::offset:
        return static_cast<T>(1e6 + u);
      case Kind::grid:
        return static_cast<T>(random.below(4));
      case Kind::scales:
        return static_cast<T>((u - 0.5) * std::ldexp(1.0, static_cast<int>(random.below(60)) - 30));
      case Kind::huge:
        return static_cast<T>((u - 0.5) * (std::same_as<T, float> ? 0x1p127 : 0x1p499));
      case Kind::tiny:
        return static_cast<T>((u - 0.5) * (std::same_as<T, float> ? 0x1p-130 : 0x1p-1050));
      default:
        return static_cast<T>(u - 0.5);
    }
  }

  MatrixView<const T> rows() const { return {x.data(), n, d}; }
  MatrixView<const T> centroids() const { return {c.data(), k, d}; }
};

}  // namespace lloyd::test::hostile
