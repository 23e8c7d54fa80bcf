// SPDX-License-Identifier: MIT
// Whole fits on Cuda against Reference, bit for bit: seeding, relocation and every option among them; where a fit's
// memory lies, what it waits for, and what it refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuda/backend/device_given.hpp"
#include "support/data.hpp"
#include "support/device_counters.hpp"
#include "support/random_problem.hpp"
#include "support/verify.hpp"

namespace lloyd::test {
namespace {

/// Rows and weights on a device.
template <Real T>
struct DeviceInput {
  DeviceInput(const Cuda& cuda, const RandomProblem<T>& p)
      : values(cuda, p.storage),
        w_double(cuda, p.single.empty() ? p.input.w : std::vector<double>()),
        w_float(cuda, p.single),
        n(p.input.x.rows()),
        d(p.input.x.cols()),
        stride(p.stride) {}

  [[nodiscard]] MatrixView<const T, Device> rows() const { return {values.span().data(), n, d, stride}; }
  /// Calls use(weights) with what there is.
  template <class Use>
  [[nodiscard]] auto with_weights(const Use& use) const {
    if (!w_float.span().empty()) return use(VectorView<const float, Device>(w_float.span().data(), n));
    const Index count = w_double.span().empty() ? 0 : n;
    return use(VectorView<const double, Device>(w_double.span().data(), count));
  }

  Twin<T> values;
  Twin<double> w_double;
  Twin<float> w_float;
  Index n, d, stride;
};

/// A fit of host rows by the reference.
template <Real T>
[[nodiscard]] Outcome<T> expected_of(const Options& options, const Input<T>& input) {
  const KMeans<Reference> kmeans(options);
  return outcome_of(input.seeded() ? kmeans.fit(input.x, input.w) : kmeans.fit_from(input.c, input.x, input.w));
}

/// What was met, over all problems.
struct Totals {
  Index problems = 0, ties = 0, rechecked = 0, empty = 0, moved_far = 0;
};

template <Real T>
void expect_agreement(const RandomProblem<T>& p, Totals& totals) {
  const auto expected = expected_of(p.options, p.input);
  const Cuda cuda = Cuda().open();
  const DeviceInput<T> input(cuda, p);
  const KMeans<Cuda> kmeans(p.other_options);
  const auto result = input.with_weights([&](const auto& w) {
    return p.input.seeded() ? kmeans.fit(input.rows(), w) : kmeans.fit_from(p.input.c, input.rows(), w);
  });
  const auto here = to_host(result);
  ASSERT_EQ(difference(expected, outcome_of(here)), "");
  const auto near = kmeans.assign(result.centroids, input.rows());
  ASSERT_EQ(to_host(near.labels), expected.labels);
  const auto distances = to_host(near.distances);
  for (Index i = 0; i < p.input.x.rows(); ++i) {
    const auto nearest = nearest_of(p.input.x.row(i), std::as_const(expected.centroids).view());
    totals.ties += nearest.ties > 1 ? 1 : 0;
    ASSERT_EQ(distances[static_cast<std::size_t>(i)], nearest.d2) << "row " << i;
  }
  ++totals.problems;
  totals.rechecked += here.n_rechecked;
  totals.empty += here.n_empty;
}

template <class T>
class CudaFit : public testing::Test {};
TYPED_TEST_SUITE(CudaFit, Scalars);

constexpr ProblemSizes small{{2, 12, 30, 60}, false};

TYPED_TEST(CudaFit, AgreesWithTheReference) {
  Totals totals;
  for (std::uint64_t number = 0; number < 80; ++number) {
    const auto p = random_problem<TypeParam>(number, {}, small);
    SCOPED_TRACE(p.text);
    expect_agreement(p, totals);
    if (this->HasFatalFailure()) return;
  }
  std::cout << totals.problems << " problems: " << totals.ties << " ties, " << totals.rechecked << " rechecked rows, "
            << totals.empty << " empty clusters\n";
  EXPECT_GT(totals.ties, 0);
  EXPECT_GT(totals.rechecked, 0);
  EXPECT_GT(totals.empty, 0);
}

// Some rows overflow the filter, and rows beside them do not.
TYPED_TEST(CudaFit, AgreesOnRowsThatOverflowTheFilter) {
  Totals totals;
  for (std::uint64_t number = 10000; number < 10020; ++number) {
    auto p = random_problem<TypeParam>(number, ProblemKind::extremes, small);
    if (p.options.tol == 0) p.options.tol = p.other_options.tol = 1e-300;
    SCOPED_TRACE(p.text);
    expect_agreement(p, totals);
    if (this->HasFatalFailure()) return;
  }
  EXPECT_GT(totals.rechecked, 0);
}

/// Rows on a device with what a fit of them needs.
template <Real T>
struct OnDevice {
  explicit OnDevice(const Matrix<T>& x, const Cuda& with = {})
      : cuda(with.open()), rows(detail::placed(cuda, x.view())) {}

