// SPDX-License-Identifier: MIT
// Whole fits on Cuda against Reference, bit for bit: seeding, relocation and every option among them; where a fit's
// memory lies, what it waits for, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
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

/// AddressSanitizer slows kernels twentyfold, and looks at where they read and write: a few problems of each kind do.
#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t problems_a_kind = 3;
constexpr int runs_on_a_stream = 4;
#else
constexpr std::uint64_t problems_a_kind = 8;
constexpr int runs_on_a_stream = 20;
#endif

/// What was met, over all problems.
struct Totals {
  Index problems = 0, ties = 0, rechecked = 0, empty = 0;
  std::set<std::pair<Init, CentroidUpdate>> seeded;
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
  if (p.input.seeded()) totals.seeded.insert({p.options.init, p.other_options.update});
  totals.rechecked += here.n_rechecked;
  totals.empty += here.n_empty;
}

template <class T>
class CudaFit : public testing::Test {};
TYPED_TEST_SUITE(CudaFit, Scalars);

constexpr ProblemSizes small{{2, 12, 30, 60}, false};

TYPED_TEST(CudaFit, AgreesWithTheReference) {
  Totals totals;
  std::size_t turn = 0;
  constexpr auto kinds = static_cast<std::uint64_t>(ProblemKind::extremes);  // which the next test has
  for (std::uint64_t number = 0; number < kinds * problems_a_kind; ++number) {
    auto p = random_problem<TypeParam>(number, static_cast<ProblemKind>(number % kinds), small);
    if (p.input.seeded()) {  // by every seeding with every update in turn
      p.options.init = p.other_options.init = every_init[turn % every_init.size()];
      p.other_options.update = static_cast<CentroidUpdate>(turn++ / every_init.size() % 3);
    }
    SCOPED_TRACE(testing::Message() << p.text << ", turn " << turn);
    expect_agreement(p, totals);
    if (this->HasFatalFailure()) return;
  }
  std::cout << totals.problems << " problems: " << totals.ties << " ties, " << totals.rechecked << " rechecked rows, "
            << totals.empty << " empty clusters, " << totals.seeded.size() << " seedings by updates\n";
  EXPECT_GT(totals.ties, 0);
  EXPECT_GT(totals.rechecked, 0);
  EXPECT_GT(totals.empty, 0);
  EXPECT_EQ(totals.seeded.size(), 3 * every_init.size()) << "a seeding was not met with an update";
}

