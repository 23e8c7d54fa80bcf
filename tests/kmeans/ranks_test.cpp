// SPDX-License-Identifier: MIT
// Any split of the rows over ranks gives the bits of one process, and what fails on one rank fails on all.
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <new>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "lloyd/lloyd.hpp"
#include "support/problem.hpp"
#include "support/thread_ranks.hpp"
#include "support/verify.hpp"

namespace lloyd::test {
namespace {

/// Which rows a rank has: first, first + step, ... `count` of them.
struct Part {
  Index first, step, count;
};

/// How rows are shared.
struct Split {
  std::string name;
  std::vector<Part> parts;
  bool follow_on = false;  // the source leaves the numbering to the library
};

Split contiguous(const std::vector<Index>& counts, bool follow_on) {
  Split split{"contiguous", {}, follow_on};
  Index first = 0;
  for (const Index count : counts) {
    split.name += " " + std::to_string(count);
    split.parts.push_back({first, 1, count});
    first += count;
  }
  return split;
}

Split interleaved(Index n, Index ranks) {
  Split split{"interleaved over " + std::to_string(ranks), {}, false};
  for (Index rank = 0; rank < ranks; ++rank) split.parts.push_back({rank, ranks, (n - rank + ranks - 1) / ranks});
  return split;
}

/// Splits of n rows over 1 to 5 ranks, some of which have none.
std::vector<Split> splits(Index n) {
  const Index half = n / 2, third = n / 3;
  return {contiguous({n}, true),
          contiguous({half, n - half}, true),
          contiguous({1, n - 1}, false),
          contiguous({third, 0, n - third}, true),
          contiguous({0, n, 0}, true),
          contiguous({0, 0, 3, n - 3}, false),
          contiguous({third, 1, third, 0, n - 2 * third - 1}, true),
          interleaved(n, 2),
          interleaved(n, 3),
          interleaved(n, 5)};
}

/// A rank's own rows and weights.
template <Real T>
struct Share {
  Share(const Matrix<T>& all, const std::vector<double>& all_w, const Part& part) : x(part.count, all.cols()) {
    for (Index i = 0; i < part.count; ++i) {
      const Index row = part.first + part.step * i;
      std::copy_n(all.row(row), all.cols(), x.row(i));
      if (!all_w.empty()) w.push_back(all_w[static_cast<std::size_t>(row)]);
    }
  }
  [[nodiscard]] InMemory<T> source(const Split& split, const Part& part) const {
    return InMemory<T>(x.view(), weights(w), split.follow_on ? -1 : part.first, split.follow_on ? 1 : part.step);
  }
  Matrix<T> x;
  std::vector<double> w;
};

template <class B, Real T>
struct Run {
  std::vector<std::exception_ptr> errors;
  std::vector<Clustering<T, B>> results;
};

/// fit(kmeans, source) on every rank.
template <class B, Real T, class Fit>
Run<B, T> run(const Options& options, const Matrix<T>& x, const std::vector<double>& w, const Split& split,
              const B& backend, const Fit& fit) {
  Run<B, T> run;
  run.results.resize(split.parts.size());
  run.errors = on_ranks(static_cast<int>(split.parts.size()), [&](const ThreadRank& ranks) {
    const Part& part = split.parts[static_cast<std::size_t>(ranks.rank())];
    const Share<T> share(x, w, part);
    const KMeans<B, ThreadRank> kmeans(options, backend, ranks);
    run.results[static_cast<std::size_t>(ranks.rank())] = fit(kmeans, share.source(split, part));
  });
  return run;
}

/// The result of all ranks is the one of a single process.
template <class B, Real T>
void expect_same(const Clustering<T, B>& one, const Run<B, T>& many, const Split& split) {
  std::vector<Label> labels(one.labels.size(), -1);
  for (std::size_t rank = 0; rank < split.parts.size(); ++rank) {
    ASSERT_EQ(text_of(many.errors[rank]), "") << split.name << ", rank " << rank;
    const auto& mine = many.results[rank];
    const Part& part = split.parts[rank];
    ASSERT_EQ(static_cast<Index>(mine.labels.size()), part.count);
    for (Index i = 0; i < part.count; ++i)
      labels[static_cast<std::size_t>(part.first + part.step * i)] = mine.labels[static_cast<std::size_t>(i)];
    // All but the labels is global.
    Outcome<T> expected = outcome_of(one), found = outcome_of(mine);
    expected.labels = found.labels = {};
    ASSERT_EQ(difference(found, expected), "") << split.name << ", rank " << rank;
  }
  ASSERT_EQ(labels, one.labels) << split.name;
}

template <class B, Real T, class Fit>
void check_splits(const Options& options, const Matrix<T>& x, const std::vector<double>& w, const B& backend,
                  const Fit& fit) {
  const Clustering<T, B> one = fit(KMeans<B>(options, backend), InMemory<T>(x.view(), weights(w)));
  for (const Split& split : splits(x.rows())) {
    expect_same(one, run(options, x, w, split, backend, fit), split);
    if (testing::Test::HasFatalFailure()) return;
  }
}

const auto seeded = [](const auto& kmeans, const auto& source) { return kmeans.fit(source); };

std::vector<double> some_weights(Index n) {
  std::vector<double> w;
  for (Index i = 0; i < n; ++i) w.push_back(i % 9 == 2 ? 0 : 0.25 + static_cast<double>(i % 5) / 3);
  return w;
}

template <class T>
class Ranks : public testing::Test {};
using RankScalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Ranks, RankScalars);

TYPED_TEST(Ranks, EveryInitGivesTheBitsOfOneProcess) {
  const auto x = blobs<TypeParam>(1100, 3, 5, 1);  // two blocks of the sampler
  for (const Init init : {Init::kmeans_plus_plus, Init::scalable_kmeans_plus_plus, Init::random})
    for (const Index init_size : {0, 40})
      for (const bool weighted : {false, true}) {
        SCOPED_TRACE(testing::Message() << "init " << static_cast<int>(init) << ", init_size " << init_size
                                        << (weighted ? ", weighted" : ""));
        Options options{.n_clusters = 5, .n_init = 2, .max_iter = 6, .seed = 3, .init = init, .init_size = init_size};
        check_splits(options, x, weighted ? some_weights(x.rows()) : std::vector<double>{}, Reference(), seeded);
        if (this->HasFatalFailure()) return;
      }
}

TYPED_TEST(Ranks, RelocationGivesTheBitsOfOneProcess) {
  const auto x = grid_rows<TypeParam>(90, 2, 2, 9);
  auto c = head(x, 7);
  for (Index j = 2; j < 7; ++j) c(j, 0) = TypeParam(1000 + j);  // five clusters without rows
  const auto fit = [&](const auto& kmeans, const auto& source) { return kmeans.fit_from(c, source); };
  for (const bool weighted : {false, true})
    for (const double tol : {0.0, 1e-4}) {
      const Options options{.n_clusters = 7, .max_iter = 20, .tol = tol};
      check_splits(options, x, weighted ? some_weights(x.rows()) : std::vector<double>{}, Reference(), fit);
      if (this->HasFatalFailure()) return;
    }
}

TYPED_TEST(Ranks, OnCpuToo) {
  const auto x = blobs<TypeParam>(300, 4, 5, 4);
  const Options options{.n_clusters = 6, .seed = 1};
  check_splits(options, x, some_weights(x.rows()), Cpu{2}, seeded);
}

TYPED_TEST(Ranks, ScoreIsGlobal) {
  const auto x = blobs<TypeParam>(100, 3, 4, 5);
  const auto c = head(x, 4);
  const double expected = KMeans<Reference>({}).score(c, x);
  for (const Split& split : splits(x.rows())) {
    const auto errors = on_ranks(static_cast<int>(split.parts.size()), [&](const ThreadRank& ranks) {
      const Part& part = split.parts[static_cast<std::size_t>(ranks.rank())];
      const Share<TypeParam> share(x, {}, part);
      const KMeans<Reference, ThreadRank> kmeans({}, {}, ranks);
      EXPECT_EQ(kmeans.score(c, share.source(split, part)), expected);
    });
    for (const auto& error : errors) ASSERT_EQ(text_of(error), "") << split.name;
  }
}

/// Every rank ends with an error, and none because it was left alone.
void expect_all_fail(const std::vector<std::exception_ptr>& errors, const std::string& own, std::size_t at) {
  for (std::size_t rank = 0; rank < errors.size(); ++rank) {
    ASSERT_TRUE(errors[rank]) << "rank " << rank << " did not fail";
    try {
      std::rethrow_exception(errors[rank]);
    } catch (const OutOfStep& error) {
      FAIL() << "rank " << rank << " would hang: " << error.what();
    } catch (const std::exception& error) {
      if (rank == at) {
        EXPECT_NE(std::string(error.what()).find(own), std::string::npos) << error.what();
      }
    }
  }
}

/// The 12 rows of the cases H13.
Matrix<double> twelve() {
  return generate<double>(12, 1, [](Index i, Index) { return static_cast<double>(i + 1); });
}

Run<Reference, double> fit_twelve(const Options& options, const Split& split) {
  const auto c = column_of<double>({1, 7});
  return run<Reference, double>(options, twelve(), {}, split, {},
                                [&](const auto& kmeans, const auto& source) { return kmeans.fit_from(c, source); });
}

TEST(RanksHanded, H13_1_AllRanksAgreeOnTheRandomRoot) {
  const auto x = normal_rows<float>(13, 2, 1);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Options options{.n_clusters = 2, .seed = seed * 0x9E3779B97F4A7C15U, .init = static_cast<Init>(seed % 3)};
    const auto many = run<Reference, float>(options, x, {}, contiguous({5, 1, 7}, true), {}, seeded);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      ASSERT_EQ(text_of(many.errors[rank]), "");
      ASSERT_EQ(many.results[rank].centroids, many.results[0].centroids);
      ASSERT_EQ(many.results[rank].inertia, many.results[0].inertia);
      ASSERT_EQ(many.results[rank].n_iter, many.results[0].n_iter);
    }
  }
}

