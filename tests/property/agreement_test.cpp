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
#include "support/random_problem.hpp"
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

/// A problem and how the CPU is to solve it.
template <Real T>
struct CpuProblem : RandomProblem<T> {
  explicit CpuProblem(std::uint64_t number, std::optional<ProblemKind> wanted = {})
      : RandomProblem<T>(random_problem<T>(number, wanted)) {
    cpu.n_threads = static_cast<int>(this->random.between(1, 8));
    cpu.widest = static_cast<Isa>(this->random.below(4));
    this->text +=
        ", threads " + std::to_string(cpu.n_threads) + ", isa " + std::to_string(static_cast<int>(cpu.widest));
  }
  Cpu cpu;
};

/// The fit of a problem by the CPU: its rows at their stride, its weights in their type.
template <Real T, class B>
[[nodiscard]] Clustering<T, B> fit_strided(const KMeans<B>& kmeans, const CpuProblem<T>& p) {
  const auto with = [&](const auto& w) {
    return p.input.seeded() ? kmeans.fit(p.rows(), w) : kmeans.fit_from(p.input.c, p.rows(), w);
  };
  return p.single.empty() ? with(p.input.w) : with(p.single);
}

template <Real T>
void expect_agreement(const CpuProblem<T>& p, Totals& totals) {
  Index reference_moves = 0, cpu_moves = 0;
  Counting<Reference> reference;
  reference.moves = &reference_moves;
  Counting<Cpu> cpu{p.cpu};
  cpu.moves = &cpu_moves;
  const auto expected = outcome_of(fit_input(KMeans<Counting<Reference>>(p.options, reference), p.input));
  const KMeans<Counting<Cpu>> kmeans(p.other_options, cpu);
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
    const auto p = CpuProblem<TypeParam>(number);
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
    auto p = CpuProblem<TypeParam>(number, ProblemKind::extremes);
    if (p.options.tol == 0) p.options.tol = p.other_options.tol = 1e-300;
    SCOPED_TRACE(p.text);
    expect_agreement(p, totals);
    if (this->HasFatalFailure()) return;
  }
  EXPECT_GT(totals.rechecked, 0);
}

// So many centroids and so few features that sums are sieved by what the row's old label leaves.
TYPED_TEST(Agreement, OnManyCentroidsOfFewFeatures) {
  for (const ProblemKind kind : {ProblemKind::uniform, ProblemKind::clouds, ProblemKind::grid, ProblemKind::offset})
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
    const Input<TypeParam> input{rows_of_kind<TypeParam>(ProblemKind::extremes, 16, 2, seed)};
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
