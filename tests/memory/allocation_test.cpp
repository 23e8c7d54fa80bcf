// SPDX-License-Identifier: MIT
// Memory that runs out: at whichever allocation of a call, on whichever thread, the caller gets bad_alloc, nothing is
// leaked, and the object works again.
#include <gtest/gtest.h>

#include <new>
#include <vector>

#include "lloyd/lloyd.hpp"
#include "lloyd/metrics.hpp"
#include "lloyd/reference.hpp"
#include "memory/ledger.hpp"
#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/verify.hpp"

namespace lloyd::test {
namespace {

template <class Entry>
class OutOfMemory : public testing::Test {};
TYPED_TEST_SUITE(OutOfMemory, EveryBackend, BackendNames);

/// Runs a call again and again, each time with one allocation more before they fail, until it succeeds. Returns how
/// many were needed; `check` looks at the object after every failure.
template <class Call>
[[nodiscard]] std::int64_t fail_at_every_allocation(const Call& call) {
  for (std::int64_t allowed = 0; allowed < 100000; ++allowed) {
    const std::int64_t before = ledger.live;
    bool failed = false;
    {
      const Allowance some(allowed);
      try {
        call();
      } catch (const std::bad_alloc&) {
        failed = true;
      }
    }
    if (!failed) return allowed;
    EXPECT_EQ(ledger.live, before) << "leaked when allocation " << allowed << " failed";
  }
  return -1;
}

TYPED_TEST(OutOfMemory, H16_4_allocation_fails_in_a_fit) {
  using T = typename TypeParam::Scalar;
  const auto x = grid_rows<T>(40, 3, 2);
  const std::vector<double> w(40, 0.5);
  for (const Init init : {Init::kmeans_plus_plus, Init::scalable_kmeans_plus_plus, Init::random}) {
    Options options{.n_clusters = 6, .max_iter = 2, .init = init};
    options.n_local_trials = 2;
    options.batch_rows = 8;
    const auto kmeans = kmeans_of<TypeParam>(options, 3);
    const auto expected = outcome_of(kmeans.fit(x, w));
    const auto needed = fail_at_every_allocation([&] { (void)kmeans.fit(x, w); });
    EXPECT_GT(needed, 10);
    EXPECT_EQ(difference(expected, outcome_of(kmeans.fit(x, w))), "");
  }
}

TYPED_TEST(OutOfMemory, H16_4_allocation_fails_in_predict) {
  using T = typename TypeParam::Scalar;
  const auto x = grid_rows<T>(40, 3, 2);
  const auto kmeans = kmeans_of<TypeParam>({.n_clusters = 6}, 3);
  const auto result = kmeans.fit(x);
  EXPECT_GT(fail_at_every_allocation([&] { (void)kmeans.predict(result.centroids, x); }), 0);
  EXPECT_GT(fail_at_every_allocation([&] { (void)kmeans.transform(result.centroids, x); }), 0);
  (void)fail_at_every_allocation([&] { (void)kmeans.score(result.centroids, x); });
  EXPECT_EQ(kmeans.predict(result.centroids, x), result.labels);
}

TEST(OutOfMemoryMetrics, H16_4_allocation_fails_in_a_metric) {
  const auto x = grid_rows<float>(400, 3, 2);
  std::vector<Label> labels;
  for (Index i = 0; i < x.rows(); ++i) labels.push_back(static_cast<Label>(i % 3));
  const MetricOptions options{.n_threads = 3};
  const auto expected = silhouette_samples(x, labels, options);
  EXPECT_GT(fail_at_every_allocation([&] { (void)silhouette_samples(x, labels, options); }), 10);
  EXPECT_GT(fail_at_every_allocation([&] { (void)davies_bouldin_score(x, labels, options); }), 10);
  EXPECT_EQ(silhouette_samples(x, labels, options), expected);
}

}  // namespace
}  // namespace lloyd::test