TEST(RanksHanded, H13_2_MultiEqualsSingle) {
  for (const Index ranks : {1, 2, 3, 4})
    for (const bool together : {true, false}) {
      std::vector<Index> counts(static_cast<std::size_t>(ranks), 12 / ranks);
      const Split split = together ? contiguous(counts, true) : interleaved(12, ranks);
      const auto many = fit_twelve({.n_clusters = 2}, split);
      for (std::size_t rank = 0; rank < counts.size(); ++rank) {
        ASSERT_EQ(text_of(many.errors[rank]), "");
        const auto& result = many.results[rank];
        EXPECT_EQ(result.centroids, column_of<double>({3.5, 9.5}));
        EXPECT_EQ(result.inertia, 35.0);
        for (Index i = 0; i < split.parts[rank].count; ++i)
          EXPECT_EQ(result.labels[static_cast<std::size_t>(i)],
                    split.parts[rank].first + split.parts[rank].step * i < 6 ? 0 : 1);
      }
    }
}

TEST(RanksHanded, H13_3_ARankWithoutRows) {
  for (const std::vector<Index>& counts :
       {std::vector<Index>{12, 0, 0}, std::vector<Index>{0, 12, 0}, std::vector<Index>{6, 0, 6}}) {
    const Split split = contiguous(counts, true);
    const auto given = fit_twelve({.n_clusters = 2}, split);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      ASSERT_EQ(text_of(given.errors[rank]), "");
      EXPECT_EQ(given.results[rank].centroids, column_of<double>({3.5, 9.5}));
      EXPECT_EQ(given.results[rank].inertia, 35.0);
    }
    for (const Init init : {Init::kmeans_plus_plus, Init::scalable_kmeans_plus_plus, Init::random})
      for (const bool weighted : {false, true}) {
        const Options options{.n_clusters = 2, .init = init};
        const auto w = weighted ? some_weights(12) : std::vector<double>{};
        const auto one = KMeans<Reference>(options).fit(InMemory<double>(twelve().view(), weights(w)));
        const auto x = twelve();
        expect_same(KMeans<Reference>(options).fit(InMemory<double>(x.view(), weights(w))),
                    run<Reference, double>(options, x, w, split, {}, seeded), split);
      }
  }
}