// Some rows overflow the filter, and rows beside them do not.
TYPED_TEST(CudaFit, AgreesOnRowsThatOverflowTheFilter) {
  Totals totals;
  for (std::uint64_t number = 10000; number < 10000 + 2 * problems_a_kind; ++number) {
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
  explicit OnDevice(const Matrix<T>& x, const Cuda& cuda = {}) : rows(detail::placed(cuda.open(), x.view())) {}

  [[nodiscard]] MatrixView<const T, Device> view() const { return rows.view(); }

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

TEST(CudaCost, AStepOfSeedingWaitsForNothing) {
  const auto x = uniform_rows<float>(60, 3, 1);
  const OnDevice<float> on(x);
  const auto cost = [&](Index k) {
    const KMeans<Cuda> kmeans({.n_clusters = k, .max_iter = 0, .n_local_trials = 3});
    return cost_of([&] { (void)kmeans.fit(on.view()); });
  };
  (void)cost(2);
  const auto few = cost(3), more = cost(7);
  if (!few) GTEST_SKIP() << "nobody counts";
  EXPECT_GT(more->launches, few->launches);
  EXPECT_EQ(more->host_synchronisations, few->host_synchronisations);
  EXPECT_EQ(more->allocations, few->allocations);
}

TEST(CudaCost, SeedingTouchesNoDefaultStream) {
  const auto x = uniform_rows<float>(50, 3, 1);
  const OnDevice<float> on(x);
  for (const Init init : every_init) {
    const KMeans<Cuda> kmeans({.n_clusters = 4, .n_init = 2, .init = init, .init_size = 20});
    const auto cost = cost_of([&] { (void)kmeans.score(kmeans.fit(on.view()).centroids, on.view()); });
    if (!cost) GTEST_SKIP() << "nobody counts";
    EXPECT_EQ(cost->default_stream, 0);
  }
}

/// The text of an exception of a type, which the call must throw.
template <class Error, class Call>
[[nodiscard]] std::string complaint_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(CudaMemory, TooLittleIsRefusedByNameBeforeTheWork) {
  const auto x = uniform_rows<float>(300, 400, 1);
  const OnDevice<float> on(x);
  (void)KMeans<Cuda>({.n_clusters = 3, .max_iter = 1, .init = Init::random}).fit(on.view());  // what is made once
  std::size_t free_bytes = 0, total = 0;
  LLOYD_CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
  if (!limit_device_memory(total - free_bytes + (std::size_t{6} << 20))) GTEST_SKIP() << "memory cannot be limited";
  std::vector<Iteration::Phase> phases;
  Options options{.n_clusters = 250, .init = Init::random};
  options.callback = [&](const Iteration& it) { return phases.push_back(it.phase), true; };
  const std::string text = complaint_of<BackendError>([&] { (void)KMeans<Cuda>(options).fit(on.view()); });
  EXPECT_TRUE(limit_device_memory(total));
  EXPECT_NE(text.find("lloyd::Cuda: device 0 has too little memory: "), std::string::npos) << text;
  EXPECT_NE(text.find(" bytes are needed, "), std::string::npos) << text;
  EXPECT_TRUE(phases.empty()) << "rows were seeded";
  // The object is none the worse for it.
  options.callback = {};
  options.n_clusters = 3;
  options.max_iter = 1;
  EXPECT_EQ(difference(expected_of<float>(options, {x}), outcome_of(to_host(KMeans<Cuda>(options).fit(on.view())))),
            "");
}

// By bisection: whatever is missing, however little of it, is missed before the rows are seeded.
TEST(CudaMemory, ALittleTooLittleIsRefusedBeforeTheWork) {
  const auto x = uniform_rows<float>(60, 4000, 1);
  const OnDevice<float> on(x);
  std::vector<Iteration::Phase> phases;
  for (Options options : {Options{.n_init = 3, .init = Init::random}, Options{.n_local_trials = 30},
                          Options{.init = Init::random, .init_size = 40}, Options{.init_size = 40}}) {
    options.n_clusters = 12;
    options.max_iter = 2;
    options.memory_budget = std::size_t{8} << 20;
    options.callback = [&](const Iteration& it) { return phases.push_back(it.phase), true; };
    (void)KMeans<Cuda>(options).fit(on.view());  // what is made once
    std::size_t free_bytes = 0, total = 0;
    LLOYD_CUDA_CHECK(cudaDeviceSynchronize());
    LLOYD_CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
    const auto fits = [&](std::size_t bytes) {
      phases.clear();
      try {
        (void)KMeans<Cuda>(options).fit(on.view());
      } catch (const BackendError& error) {
        EXPECT_TRUE(phases.empty()) << phases.size() << " reports, then with " << bytes << " bytes: " << error.what();
        return false;
      }
      return true;
    };
    std::size_t least = 0, most = std::size_t{32} << 20;
    while (most - least > 1 << 13) {
      const std::size_t middle = (least + most) / 2;
      if (!limit_device_memory(total - free_bytes + middle)) GTEST_SKIP() << "memory cannot be limited";
      (fits(middle) ? most : least) = middle;
    }
    EXPECT_TRUE(limit_device_memory(total));
    EXPECT_GT(least, std::size_t{4} << 20);
    EXPECT_LT(most, std::size_t{32} << 20) << "nothing fitted";
  }
}

// The formula of docs/numerics.md, 7; where the host is told how much memory is in use to the byte.
TEST(CudaMemory, H11_2_a_fit_takes_what_numerics_says) {
  if (!device_counters()) GTEST_SKIP() << "a pool holds more than is in use";
  const auto used = [] {
    std::size_t free_bytes = 0, total = 0;
    LLOYD_CUDA_CHECK(cudaDeviceSynchronize());  // what is freed in a stream's order
    LLOYD_CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
    return total - free_bytes;
  };
  for (const Shape& shape : {Shape{1000, 2, 30}, Shape{40, 700, 3}, Shape{300, 2, 250}}) {
    const auto x = uniform_rows<float>(shape.n, shape.d, 1);
    const OnDevice<float> on(x);
    for (const auto update : {CentroidUpdate::automatic, CentroidUpdate::one_hot}) {
      std::size_t before = used(), most = 0;
      Options options{.n_clusters = shape.k,
                      .max_iter = 2,
                      .init = Init::random,
                      .update = update,
                      .memory_budget = std::size_t{1} << 20};
      options.callback = [&](const Iteration&) { return most = std::max(most, used() - before), true; };
      (void)KMeans<Cuda>(options).fit(on.view());
      const auto formula =
          static_cast<std::size_t>(16 * shape.n + shape.k * (shape.d + 8) * (6 * 4 + 16 + 16 * 2) + 512 * shape.k) +
          options.memory_budget + (std::size_t{1} << 18) + (std::size_t{4} << 20);
      EXPECT_LE(most, formula) << "n " << shape.n << ", d " << shape.d << ", k " << shape.k;
      EXPECT_GT(most, static_cast<std::size_t>(12 * shape.n));
      before = used();
      (void)KMeans<Cuda>(options).predict(head(x, shape.k), on.view());
      EXPECT_EQ(used(), before) << "something is left behind";
    }
  }
}

TEST(CudaMemory, ComesFromTheCallersPool) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t pool = nullptr;
  LLOYD_CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
  const auto used = [&] {
    std::uint64_t bytes = 0;
    LLOYD_CUDA_CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
    return bytes;
  };
  {
    const auto x = uniform_rows<float>(40, 3, 1);
    const OnDevice<float> on(x);
    const auto result = KMeans<Cuda>({.n_clusters = 3}, {.pool = pool}).fit(on.view());
    EXPECT_GE(used(), 40 * sizeof(Label) + 9 * sizeof(float)) << "the result lies elsewhere";
  }
  LLOYD_CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT_EQ(used(), 0U);
  LLOYD_CUDA_CHECK(cudaMemPoolDestroy(pool));
}

TEST(CudaInput, PinnedRowsAreReadInPlace) {
  const auto x = grid_rows<float>(20, 2, 1);
  float* values = nullptr;
  LLOYD_CUDA_CHECK(cudaMallocHost(&values, 40 * sizeof(float)));
  std::copy_n(x.data(), 40, values);
  const Options options{.n_clusters = 3};
  {
    const auto result = KMeans<Cuda>(options).fit(MatrixView<const float, Device>(values, 20, 2));
    EXPECT_EQ(difference(expected_of<float>(options, {x}), outcome_of(to_host(result))), "");
  }
  LLOYD_CUDA_CHECK(cudaFreeHost(values));
}

TEST(CudaInput, PinnedRowsAndCentroidsCanBeReadByTheHost) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const auto x = grid_rows<float>(20, 2, 1);
  const OnDevice<float> on(x);
  float* values = nullptr;
  LLOYD_CUDA_CHECK(cudaMallocHost(&values, 40 * sizeof(float)));
  std::copy_n(x.data(), 40, values);
  const MatrixView<const float, Device> pinned(values, 20, 2);
  {
    const Options options{.n_clusters = 3};
    const auto result = KMeans<Cuda>(options).fit_from(pinned.slice(0, 3), on.view());
    EXPECT_EQ(difference(outcome_of(KMeans<Reference>(options).fit_from(head(x, 3), x)), outcome_of(to_host(result))),
              "");
  }
  values[39] = nan;
  EXPECT_EQ(complaint_of<InvalidArgument>([&] { (void)KMeans<Cuda>({.n_clusters = 3}).fit(pinned); }),
            "lloyd::KMeans::fit: x(19, 1) is nan; values must be finite");
  LLOYD_CUDA_CHECK(cudaFreeHost(values));
}