  [[nodiscard]] MatrixView<const T, Device> view() const { return rows.view(); }

  Cuda cuda;
  cuda::DeviceMatrix<T> rows;
};

// Every kernel of a fit by every seeding and of predict, with a relocation, at sizes for ThreadSanitizer.
TEST(CudaTiny, FitsAgree) {
  const auto x = grid_rows<float>(14, 2, 3, 3);
  const OnDevice<float> on(x);
  for (const Init init : every_init)
    for (const auto update : {CentroidUpdate::scatter_add, CentroidUpdate::one_hot}) {
      const Options options{.n_clusters = 3, .max_iter = 2, .init = init, .n_local_trials = 2, .update = update};
      const auto result = KMeans<Cuda>(options).fit(on.view());
      ASSERT_EQ(difference(expected_of<float>(options, {x}), outcome_of(to_host(result))), "");
    }
}
TEST(CudaTiny, ARelocationAgrees) {
  const auto x = grid_rows<float>(14, 2, 3, 3);
  const Input<float> input{x, {}, rows_of<float>({{1, 1}, {100, 100}, {200, 200}})};
  const OnDevice<float> on(x);
  const Options options{.n_clusters = 3, .max_iter = 2};
  const auto result = KMeans<Cuda>(options).fit_from(input.c, on.view());
  ASSERT_EQ(difference(expected_of(options, input), outcome_of(to_host(result))), "");
  ASSERT_EQ(result.n_empty, 0);
}

/// What a call asks of CUDA, where somebody counts.
template <class Call>
[[nodiscard]] std::optional<DeviceCounters> cost_of(const Call& call) {
  const auto before = device_counters();
  call();
  const auto after = device_counters();
  if (!before || !after) return std::nullopt;
  return DeviceCounters{after->launches - before->launches,
                        after->default_stream - before->default_stream,
                        after->host_synchronisations - before->host_synchronisations,
                        after->allocations - before->allocations,
                        after->objects - before->objects,
                        after->copies - before->copies};
}

// An iteration more makes the host wait for nothing more, takes no memory and touches no default stream.
TEST(CudaCost, AnIterationWaitsForNothingAndAllocatesNothing) {
  const auto x = uniform_rows<float>(60, 3, 1);
  const OnDevice<float> on(x);
  for (const auto update : {CentroidUpdate::scatter_add, CentroidUpdate::one_hot}) {
    const auto cost = [&](Index max_iter) {
      const KMeans<Cuda> kmeans({.n_clusters = 9, .max_iter = max_iter, .update = update});
      Index n_iter = 0;
      const auto counted = cost_of([&] { n_iter = kmeans.fit_from(head(x, 9), on.view()).n_iter; });
      EXPECT_EQ(n_iter, max_iter) << "the fit is to go on so long";
      return counted;
    };
    (void)cost(1);  // what is made once
    const auto few = cost(2), more = cost(4);
    if (!few) GTEST_SKIP() << "nobody counts";
    EXPECT_GT(more->launches, few->launches);
    EXPECT_EQ(more->host_synchronisations, few->host_synchronisations);
    EXPECT_EQ(more->allocations, few->allocations);
    EXPECT_EQ(more->objects, few->objects);
    EXPECT_EQ(more->default_stream, 0);
  }
}

}  // namespace
}  // namespace lloyd::test