TEST(RanksHanded, H13_4_InertiaIsGlobal) {
  const auto many = fit_twelve({.n_clusters = 2}, contiguous({6, 6}, true));
  for (const auto& result : many.results) EXPECT_EQ(result.inertia, 35.0);
}

TEST(RanksHanded, H13_6_FailureOnOneRank) {
  for (const double hostile :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e160}) {
    auto x = twelve();
    x(9, 0) = hostile;
    for (const Split& split : {contiguous({6, 6}, true), contiguous({4, 4, 4}, true)}) {
      const auto many = run<Reference, double>({.n_clusters = 2}, x, {}, split, {}, seeded);
      expect_all_fail(many.errors, "x(9, 0)", split.parts.size() - 1);
    }
  }
}

/// How many allocations the backend below still grants on this rank; negative: any number.
thread_local Index granted = -1;

void allocate() {
  if (granted == 0) throw std::bad_alloc();
  if (granted > 0) --granted;
}

/// A backend whose memory ends.
template <class Base>
struct Scarce : Base {
  template <class V>
  struct Buffer : std::vector<V> {
    Buffer() = default;
    explicit Buffer(std::size_t n) : std::vector<V>(n) { allocate(); }
  };
  template <class T>
  struct Dense : Matrix<T> {
    Dense() = default;
    Dense(Index rows, Index cols) : Matrix<T>(rows, cols) { allocate(); }
  };