// With check_finite off, as on every backend.
TEST(CudaInput, ARowWithANaNGetsLabel0) {
  auto x = uniform_rows<float>(20, 3, 1);
  x(7, 1) = std::numeric_limits<float>::quiet_NaN();
  x(9, 0) = std::numeric_limits<float>::infinity();
  const auto c = rows_of<float>({{9, 9, 9}, {0, 0, 0}, {1, 1, 1}});
  const OnDevice<float> on(x);
  const Options options{.check_finite = false};
  EXPECT_EQ(to_host(KMeans<Cuda>(options).predict(c, on.view())), KMeans<Reference>(options).predict(c, x));
}

TEST(CudaInput, BadRowsAreRefusedByRowAndColumn) {
  auto x = uniform_rows<float>(40, 3, 1);
  x(31, 2) = std::numeric_limits<float>::quiet_NaN();
  const OnDevice<float> on(x);
  const KMeans<Cuda> kmeans({.n_clusters = 3});
  EXPECT_EQ(complaint_of<InvalidArgument>([&] { (void)kmeans.fit(on.view()); }),
            "lloyd::KMeans::fit: x(31, 2) is nan; values must be finite");
  const auto c = head(x, 3);
  EXPECT_EQ(complaint_of<InvalidArgument>([&] { (void)kmeans.predict(c, on.view()); }),
            "lloyd::KMeans::predict: y(31, 2) is nan; values must be finite");
  const Cuda cuda = Cuda().open();
  const Twin<double> w(cuda, std::vector<double>(40, -1));
  EXPECT_EQ(complaint_of<InvalidArgument>([&] {
              (void)kmeans.score(c, on.view().slice(0, 30), VectorView<const double, Device>(w.span().data(), 30));
            }),
            "lloyd::KMeans::score: weight 0 is -1; weights must be finite and >= 0");
}

