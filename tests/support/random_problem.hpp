// SPDX-License-Identifier: MIT
/// @file
/// Random problems, of which every other one is hostile: ties, duplicates, offsets, mixed scales, bisectors.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "lloyd/matrix.hpp"
#include "lloyd/options.hpp"
#include "support/data.hpp"
#include "support/input.hpp"

namespace lloyd::test {

/// Rows of what nature.
enum class ProblemKind {
  uniform,
  normal,
  clouds,
  grid,
  duplicates,
  mirrored,
  offset,
  scales,
  wide_scales,
  equal,
  bisectors,
  extremes
};

[[nodiscard]] inline const char* name_of(ProblemKind kind) {
  static const char* const names[] = {"uniform", "normal", "clouds",      "grid",  "duplicates", "mirrored",
                                      "offset",  "scales", "wide_scales", "equal", "bisectors",  "extremes"};
  return names[static_cast<std::size_t>(kind)];
}

/// Rows midway between rows of a small pool, moved 0, 1 or 2 ulp in one column.
template <Real T>
[[nodiscard]] Matrix<T> bisector_rows(Index n, Index d, std::uint64_t seed) {
  Random random(seed);
  const auto pool = grid_rows<T>(8, d, random.bits(), 64);
  Matrix<T> x(n, d);
  for (Index i = 0; i < n; ++i) {
    const Index a = random.below(8), b = random.below(8);
    for (Index q = 0; q < d; ++q) x(i, q) = (pool(a, q) + pool(b, q)) / 2;
    T& moved = x(i, random.below(d));
    for (Index ulp = random.below(3); ulp > 0; --ulp) moved = std::nextafter(moved, random.flip() ? T(1000) : T(-1000));
  }
  return x;
}

template <Real T>
[[nodiscard]] Matrix<T> rows_of_kind(ProblemKind kind, Index n, Index d, std::uint64_t seed) {
  switch (kind) {
    case ProblemKind::uniform:
      return uniform_rows<T>(n, d, seed);
    case ProblemKind::normal:
      return normal_rows<T>(n, d, seed);
    case ProblemKind::clouds:
      return blobs<T>(n, d, 6, seed);
    case ProblemKind::grid:
      return grid_rows<T>(n, d, seed);
    case ProblemKind::duplicates:
      return duplicated_rows<T>(n, d, 7, seed);
    case ProblemKind::mirrored:
      return mirrored_rows<T>(n, d, seed);
    case ProblemKind::offset:
      return shifted(seed % 2 == 0 ? blobs<T>(n, d, 6, seed) : grid_rows<T>(n, d, seed), 1e6);
    case ProblemKind::scales:
      return mixed_scales<T>(n, d, seed, 20);
    case ProblemKind::wide_scales:
      return mixed_scales<T>(n, d, seed, 100);
    case ProblemKind::equal:
      return duplicated_rows<T>(n, d, 1, seed);
    case ProblemKind::extremes:
      return mixed_scales<T>(n, d, seed, std::is_same_v<T, float> ? 125 : 240);
    case ProblemKind::bisectors:
      break;
  }
  return bisector_rows<T>(n, d, seed);
}

/// One problem, and options for another backend to solve it in its own way.
template <Real T>
struct RandomProblem {
  Input<T> input;
  std::vector<float> single;  // the weights again, where they are to be passed as float
  std::vector<T> storage;     // the rows again, `stride` apart
  Index stride = 0;
  Options options, other_options;
  std::string text;
  Random random{0};  ///< for what else is to be chosen