  [[nodiscard]] int workers() const {
    allocate();
    return Base::workers();
  }
  template <Real T>
  [[nodiscard]] auto prepare(MatrixView<const T> c, std::span<const T> o, const detail::Batching& batching,
                             const Options& options, MatrixView<const T> before = {}) const {
    allocate();
    return Base::prepare(c, o, batching, options, before);
  }
};

/// Grants rank 1 one allocation more in every run, until it has enough.
template <class B, class Fit>
void expect_all_fail_for_want_of_memory(const Options& options, const Matrix<float>& x, const B& backend,
                                        const Fit& fit) {
  bool enough = false;
  Index most = 0;
  for (; !enough; ++most) {
    SCOPED_TRACE(testing::Message() << most << " allocations, init " << static_cast<int>(options.init) << ", init_size "
                                    << options.init_size);
    const auto errors = on_ranks(3, [&](const ThreadRank& ranks) {
      const KMeans<B, ThreadRank> kmeans(options, backend, ranks);
      const Share<float> share(x, some_weights(x.rows()), {ranks.rank(), 3, x.rows() / 3});
      granted = ranks.rank() == 1 ? most : -1;
      fit(kmeans, InMemory<float>(share.x.view(), weights(share.w), ranks.rank(), 3));
    });
    enough = !errors[1];
    if (!enough) expect_all_fail(errors, "bad_alloc", 1);
    if (enough || testing::Test::HasFailure()) break;
  }
  EXPECT_GT(most, 5);
}

const auto seeded_and_scored = [](const auto& kmeans, const auto& source) {
  const auto result = kmeans.fit(source);
  const Matrix<float>& c = result.centroids;
  (void)kmeans.assign(c, source);
  (void)kmeans.transform(c, source);
  (void)kmeans.score(c, source);
};

TEST(RanksHanded, H13_6_NoMemoryOnOneRank) {
  const auto x = blobs<float>(90, 2, 4, 1);
  for (const Init init : {Init::kmeans_plus_plus, Init::scalable_kmeans_plus_plus, Init::random})
    for (const Index init_size : {0, 20})
      expect_all_fail_for_want_of_memory(
          {.n_clusters = 4, .n_init = 3, .max_iter = 2, .seed = 1, .init = init, .init_size = init_size}, x,
          Scarce<Reference>{}, seeded_and_scored);
}

