// SPDX-License-Identifier: MIT
// The reference and the CPU agree bit for bit, over random problems of which half are hostile.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/backends.hpp"
#include "support/checked.hpp"
#include "support/data.hpp"
#include "support/verify.hpp"

namespace lloyd::test {
namespace {

/// A backend that counts the rows it relocates.
template <class B>
struct Counting : B {
  Index* moves = nullptr;

  template <Real T>
  void move(const Tile<T>& tile, Index i, Label to, std::span<Label> labels, const detail::Quanta& quanta,
            const detail::SumsView& sums) const {
    ++*moves;
    B::move(tile, i, to, labels, quanta, sums);
  }
};

/// What was met, over all problems.
struct Totals {
  Index problems = 0, hostile = 0, ties = 0, rechecked = 0, relocations = 0, empty = 0, skipped_isa = 0;
};

enum class Kind {
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

[[nodiscard]] const char* name_of(Kind kind) {
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
[[nodiscard]] Matrix<T> rows_of_kind(Kind kind, Index n, Index d, std::uint64_t seed) {
  switch (kind) {
    case Kind::uniform:
      return uniform_rows<T>(n, d, seed);
    case Kind::normal:
      return normal_rows<T>(n, d, seed);
    case Kind::clouds:
      return blobs<T>(n, d, 6, seed);
    case Kind::grid:
      return grid_rows<T>(n, d, seed);
    case Kind::duplicates:
      return duplicated_rows<T>(n, d, 7, seed);
    case Kind::mirrored:
      return mirrored_rows<T>(n, d, seed);
    case Kind::offset:
      return shifted(seed % 2 == 0 ? blobs<T>(n, d, 6, seed) : grid_rows<T>(n, d, seed), 1e6);
    case Kind::scales:
      return mixed_scales<T>(n, d, seed, 20);
    case Kind::wide_scales:
      return mixed_scales<T>(n, d, seed, 100);
    case Kind::equal:
      return duplicated_rows<T>(n, d, 1, seed);
    case Kind::extremes:
      return mixed_scales<T>(n, d, seed, std::is_same_v<T, float> ? 125 : 240);
    case Kind::bisectors:
      break;
  }
  return bisector_rows<T>(n, d, seed);
}

/// One problem and how the CPU is to solve it.
template <Real T>
struct Problem {
  Input<T> input;
  std::vector<float> single;  // the weights again, where they are to be passed as float
  std::vector<T> storage;     // the rows again, `stride` apart
  Index stride = 0;
  Options options, cpu_options;
  Cpu cpu;
  std::string text;

  [[nodiscard]] MatrixView<const T> rows() const { return {storage.data(), input.x.rows(), input.x.cols(), stride}; }
};

template <Real T>
void choose_weights(Random& random, Problem<T>& p) {
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

[[nodiscard]] Options choose_options(Random& random, Index n, Index k, bool seeded) {
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

template <Real T>
[[nodiscard]] Problem<T> make_problem(std::uint64_t number, std::optional<Kind> wanted = {}) {
  Random random(number * 2 + (std::is_same_v<T, float> ? 1 : 0));
  const bool hostile = number % 2 == 1;
  const auto drawn = static_cast<Kind>(hostile ? random.between(3, 10) : random.below(3));
  const Kind kind = wanted.value_or(drawn);
  const bool large = random.below(60) == 0;  // more rows than any tile takes by itself
  const Index most = large ? 5000 : std::vector<Index>{2, 12, 60, 250}[static_cast<std::size_t>(random.below(4))];
  const Index n = random.between(large ? 2000 : 1, most);
  const bool wide = random.below(6) == 0 && !large;  // where matrix units take part
  const Index d = wide ? random.between(64, 300) : random.between(1, large ? 9 : 33);
  const Index least = wide ? (std::min)(n, Index{32}) : 1;
  const Index k = random.below(8) == 0 && !large ? n : random.between(least, (std::min)(n, Index{40}));
  Problem<T> p;
  p.input.x = rows_of_kind<T>(kind, n, d, random.bits());
  choose_weights(random, p);
  const bool seeded = random.flip();
  if (!seeded) p.input.c = choose_centroids(random, p.input.x, k);
  p.stride = d + (random.flip() ? random.below(5) : 0);
  p.storage.assign(static_cast<std::size_t>(n * p.stride), std::numeric_limits<T>::quiet_NaN());
  for (Index i = 0; i < n; ++i) std::copy_n(p.input.x.row(i), d, p.storage.data() + i * p.stride);
  p.options = p.cpu_options = choose_options(random, n, k, seeded);
  if (random.flip()) p.cpu_options.batch_rows = random.between(1, n);
  if (random.flip()) p.cpu_options.batch_centroids = random.between(1, k);
  p.cpu_options.update = static_cast<CentroidUpdate>(random.below(3));
  p.cpu_options.assignment = static_cast<Assignment>(random.below(3));
  p.cpu.n_threads = static_cast<int>(random.between(1, 8));
  p.cpu.widest = static_cast<Isa>(random.below(4));
  std::ostringstream text;
  text << "problem " << number << ": " << name_of(kind) << ", n " << n << ", d " << d << ", k " << k << ", stride "
       << p.stride << ", weights "
       << (p.input.w.empty()  ? "none"
           : p.single.empty() ? "double"
                              : "float")
       << (seeded ? ", seeded by " : ", given, ") << static_cast<int>(p.options.init) << ", tol " << p.options.tol
       << ", max_iter " << p.options.max_iter << ", tile " << p.cpu_options.batch_rows << " x "
       << p.cpu_options.batch_centroids << ", update " << static_cast<int>(p.cpu_options.update) << ", assignment "
       << static_cast<int>(p.cpu_options.assignment) << ", threads " << p.cpu.n_threads << ", isa "
       << static_cast<int>(p.cpu.widest);
  p.text = text.str();
  return p;
}

/// The fit of a problem by the CPU: its rows at their stride, its weights in their type.
template <Real T, class B>
[[nodiscard]] Clustering<T, B> fit_strided(const KMeans<B>& kmeans, const Problem<T>& p) {
  const auto with = [&](const auto& w) {
    return p.input.seeded() ? kmeans.fit(p.rows(), w) : kmeans.fit_from(p.input.c, p.rows(), w);
  };
  return p.single.empty() ? with(p.input.w) : with(p.single);
}

template <Real T>
void expect_agreement(const Problem<T>& p, Totals& totals) {
  Index reference_moves = 0, cpu_moves = 0;
  Counting<Reference> reference;
  reference.moves = &reference_moves;
  Counting<Cpu> cpu{p.cpu};
  cpu.moves = &cpu_moves;
  const auto expected = outcome_of(fit_input(KMeans<Counting<Reference>>(p.options, reference), p.input));
  const KMeans<Counting<Cpu>> kmeans(p.cpu_options, cpu);
  const auto result = fit_strided(kmeans, p);
  ASSERT_EQ(difference(expected, outcome_of(result)), "");
  ASSERT_EQ(reference_moves, cpu_moves);
  const MatrixView<const T> x = p.input.x.view();
  ASSERT_EQ(verify(x, p.input.w, p.options, expected), "");
  const auto near = kmeans.assign(result.centroids, p.rows());
  ASSERT_EQ(near.labels, expected.labels);
  for (Index i = 0; i < x.rows(); ++i) {
    const auto nearest = nearest_of(x.row(i), std::as_const(expected.centroids).view());
    totals.ties += nearest.ties > 1 ? 1 : 0;
    ASSERT_EQ(near.distances[static_cast<std::size_t>(i)], nearest.d2) << "row " << i;
  }
  totals.rechecked += result.n_rechecked;
  totals.relocations += cpu_moves;
  totals.empty += result.n_empty;
}

template <class T>
class Agreement : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Agreement, Scalars);

TYPED_TEST(Agreement, OfTheReferenceAndTheCpu) {
  constexpr std::uint64_t problems = 800;
  Totals totals;
  for (std::uint64_t number = 0; number < problems; ++number) {
    const auto p = make_problem<TypeParam>(number);
    SCOPED_TRACE(p.text);
    expect_agreement(p, totals);
    if (this->HasFatalFailure()) return;
    ++totals.problems;
    totals.hostile += number % 2 == 1 ? 1 : 0;
    totals.skipped_isa += p.cpu.widest > cpu::widest_isa() ? 1 : 0;
  }
  std::cout << totals.problems << " problems, " << totals.hostile << " hostile: " << totals.ties << " ties, "
            << totals.rechecked << " rechecked rows, " << totals.relocations << " relocations, " << totals.empty
            << " empty clusters; " << totals.skipped_isa << " asked for instructions that this machine lacks\n";
  EXPECT_GE(2 * totals.hostile, totals.problems);
  EXPECT_GT(totals.ties, 0);
  EXPECT_GT(totals.rechecked, 0);
  EXPECT_GT(totals.relocations, 0);
  EXPECT_GT(totals.empty, 0);
}

// Some rows overflow a filter in T, and rows beside them do not. In double the sums span more than six limbs, and the
// last one rounds: still the same bits everywhere, but a fixed point need not hold the rounded means.
TYPED_TEST(Agreement, OnRowsThatOverflowTheFilter) {
  Totals totals;
  for (std::uint64_t number = 10000; number < 10300; ++number) {
    auto p = make_problem<TypeParam>(number, Kind::extremes);
    if (p.options.tol == 0) p.options.tol = p.cpu_options.tol = 1e-300;
    SCOPED_TRACE(p.text);
    expect_agreement(p, totals);
    if (this->HasFatalFailure()) return;
  }
  EXPECT_GT(totals.rechecked, 0);
}

// So many centroids and so few features that sums are sieved by what the row's old label leaves.
TYPED_TEST(Agreement, OnManyCentroidsOfFewFeatures) {
  for (const Kind kind : {Kind::uniform, Kind::clouds, Kind::grid, Kind::offset})
    for (const Index d : {1, 2, 8}) {
      const Input<TypeParam> input{rows_of_kind<TypeParam>(kind, 2100 + d, d, static_cast<std::uint64_t>(d))};
      const Options options{
          .n_clusters = 1000 + d, .max_iter = 4, .tol = 0, .init = Init::random, .empty_clusters = EmptyClusters::keep};
      const auto expected = outcome_of(fit_input(KMeans<Reference>(options), input));
      for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512, Isa::amx}) {
        const auto result = outcome_of(fit_input(KMeans<Cpu>(options, {.n_threads = 2, .widest = isa}), input));
        ASSERT_EQ(difference(expected, result), "") << "isa " << static_cast<int>(isa) << ", d " << d;
      }
    }
}

// A candidate's gain counts every row once, also one that the filter cannot judge: few rows, so that one counted twice
// makes another candidate win.
TYPED_TEST(Agreement, OnSeedingFromRowsThatOverflowTheFilter) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Input<TypeParam> input{rows_of_kind<TypeParam>(Kind::extremes, 16, 2, seed)};
    Options options{.n_clusters = 4, .max_iter = 0, .seed = seed};
    const auto expected = outcome_of(fit_input(KMeans<Reference>(options), input));
    for (const auto assignment : {Assignment::fused, Assignment::gram}) {
      for (const Index batch_rows : {10, 16}) {
        options.assignment = assignment;
        options.batch_rows = batch_rows;
        const auto result = outcome_of(fit_input(KMeans<Cpu>(options, {.n_threads = 1}), input));
        ASSERT_EQ(difference(expected, result), "") << "seed " << seed << ", tiles of " << batch_rows << " rows";
      }
    }
  }
}

}  // namespace
}  // namespace lloyd::test
