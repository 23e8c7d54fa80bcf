// SPDX-License-Identifier: MIT
/// @file
/// Rows to cluster, the same on every machine: a small generator of its own, no library's distribution, no libm.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

#include "lloyd/matrix.hpp"

namespace lloyd::test {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// 0 .. count - 1
  Index below(Index count) { return static_cast<Index>(bits() % static_cast<std::uint64_t>(count)); }
  /// least .. most
  Index between(Index least, Index most) { return least + below(most - least + 1); }
  bool flip() { return (bits() & 1) != 0; }
  /// 0 <= u < 1, a multiple of 2^-53
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Near enough to a standard normal: twelve uniforms less six.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  std::uint64_t state_;
};

/// Rows written out.
template <Real T>
[[nodiscard]] Matrix<T> rows_of(std::initializer_list<std::initializer_list<double>> rows) {
  Matrix<T> x(rows.size(), rows.size() == 0 ? std::size_t{0} : rows.begin()->size());
  Index i = 0;
  for (const auto& row : rows) {
    Index q = 0;
    for (const double value : row) x(i, q++) = static_cast<T>(value);
    ++i;
  }
  return x;
}

/// Rows of one value each.
template <Real T>
[[nodiscard]] Matrix<T> column_of(const std::vector<double>& values) {
  Matrix<T> x(values.size(), 1);
  for (Index i = 0; i < x.rows(); ++i) x(i, 0) = static_cast<T>(values[static_cast<std::size_t>(i)]);
  return x;
}

/// x_iq = value(i, q)
template <Real T, class Value>
[[nodiscard]] Matrix<T> generate(Index n, Index d, const Value& value) {
  Matrix<T> x(n, d);
  for (Index i = 0; i < n; ++i)
    for (Index q = 0; q < d; ++q) x(i, q) = static_cast<T>(value(i, q));
  return x;
}

template <Real T>
[[nodiscard]] Matrix<T> uniform_rows(Index n, Index d, std::uint64_t seed, double low = 0, double high = 1) {
  Random random(seed);
  return generate<T>(n, d, [&](Index, Index) { return random.uniform(low, high); });
}

template <Real T>
[[nodiscard]] Matrix<T> normal_rows(Index n, Index d, std::uint64_t seed) {
  Random random(seed);
  return generate<T>(n, d, [&](Index, Index) { return random.normal(); });
}

/// Clouds of unit width around `centres` points some 20 apart.
template <Real T>
[[nodiscard]] Matrix<T> blobs(Index n, Index d, Index centres, std::uint64_t seed) {
  Random random(seed);
  const auto centre = generate<double>(centres, d, [&](Index, Index) { return random.uniform(-20, 20); });
  Matrix<T> x(n, d);
  for (Index i = 0; i < n; ++i) {
    const Index j = random.below(centres);
    for (Index q = 0; q < d; ++q) x(i, q) = static_cast<T>(centre(j, q) + random.normal());
  }
  return x;
}

/// Whole numbers 0 .. most: distances of small whole numbers tie all the time.
template <Real T>
[[nodiscard]] Matrix<T> grid_rows(Index n, Index d, std::uint64_t seed, Index most = 2) {
  Random random(seed);
  return generate<T>(n, d, [&](Index, Index) { return random.between(0, most); });
}

/// At most `distinct` different rows, repeated at random.
template <Real T>
[[nodiscard]] Matrix<T> duplicated_rows(Index n, Index d, Index distinct, std::uint64_t seed) {
  Random random(seed);
  const auto pool = normal_rows<T>(distinct, d, random.bits());
  Matrix<T> x(n, d);
  for (Index i = 0; i < n; ++i) {
    const Index from = random.below(distinct);
    for (Index q = 0; q < d; ++q) x(i, q) = pool(from, q);
  }
  return x;
}

/// Pairs of rows mirrored at the origin, so that the origin and the axes are bisectors of many pairs.
template <Real T>
[[nodiscard]] Matrix<T> mirrored_rows(Index n, Index d, std::uint64_t seed) {
  auto x = normal_rows<T>(n, d, seed);
  for (Index i = 1; i < n; i += 2)
    for (Index q = 0; q < d; ++q) x(i, q) = -x(i - 1, q);
  return x;
}

/// Every value has a magnitude of its own, 2^-power .. 2^power, and a sign.
template <Real T>
[[nodiscard]] Matrix<T> mixed_scales(Index n, Index d, std::uint64_t seed, int power) {
  Random random(seed);
  return generate<T>(n, d, [&](Index, Index) {
    const auto e = static_cast<int>(random.between(-power, power));
    return std::ldexp(random.uniform(1, 2) * (random.flip() ? 1 : -1), e);
  });
}

/// x + offset, rounded to T.
template <Real T>
[[nodiscard]] Matrix<T> shifted(const Matrix<T>& x, double offset) {
  return generate<T>(x.rows(), x.cols(), [&](Index i, Index q) { return static_cast<double>(x(i, q)) + offset; });
}

template <Real T>
[[nodiscard]] Matrix<T> scaled(const Matrix<T>& x, double factor) {
  return generate<T>(x.rows(), x.cols(), [&](Index i, Index q) { return static_cast<double>(x(i, q)) * factor; });
}

/// Rows rows[0], rows[1], ... of x.
template <Real T>
[[nodiscard]] Matrix<T> rows_at(const Matrix<T>& x, const std::vector<Index>& rows) {
  return generate<T>(static_cast<Index>(rows.size()), x.cols(),
                     [&](Index i, Index q) { return x(rows[static_cast<std::size_t>(i)], q); });
}

/// The first `count` rows.
template <Real T>
[[nodiscard]] Matrix<T> head(const Matrix<T>& x, Index count) {
  return generate<T>(count, x.cols(), [&](Index i, Index q) { return x(i, q); });
}

/// 0 .. n - 1 in a random order (Fisher, Yates).
[[nodiscard]] inline std::vector<Index> permutation(Index n, std::uint64_t seed) {
  Random random(seed);
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = n; i > 1; --i)
    std::swap(order[static_cast<std::size_t>(i - 1)], order[static_cast<std::size_t>(random.below(i))]);
  return order;
}

}  // namespace lloyd::test