TEST(RanksHanded, H13_6_NoMemoryOnOneRankForNotes) {
  expect_all_fail_for_want_of_memory({.n_clusters = 4, .max_iter = 2}, blobs<float>(90, 2, 4, 1), Scarce<Cpu>{},
                                     [](const auto& kmeans, const auto& source) { (void)kmeans.fit(source); });
}

TEST(RanksHanded, H13_6_NoMemoryOnOneRankForRelocation) {
  const auto x = grid_rows<float>(90, 2, 2, 9);
  auto c = head(x, 5);
  for (Index j = 2; j < 5; ++j) c(j, 0) = static_cast<float>(1000 + j);
  expect_all_fail_for_want_of_memory({.n_clusters = 5, .max_iter = 4}, x, Scarce<Reference>{},
                                     [&](const auto& kmeans, const auto& source) { (void)kmeans.fit_from(c, source); });

  const auto errors = on_ranks(2, [](const ThreadRank& ranks) {
    const struct { const ThreadRank& ranks; } problem{ranks};
    (void)detail::merge_far(problem, {}, ranks.rank() == 1 ? Index{1} << 58 : Index{3});
  });
  expect_all_fail(errors, "vector", 1);
}

TEST(RanksHanded, H13_6_TheWrongNumberOfWeightsOnOneRank) {
  const auto x = twelve();
  const auto c = column_of<double>({1, 7});
  const auto check = [&](const std::string& who, const auto& call) {
    const auto errors = on_ranks(2, [&](const ThreadRank& ranks) {
      const std::vector<double> w(ranks.rank() == 0 ? 11 : 12, 1.0);
      call(KMeans<Reference, ThreadRank>({.n_clusters = 2}, {}, ranks), w);
    });
    expect_all_fail(errors, "lloyd::KMeans::" + who + ": 11 weights, expected 12 (one a row) or none", 0);
  };
  check("fit", [&](const auto& kmeans, const auto& w) { (void)kmeans.fit(x, w); });
  check("fit_from", [&](const auto& kmeans, const auto& w) { (void)kmeans.fit_from(c, x, w); });
  check("score", [&](const auto& kmeans, const auto& w) { (void)kmeans.score(c, x, w); });
}

TEST(RanksFail, ABadWeightOnOneRank) {
  auto w = std::vector<double>(12, 1.0);
  w[2] = -1;
  expect_all_fail(run<Reference, double>({.n_clusters = 2}, twelve(), w, contiguous({6, 6}, true), {}, seeded).errors,
                  "weight 2 is -1", 0);
}

TEST(RanksFail, WeightsOfAllRanksThatSpanTooMuch) {
  auto w = std::vector<double>(12, 1.0);
  w[1] = 0x1p-283;  // 12 rows: 6 (61 - 4) - 60 = 282
  const auto refusal =
      "the largest weight 1 is 2^283 times the smallest positive one 6.43445e-86; of 12 rows at most 2^282";
  for (const std::size_t rank : {std::size_t{0}, std::size_t{1}})
    expect_all_fail(
        run<Reference, double>({.n_clusters = 2}, twelve(), w, contiguous({2, 10}, true), {}, seeded).errors, refusal,
        rank);
}

TEST(RanksFail, MoreClustersThanRowsOfAllRanks) {
  expect_all_fail(run<Reference, double>({.n_clusters = 13}, twelve(), {}, contiguous({6, 6}, true), {}, seeded).errors,
                  "n_clusters 13 > rows of x 12", 0);
  // Fewer rows on each rank than clusters are no error.
  EXPECT_EQ(
      text_of(run<Reference, double>({.n_clusters = 12}, twelve(), {}, contiguous({6, 6}, true), {}, seeded).errors[0]),
      "");
}