TEST(CudaInput, RowsThatLieElsewhereAreRefused) {
  const auto x = uniform_rows<float>(40, 3, 1);
  const MatrixView<const float, Device> wrong(x.data(), 40, 3);
  EXPECT_EQ(complaint_of<InvalidArgument>([&] { (void)KMeans<Cuda>({.n_clusters = 3}).fit(wrong); }),
            "lloyd::Cuda: the rows lie in memory of the host that no device can read; copy them to the device");
  const KMeans<Cuda> unchecked({.n_clusters = 3, .check_finite = false});
  const auto c = head(x, 3);
  const OnDevice<float> on(x);
  const std::vector<double> w(40, 1);
  const VectorView<const double, Device> wrong_weights(w.data(), 40);
  const auto expected = [](const std::string& what) {
    return "lloyd::Cuda: the " + what + " lie in memory of the host that no device can read; copy them to the device";
  };
  EXPECT_EQ(complaint_of<InvalidArgument>([&] { (void)unchecked.predict(c, wrong); }), expected("rows"));
  EXPECT_EQ(complaint_of<InvalidArgument>([&] { (void)unchecked.transform(c, wrong); }), expected("rows"));
  EXPECT_EQ(complaint_of<InvalidArgument>([&] { (void)unchecked.fit(on.view(), wrong_weights); }), expected("weights"));
  EXPECT_EQ(complaint_of<InvalidArgument>([&] { (void)unchecked.score(c, on.view(), wrong_weights); }),
            expected("weights"));
  EXPECT_EQ(complaint_of<InvalidArgument>([&] { (void)unchecked.fit_from(wrong.slice(0, 3), on.view()); }),
            expected("values"));
}

TEST(CudaInput, ADeviceThatIsNotThereIsRefused) {
  int devices = 0;
  LLOYD_CUDA_CHECK(cudaGetDeviceCount(&devices));
  const OnDevice<float> on(uniform_rows<float>(40, 3, 1));
  for (const int device : {devices, 99, 1 << 30}) {
    EXPECT_EQ(complaint_of<InvalidArgument>(
                  [&] { (void)KMeans<Cuda>({.n_clusters = 3}, {.device = device}).fit(on.view()); }),
              detail::text("lloyd::Cuda: device ", device, ", expected one of 0 to ", devices - 1,
                           ", or a negative number for the current one"));
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "the caller would take it for an error of its own";
  }
}

