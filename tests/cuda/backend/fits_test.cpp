// SPDX-License-Identifier: MIT
// Whole fits on Cuda against Reference, bit for bit: seeding, relocation and every option among them; where a fit's
// memory lies, what it waits for, and what it refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
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

}  // namespace
}  // namespace lloyd::test