TEST(RanksFail, ATileThatDoesNotFitOnOneRank) {
  // A chunk of rows fits the budget, a hundred rows do not: only the second rank has a hundred.
  const auto x = normal_rows<double>(101, 50, 1);
  const Options options{.n_clusters = 2, .memory_budget = 65536, .batch_rows = 100};
  expect_all_fail(run<Reference, double>(options, x, {}, contiguous({1, 100}, true), {}, seeded).errors,
                  "memory_budget", 1);
}

TEST(RanksFail, BadCentroidsOnOneRank) {
  const auto fit = [](const auto& kmeans, const auto& source) {
    auto c = column_of<double>({1, 7});
    if (source.rows() == 4) c(1, 0) = std::numeric_limits<double>::quiet_NaN();
    return kmeans.fit_from(c, source);
  };
  expect_all_fail(run<Reference, double>({.n_clusters = 2}, twelve(), {}, contiguous({4, 8}, true), {}, fit).errors,
                  "centroids(1, 0)", 0);
}

TEST(RanksFail, RowsOfDifferentWidth) {
  const auto errors = on_ranks(2, [](const ThreadRank& ranks) {
    const Matrix<float> x(4, ranks.rank() + 1);
    (void)KMeans<Reference, ThreadRank>({.n_clusters = 2}, {}, ranks).fit(x);
  });
  expect_all_fail(errors, "ranks have rows of 1 to 2 columns", 0);
}

TEST(RanksFail, AScoreOfABadRow) {
  const auto errors = on_ranks(2, [](const ThreadRank& ranks) {
    auto y = twelve();
    if (ranks.rank() == 1) y(3, 0) = std::numeric_limits<double>::quiet_NaN();
    (void)KMeans<Reference, ThreadRank>({}, {}, ranks).score(twelve(), y);
  });
  expect_all_fail(errors, "y(3, 0)", 1);
}

TEST(RanksFail, ACallbackThatThrowsOnOneRank) {
  for (const auto phase :
       {Iteration::Phase::survey, Iteration::Phase::seeding, Iteration::Phase::lloyd, Iteration::Phase::finish}) {
    const auto x = twelve();
    const Split split = contiguous({6, 6}, true);
    const auto errors = on_ranks(2, [&](const ThreadRank& ranks) {
      Options options{.n_clusters = 2};
      if (ranks.rank() == 1)
        options.callback = [&](const Iteration& iteration) -> bool {
          if (iteration.phase == phase) throw std::runtime_error("enough");
          return true;
        };
      const Part& part = split.parts[static_cast<std::size_t>(ranks.rank())];
      const Share<double> share(x, {}, part);
      (void)KMeans<Reference, ThreadRank>(options, {}, ranks).fit(share.source(split, part));
    });
    expect_all_fail(errors, "enough", 1);
  }
}

TEST(RanksStop, ACallbackOnOneRankStopsAll) {
  const auto x = normal_rows<double>(200, 2, 3);
  const Split split = contiguous({50, 150}, true);
  for (const double tol : {0.0, 1e-4}) {
    std::vector<Clustering<double, Reference>> results(2);
    const auto errors = on_ranks(2, [&](const ThreadRank& ranks) {
      Options options{.n_clusters = 8, .tol = tol};
      if (ranks.rank() == 1) options.callback = [](const Iteration& iteration) { return iteration.number < 2; };
      const Part& part = split.parts[static_cast<std::size_t>(ranks.rank())];
      const Share<double> share(x, {}, part);
      results[static_cast<std::size_t>(ranks.rank())] =
          KMeans<Reference, ThreadRank>(options, {}, ranks).fit(share.source(split, part));
    });
    for (std::size_t rank = 0; rank < 2; ++rank) {
      ASSERT_EQ(text_of(errors[rank]), "");
      EXPECT_EQ(results[rank].n_iter, 2);
      EXPECT_EQ(results[rank].stop_reason, StopReason::cancelled);
      EXPECT_EQ(results[rank].centroids, results[0].centroids);
    }
  }
}

}  // namespace
}  // namespace lloyd::test