// What only a seeding would take costs a fit from given centroids nothing.
TEST(CudaInput, GivenCentroidsNeedNoTrials) {
  const auto x = uniform_rows<float>(40, 3, 1);
  const OnDevice<float> on(x);
  for (const Index trials : {Index{100'000}, Index{1} << 31, Index{1} << 62}) {
    const Options options{.n_clusters = 4, .n_local_trials = trials};
    EXPECT_EQ(difference(outcome_of(KMeans<Reference>(options).fit_from(head(x, 4), x)),
                         outcome_of(to_host(KMeans<Cuda>(options).fit_from(head(x, 4), on.view())))),
              "");
  }
}

TEST(CudaInput, AMatrixThatWasMovedFromIsEmpty) {
  const OnDevice<float> on(uniform_rows<float>(40, 3, 1));
  auto result = KMeans<Cuda>({.n_clusters = 3}).fit(on.view());
  auto taken = std::move(result.centroids);
  EXPECT_EQ(to_host(taken).rows(), 3);
  EXPECT_EQ(result.centroids.rows(), 0);
  EXPECT_EQ(result.centroids.cols(), 0);
  result.centroids = std::move(taken);
  EXPECT_EQ(to_host(result.centroids).rows(), 3);
  EXPECT_EQ(to_host(taken).rows(), 0);
}

TEST(CudaInput, H13_5_device_and_stream_of_the_caller) {
  int devices = 0;
  LLOYD_CUDA_CHECK(cudaGetDeviceCount(&devices));
  const auto x = grid_rows<float>(30, 2, 3, 9);
  const Options options{.n_clusters = 3};
  const auto expected = expected_of<float>(options, {x});
  const OnDevice<float> last(x, {.device = devices - 1});
  int current = -1;
  const auto result = KMeans<Cuda>(options, {.device = devices - 1}).fit(last.view());
  LLOYD_CUDA_CHECK(cudaGetDevice(&current));
  EXPECT_EQ(difference(expected, outcome_of(to_host(result))), "");
  if (devices > 1) {
    EXPECT_NE(current, devices - 1) << "the caller's device is not the current one any more";
    const auto text = complaint_of<InvalidArgument>([&] { (void)KMeans<Cuda>(options).fit(last.view()); });
    EXPECT_EQ(text, detail::text("lloyd::Cuda: the rows lie on device ", devices - 1,
                                 ", the work is for device 0 (Cuda{.device = ", devices - 1, "})"));
  }
}

/// v_i = i mod 7
__global__ void write_rows(float* values, Index n) {
  for (Index i = cuda::first_thing(); i < n; i += cuda::thing_step()) values[i] = static_cast<float>(i % 7);
}

TEST(CudaInput, H13_5_rows_that_a_kernel_is_writing_on_the_stream) {
  const Index n = 40, d = 3;
  const auto x = generate<float>(n, d, [&](Index i, Index q) { return static_cast<double>((i * d + q) % 7); });
  const Options options{.n_clusters = 4};
  const auto expected = expected_of<float>(options, {x});
  cudaStream_t stream = nullptr;
  LLOYD_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    const Cuda cuda{.stream = stream};
    auto rows = cuda.open().make<float>(n, d);
    for (int run = 0; run < runs_on_a_stream; ++run) {
      cuda::launch(stream, dim3(1), dim3(64), 0, write_rows, rows.data(), n * d);
      const auto cost = cost_of([&] {
        const auto result = KMeans<Cuda>(options, cuda).fit(rows);
        ASSERT_EQ(difference(expected, outcome_of(to_host(result))), "");
      });
      if (cost) {
        EXPECT_EQ(cost->default_stream, 0);
      }
    }
  }
  LLOYD_CUDA_CHECK(cudaStreamDestroy(stream));
}

// Full size where there is a device; on the double as much as it runs in a second.
TEST(CudaLimits, H10_4_cuda_grid_limits) {
  const bool full = !device_counters().has_value();
  {
    const Index n = full ? 8388481 : 2000;
    const auto x = generate<float>(n, 3, [](Index i, Index q) { return static_cast<double>((i % 10) * 4 + q); });
    const OnDevice<float> on(x);
    const Options options{.n_clusters = full ? 10 : 2, .max_iter = 1, .init = Init::random};
    const auto result = KMeans<Cuda>(options).fit(on.view());
    EXPECT_EQ(difference(expected_of<float>(options, {x}), outcome_of(to_host(result))), "");
  }
  const Index k = full ? 262141 : 66000, n = full ? 300000 : 6, first = full ? 0 : k - 3;
  const auto row = [&](Index i) { return (first + i) % k; };
  const auto x = generate<float>(n, 2, [&](Index i, Index q) { return q == 0 ? static_cast<double>(row(i)) : 0.0; });
  const auto c = generate<float>(k, 2, [](Index j, Index q) { return q == 0 ? static_cast<double>(j) : 0.0; });
  const OnDevice<float> on(x);
  const auto labels = to_host(KMeans<Cuda>({}).predict(c, on.view()));
  for (Index i = 0; i < n; ++i) ASSERT_EQ(labels[static_cast<std::size_t>(i)], row(i)) << "row " << i;
}

/// Rows on a device, some at a time, as a source of the user's may yield them.
template <Real T>
class SlicedRows {
 public:
  using Scalar = T;

  SlicedRows(MatrixView<const T, Device> x, VectorView<const double, Device> w, Index rows_a_tile)
      : x_(x), w_(w), rows_a_tile_(rows_a_tile) {}

  [[nodiscard]] Index rows() const { return x_.rows(); }
  [[nodiscard]] Index cols() const { return x_.cols(); }
  [[nodiscard]] bool weighted() const { return !w_.empty(); }
  [[nodiscard]] Index first() const { return -1; }
  [[nodiscard]] Index step() const { return 1; }
  template <class Use>
  void for_each_tile(const Use& use) const {
    for (Index begin = 0; begin < rows(); begin += rows_a_tile_) {
      const Index count = (std::min)(rows_a_tile_, rows() - begin);
      use(Tile<T, Device>{x_.slice(begin, count), Weights<Device>(w_.slice(begin, count)), begin, 0, 1});
    }
  }
  void gather(std::span<const Index> /*rows*/, MatrixView<T> /*out*/) const {
    throw std::logic_error("the host does not read a device's rows");
  }

 private:
  MatrixView<const T, Device> x_;
  VectorView<const double, Device> w_;
  Index rows_a_tile_;
};

// Rows in several tiles: the host decides between the primitives, and every one of them must add to what is there.
TYPED_TEST(CudaFit, AgreesOnRowsInSeveralTiles) {
  Index empty = 0;
  for (std::uint64_t number = 0; number < 3 * problems_a_kind; ++number) {
    const auto p = random_problem<TypeParam>(number, {}, small);
    if (!p.single.empty()) continue;
    SCOPED_TRACE(p.text);
    const Cuda cuda = Cuda().open();
    const DeviceInput<TypeParam> input(cuda, p);
    const SlicedRows<TypeParam> source(input.rows(), {input.w_double.span().data(), input.w_double.span().size()}, 7);
    const KMeans<Cuda> kmeans(p.other_options);
    const auto result = p.input.seeded() ? kmeans.fit(source) : kmeans.fit_from(p.input.c, source);
    ASSERT_EQ(difference(expected_of(p.options, p.input), outcome_of(to_host(result))), "");
    empty += result.n_empty;
  }
  EXPECT_GT(empty, 0);
}

// A callback sees every iteration of the reference's, and may stop it.
TEST(CudaFit, TheCallbackSeesTheSame) {
  const auto x = uniform_rows<float>(50, 3, 9);
  const OnDevice<float> on(x);
  for (const Index stop_at : {Index{2}, Index{100}}) {
    std::vector<Iteration> seen, expected;
    const auto options = [&](std::vector<Iteration>& to) {
      Options watched{.n_clusters = 5};
      watched.callback = [&to, stop_at](const Iteration& it) {
        to.push_back(it);
        return it.phase != Iteration::Phase::lloyd || it.number < stop_at;
      };
      return watched;
    };
    const auto outcome = expected_of<float>(options(expected), {x});
    const auto result = KMeans<Cuda>(options(seen)).fit(on.view());
    EXPECT_EQ(difference(outcome, outcome_of(to_host(result))), "");
    ASSERT_EQ(seen.size(), expected.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      EXPECT_EQ(seen[i].phase, expected[i].phase);
      EXPECT_EQ(seen[i].number, expected[i].number);
      EXPECT_EQ(seen[i].n_changed, expected[i].n_changed);
      EXPECT_EQ(seen[i].n_empty, expected[i].n_empty);
      EXPECT_EQ(seen[i].centroid_shift, expected[i].centroid_shift);
      EXPECT_NEAR(seen[i].inertia, expected[i].inertia, 1e-9 * expected[i].inertia);
    }
  }
}

// transform's first minimum is the label; score is minus the inertia.
TEST(CudaFit, TransformAndScoreAreThoseOfTheReference) {
  const auto x = grid_rows<float>(30, 4, 2);
  const OnDevice<float> on(x);
  const auto c = head(x, 7);
  const KMeans<Cuda> kmeans({});
  EXPECT_EQ(kmeans.transform(c, on.view()), KMeans<Reference>({}).transform(c, x));
  EXPECT_EQ(kmeans.score(c, on.view()), KMeans<Reference>({}).score(c, x));
}

}  // namespace
}  // namespace lloyd::test