  [[nodiscard]] MatrixView<const T> rows() const { return {storage.data(), input.x.rows(), input.x.cols(), stride}; }
};

template <Real T>
void choose_weights(Random& random, RandomProblem<T>& p) {
  const Index n = p.input.x.rows(), kind = random.below(6);
  if (kind < 2) return;
  for (Index i = 0; i < n; ++i) {
    double w = random.uniform(0.1, 2);
    if (kind == 3) w = static_cast<double>(random.below(4));
    if (kind == 4) w = std::ldexp(w, static_cast<int>(random.between(-30, 30)));
    if (kind == 5 && random.below(3) == 0) w = 0;
    p.input.w.push_back(w);
  }
  p.input.w[static_cast<std::size_t>(random.below(n))] = 1;
  if (random.flip()) {
    p.single.assign(p.input.w.begin(), p.input.w.end());
    p.input.w.assign(p.single.begin(), p.single.end());
  }
}

/// Rows, rows again, midpoints, or points far from everything, which no row is nearest to.
template <Real T>
[[nodiscard]] Matrix<T> choose_centroids(Random& random, const Matrix<T>& x, Index k) {
  Index kind = 0, a = 0, b = 0;
  return generate<T>(k, x.cols(), [&](Index, Index q) {
    if (q == 0) kind = random.below(8), a = random.below(x.rows()), b = random.below(x.rows());
    if (kind == 0) return T(1e7) + T(a);
    return kind == 1 ? (x(a, q) + x(b, q)) / 2 : x(a, q);
  });
}

[[nodiscard]] inline Options choose_options(Random& random, Index n, Index k, bool seeded) {
  Options o{.n_clusters = k};
  if (seeded) o.n_init = random.between(1, 3);
  o.max_iter = std::vector<Index>{0, 1, 2, 5, 40}[static_cast<std::size_t>(random.below(5))];
  o.tol = std::vector<double>{0, 1e-4, 1e-2}[static_cast<std::size_t>(random.below(3))];
  o.seed = random.bits();
  o.init = every_init[static_cast<std::size_t>(random.below(3))];
  if (random.below(3) == 0) o.init_size = random.between(k, 2 * n);
  o.n_local_trials = (std::min)(random.below(4), seeded ? n : Index{3});
  o.init_rounds = random.below(4);
  o.oversampling_factor = random.uniform(0.1, 3);
  if (random.below(4) == 0) o.empty_clusters = EmptyClusters::keep;
  return o;
}

/// How many rows a problem may have; one in sixty is large where that is allowed.
struct ProblemSizes {
  std::array<Index, 4> most = {2, 12, 60, 250};
  bool large = true;
};

template <Real T>
[[nodiscard]] RandomProblem<T> random_problem(std::uint64_t number, std::optional<ProblemKind> wanted = {},
                                              const ProblemSizes& sizes = {}) {
  Random random(number * 2 + (std::is_same_v<T, float> ? 1 : 0));
  const bool hostile = number % 2 == 1;
  const auto drawn = static_cast<ProblemKind>(hostile ? random.between(3, 10) : random.below(3));
  const ProblemKind kind = wanted.value_or(drawn);
  const bool large = random.below(60) == 0 && sizes.large;  // more rows than any tile takes by itself
  const Index most = large ? 5000 : sizes.most[static_cast<std::size_t>(random.below(4))];
  const Index n = random.between(large ? 2000 : 1, most);
  const bool wide = random.below(6) == 0 && !large;  // where matrix units take part
  const Index d = wide ? random.between(64, 300) : random.between(1, large ? 9 : 33);
  const Index least = wide ? (std::min)(n, Index{32}) : 1;
  const Index k = random.below(8) == 0 && !large ? n : random.between(least, (std::min)(n, Index{40}));
  RandomProblem<T> p;
  p.input.x = rows_of_kind<T>(kind, n, d, random.bits());
  choose_weights(random, p);
  const bool seeded = random.flip();
  if (!seeded) p.input.c = choose_centroids(random, p.input.x, k);
  p.stride = d + (random.flip() ? random.below(5) : 0);
  p.storage.assign(static_cast<std::size_t>(n * p.stride), std::numeric_limits<T>::quiet_NaN());
  for (Index i = 0; i < n; ++i) std::copy_n(p.input.x.row(i), d, p.storage.data() + i * p.stride);
  p.options = p.other_options = choose_options(random, n, k, seeded);
  if (random.flip()) p.other_options.batch_rows = random.between(1, n);
  if (random.flip()) p.other_options.batch_centroids = random.between(1, k);
  p.other_options.update = static_cast<CentroidUpdate>(random.below(3));
  p.other_options.assignment = static_cast<Assignment>(random.below(3));
  std::ostringstream text;
  text << "problem " << number << ": " << name_of(kind) << ", n " << n << ", d " << d << ", k " << k << ", stride "
       << p.stride << ", weights "
       << (p.input.w.empty()  ? "none"
           : p.single.empty() ? "double"
                              : "float")
       << (seeded ? ", seeded by " : ", given, ") << static_cast<int>(p.options.init) << ", tol " << p.options.tol
       << ", max_iter " << p.options.max_iter << ", tile " << p.other_options.batch_rows << " x "
       << p.other_options.batch_centroids << ", update " << static_cast<int>(p.other_options.update) << ", assignment "
       << static_cast<int>(p.other_options.assignment);
  p.text = text.str();
  p.random = random;
  return p;
}

}  // namespace lloyd::test
