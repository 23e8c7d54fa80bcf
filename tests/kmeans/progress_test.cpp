// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <vector>

#include "support/problem.hpp"
#include "support/verify.hpp"

namespace lloyd::test {
namespace {

using Phase = Iteration::Phase;

Matrix<double> rows() { return normal_rows<double>(150, 2, 7); }

/// Everything that the callback saw in a fit.
std::vector<Iteration> watch(Options options) {
  std::vector<Iteration> seen;
  options.callback = [&](const Iteration& iteration) {
    seen.push_back(iteration);
    return true;
  };
  (void)KMeans<Reference>(options).fit(rows());
  return seen;
}

TEST(Progress, IsCalledAfterEveryPassOfEveryPhase) {
  for (const Init init : {Init::kmeans_plus_plus, Init::scalable_kmeans_plus_plus, Init::random})
    for (const Index init_size : {0, 60}) {
      const auto seen = watch({.n_clusters = 6, .n_init = 3, .seed = 2, .init = init, .init_size = init_size});
      Phase phase = Phase::survey;
      Index done = 0, finished = 0;
      double seconds = 0;
      ASSERT_EQ(seen.front().phase, Phase::survey);
      for (const Iteration& iteration : seen) {
        if (iteration.phase != phase) {  // survey, then seeding, lloyd, finish for each init
          const bool in_order = static_cast<int>(iteration.phase) == static_cast<int>(phase) + 1 ||
                                (phase == Phase::finish && iteration.phase == Phase::seeding);
          ASSERT_TRUE(in_order);
          phase = iteration.phase;
          done = 0;
        }
        ASSERT_EQ(iteration.done, ++done) << "one more pass";
        ASSERT_GE(iteration.total, iteration.done);
        ASSERT_EQ(iteration.number, phase == Phase::lloyd ? iteration.done : 0);
        ASSERT_GE(iteration.seconds, seconds);
        seconds = iteration.seconds;
        finished += phase == Phase::finish ? 1 : 0;
      }
      EXPECT_EQ(finished, 3);
      EXPECT_EQ(phase, Phase::finish);
    }
}

TEST(Progress, TotalsAreUpperBounds) {
  std::map<Phase, Index> total;
  for (const Iteration& iteration : watch({.n_clusters = 6, .max_iter = 50}))
    total[iteration.phase] = std::max(total[iteration.phase], iteration.total);
  EXPECT_EQ(total[Phase::survey], 1);
  EXPECT_EQ(total[Phase::seeding], 6);
  EXPECT_EQ(total[Phase::lloyd], 50);
  EXPECT_EQ(total[Phase::finish], 1);
}

TEST(Progress, ShowsWhatTheIterationDid) {
  std::vector<Iteration> seen;
  Options options{.n_clusters = 6};
  options.callback = [&](const Iteration& iteration) {
    seen.push_back(iteration);
    return true;
  };
  const auto x = rows();
  const auto result = KMeans<Reference>(options).fit(x);
  double last = std::numeric_limits<double>::infinity();
  for (const Iteration& iteration : seen) {
    if (iteration.phase == Phase::survey) continue;
    EXPECT_LE(iteration.inertia, last * (1 + 1e-12)) << "it never rises";
    if (iteration.inertia > 0) last = iteration.inertia;
    if (iteration.phase != Phase::lloyd) continue;
    EXPECT_EQ(iteration.number == 1, iteration.n_changed == x.rows()) << "at first every row is new";
    EXPECT_EQ(iteration.n_empty, 0);
  }
  EXPECT_EQ(seen.back().inertia, result.inertia);
  const Iteration& loop = seen[seen.size() - 2];
  EXPECT_EQ(loop.number, result.n_iter);
  EXPECT_EQ(loop.centroid_shift, result.centroid_shift);
  EXPECT_NEAR(loop.inertia, result.inertia, 1e-9 * result.inertia);
}

/// A fit whose callback says stop at the first report of a phase that satisfies `when`.
template <class When>
Clustering<double, Reference> stop_when(Options options, const When& when) {
  options.callback = [&](const Iteration& iteration) { return !when(iteration); };
  return KMeans<Reference>(options).fit(rows());
}

TEST(Progress, StoppedBeforeThereAreCentroidsNothingIsReturned) {
  for (const Phase phase : {Phase::survey, Phase::seeding})
    for (const Init init : {Init::kmeans_plus_plus, Init::scalable_kmeans_plus_plus, Init::random}) {
      const auto result =
          stop_when({.n_clusters = 6, .init = init}, [&](const Iteration& i) { return i.phase == phase; });
      EXPECT_EQ(result.stop_reason, StopReason::cancelled);
      EXPECT_EQ(result.centroids.rows(), 0);
      EXPECT_TRUE(result.labels.empty());
      EXPECT_EQ(result.inertia, std::numeric_limits<double>::infinity());
    }
}

TEST(Progress, StoppedInTheLoopOrTheFinishTheResultIsWhole) {
  const auto x = rows();
  for (const Index at : {1, 2, 3}) {
    const Options options{.n_clusters = 6, .tol = 0};
    const auto result = stop_when(options, [&](const Iteration& i) { return i.number == at; });
    EXPECT_EQ(result.stop_reason, StopReason::cancelled);
    EXPECT_EQ(result.n_iter, at);
    EXPECT_EQ(verify(x.view(), {}, options, outcome_of(result)), "");
    // The same as stopping there by max_iter.
    Options limited = options;
    limited.max_iter = at;
    auto expected = outcome_of(KMeans<Reference>(limited).fit(x));
    expected.stop_reason = StopReason::cancelled;
    EXPECT_EQ(difference(outcome_of(result), expected), "");
  }
  const Options options{.n_clusters = 6, .n_init = 4};
  const auto result = stop_when(options, [](const Iteration& i) { return i.phase == Phase::finish; });
  EXPECT_EQ(result.stop_reason, StopReason::cancelled);
  auto expected = outcome_of(KMeans<Reference>({.n_clusters = 6}).fit(x));
  expected.stop_reason = StopReason::cancelled;
  EXPECT_EQ(difference(outcome_of(result), expected), "") << "the first run, and no other";
}

TEST(Progress, StoppedInALaterSeedingTheBestSoFarIsReturned) {
  int seedings = 0;
  bool was_seeding = false;
  const Options options{.n_clusters = 6, .n_init = 5};
  const auto result = stop_when(options, [&](const Iteration& i) {
    const bool seeding = i.phase == Phase::seeding;
    seedings += seeding && !was_seeding ? 1 : 0;
    was_seeding = seeding;
    return seedings == 3;
  });
  EXPECT_EQ(result.stop_reason, StopReason::cancelled);
  auto expected = outcome_of(KMeans<Reference>({.n_clusters = 6, .n_init = 2}).fit(rows()));
  expected.stop_reason = StopReason::cancelled;
  EXPECT_EQ(difference(outcome_of(result), expected), "");
}

TEST(Progress, ASingleFalseStopsWhereverItComes) {
  // Every report in turn is the only one that says stop: nothing but the finish of that run may follow it.
  const Options options{.n_clusters = 4, .n_init = 3, .seed = 4};
  const auto reports = watch(options);
  for (std::size_t stop = 0; stop + 1 < reports.size(); ++stop) {
    std::size_t count = 0;
    std::vector<Phase> after;
    const auto result = stop_when(options, [&](const Iteration& i) {
      if (count > stop) after.push_back(i.phase);
      return count++ == stop;
    });
    const bool finishes = reports[stop].phase == Phase::lloyd;
    ASSERT_EQ(after, finishes ? std::vector<Phase>{Phase::finish} : std::vector<Phase>{})
        << "stopped at report " << stop << " of " << reports.size();
    // Where nothing was left to do but the finish, converged is as true.
    if (stop + 2 < reports.size()) {
      ASSERT_EQ(result.stop_reason, StopReason::cancelled) << "stopped at report " << stop << " of " << reports.size();
    }
  }
}

TEST(Progress, AnExceptionOfTheCallbackLeavesTheObjectUsable) {
  for (const Phase phase : {Phase::survey, Phase::seeding, Phase::lloyd, Phase::finish}) {
    bool armed = true;
    Options options{.n_clusters = 6};
    options.callback = [&](const Iteration& iteration) {
      if (armed && iteration.phase == phase) throw std::runtime_error("enough");
      return true;
    };
    const KMeans<Reference> kmeans(options);
    EXPECT_THROW((void)kmeans.fit(rows()), std::runtime_error);
    armed = false;
    EXPECT_EQ(difference(outcome_of(kmeans.fit(rows())), outcome_of(KMeans<Reference>({.n_clusters = 6}).fit(rows()))),
              "");
  }
}

TEST(Progress, WatchingChangesNothing) {
  for (const Init init : {Init::kmeans_plus_plus, Init::scalable_kmeans_plus_plus, Init::random})
    for (const double tol : {0.0, 1e-3}) {
      Options options{.n_clusters = 6, .n_init = 2, .tol = tol, .init = init};
      const auto expected = outcome_of(KMeans<Reference>(options).fit(rows()));
      options.callback = [](const Iteration&) { return true; };
      EXPECT_EQ(difference(outcome_of(KMeans<Reference>(options).fit(rows())), expected), "");
    }
}

}  // namespace
}  // namespace lloyd::test
