// SPDX-License-Identifier: MIT
// Every primitive of Cuda against that of Reference, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "cuda/backend/certificate.hpp"
#include "cuda/backend/device_given.hpp"

namespace lloyd::test {
namespace {

template <class T>
class CudaPrimitive : public testing::Test {};
TYPED_TEST_SUITE(CudaPrimitive, Scalars);

TYPED_TEST(CudaPrimitive, SurveyRaisesTheSameMaxima) {
  for_each_on_device<TypeParam>(device_shapes(), [](const Cuda& cuda, const auto& given) {
    detail::Survey expected(given.on_host().shape.d);  // of another tile: maxima are raised, never cleared
    detail::Survey::see(expected.maxima(), given.on_host().shape.d, 0, 3.5);
    detail::Survey::see_weight(expected.maxima(), 1.5);
    detail::Survey found = expected;
    Reference().survey(given.on_host().tile(), expected.maxima());
    cuda.survey(given.tile(), found.maxima());
    ASSERT_TRUE(std::equal(found.maxima().begin(), found.maxima().end(), expected.maxima().begin()));
  });
}

TYPED_TEST(CudaPrimitive, SurveySeesZeroSubnormalAndWhatIsNotFinite) {
  using Limits = std::numeric_limits<TypeParam>;
  const Cuda cuda = Cuda().open();
  for (const TypeParam hostile : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), Limits::denorm_min(),
                                  -Limits::denorm_min(), TypeParam(-0.0), Limits::max()}) {
    Matrix<TypeParam> x(50, 3);
    x(31, 1) = hostile;
    const auto there = detail::placed(cuda, std::as_const(x).view());
    detail::Survey expected(3), found(3);
    Reference().survey(Tile<TypeParam>{std::as_const(x).view(), {}, 0, 0, 1}, expected.maxima());
    cuda.survey(Tile<TypeParam, Device>{there.view(), {}, 0, 0, 1}, found.maxima());
    ASSERT_TRUE(std::equal(found.maxima().begin(), found.maxima().end(), expected.maxima().begin())) << hostile;
  }
}

TYPED_TEST(CudaPrimitive, PrepareFindsEqualCentroids) {
  for_each_on_device<TypeParam>(device_shapes(), [](const Cuda& cuda, const auto& given) {
    const auto prepared = given.prepare({8, 8, 0}, {});
    const auto c = given.on_host().c();
    std::vector<Label> lowest(static_cast<std::size_t>(c.rows()));
    cuda.read(std::span<const Label>(prepared.filter.lowest, lowest.size()), lowest.data());
    for (Label j = 0; j < c.rows(); ++j) {
      Label first = 0;
      while (!std::equal(c.row(first), c.row(first) + c.cols(), c.row(j))) ++first;
      ASSERT_EQ(lowest[static_cast<std::size_t>(j)], first);
    }
  });
}

TYPED_TEST(CudaPrimitive, AssignGivesTheSameLabelsAndDistances) {
  Index rechecked = 0, rows = 0;
  for_each_way_on_device<TypeParam>(device_shapes(), [&](const Cuda& cuda, const auto& given, const auto& variant) {
    const auto& host = given.on_host();
    std::vector<Label> labels = host.labels;
    std::vector<double> d2 = host.d2;
    detail::ExactSum phi = some_sum(), found_phi = some_sum();
    const Reference reference;
    reference.assign(host.tile(), host.prepare(reference, {}, {}), std::span(labels), std::span(d2), &phi);
    Twin<Label> found_labels(cuda, host.labels);
    Twin<double> found_d2(cuda, host.d2);
    rechecked += cuda.assign(given.tile(), given.prepare(variant.batching, variant.options()), found_labels.span(),
                             found_d2.span(), &found_phi);
    rows += host.shape.n;
    ASSERT_EQ(found_labels.values(), labels);
    ASSERT_EQ(found_d2.values(), d2);
    ASSERT_TRUE(same(found_phi, phi));
    // What is not wanted is not written.
    (void)cuda.assign(given.tile(), given.prepare(variant.batching, variant.options()), found_labels.span(), {},
                      nullptr);
    ASSERT_EQ(found_labels.values(), labels);
  });
  EXPECT_GT(rechecked, 0);
  EXPECT_LT(rechecked, rows);
}

// D of every pair lies within its bounds; of bounds that are too small, not.
TYPED_TEST(CudaPrimitive, TheBoundOfTheCertificateHoldsPairByPair) {
  const std::vector<Shape> shapes = {{30, 1, 9}, {30, 3, 20}, {20, 33, 9}, {8, 257, 6}, {6, 520, 5}};
  Pairs sound, hundredth, without_distance;
  for (const Shape& shape : shapes)
    for (const Kind kind : every_kind) {
      const Cuda cuda = Cuda().open();
      const Given<TypeParam> host(kind, shape, Weighting::none, 11);
      const DeviceGiven<TypeParam> given(cuda, host);
      look_at_pairs<cuda::Sound>(cuda, given, sound);
      look_at_pairs<Hundredth>(cuda, given, hundredth);
      look_at_pairs<WithoutDistance>(cuda, given, without_distance);
    }
  EXPECT_GT(sound.seen, 1000);
  EXPECT_EQ(sound.outside, 0);
  EXPECT_GT(hundredth.outside, 0);
  // In float the other terms cover for the rounding of D.
  if (std::is_same_v<TypeParam, double>) {
    EXPECT_GT(without_distance.outside, 0);
  }
}

/// What the pass of the loop writes.
struct Pass {
  std::vector<Label> labels;
  std::vector<std::int64_t> sums;
  detail::ExactSum scatter = some_sum(), inertia = some_sum();
};

/// Labels of which some are -1 (no cluster), some right already and some wrong.
template <Real T>
std::vector<Label> labels_before(const Given<T>& given) {
  std::vector<Label> labels = given.labels;
  for (std::size_t i = 0; i < labels.size(); i += 4) labels[i] = -1;
  return labels;
}

TYPED_TEST(CudaPrimitive, AssignAccumulateWritesTheSameIntegers) {
  for_each_way_on_device<TypeParam>(device_shapes(), [](const Cuda& cuda, const auto& given, const auto& variant) {
    const auto& host = given.on_host();
    Pass expected{labels_before(host), host.some_sums()}, found = expected;
    const Reference reference;
    const detail::SumsView sums(expected.sums, host.sums_shape());
    reference.assign_accumulate(host.tile(), host.prepare(reference, {}, {}), {expected.labels}, host.quanta, sums,
                                &expected.scatter, &expected.inertia);
    const auto run = [&](detail::ExactSum* scatter, detail::ExactSum* inertia) {
      Twin<Label> labels(cuda, labels_before(host));
      Twin<std::int64_t> values(cuda, host.some_sums());
      cuda.assign_accumulate(given.tile(), given.prepare(variant.batching, variant.options()), {labels.span()},
                             host.quanta, detail::SumsView(values.span(), host.sums_shape()), scatter, inertia);
      auto here = values.values();
      // The number that a backend may have of its own.
      detail::SumsView(here, host.sums_shape()).rechecked() = sums.rechecked();
      ASSERT_EQ(labels.values(), expected.labels);
      ASSERT_EQ(here, expected.sums);
    };
    run(&found.scatter, &found.inertia);
    ASSERT_TRUE(same(found.scatter, expected.scatter));
    ASSERT_TRUE(same(found.inertia, expected.inertia));
    run(nullptr, nullptr);
  });
}

TYPED_TEST(CudaPrimitive, AccumulateAndMoveWriteTheSameIntegers) {
  // Many rows of few clusters go through the accumulators of shared memory, side by side or not.
  auto shapes = device_shapes();
  shapes.insert(shapes.end(), {{300, 2, 3}, {200, 40, 2, 1}, {150, 7, 200}});
  for_each_way_on_device<TypeParam>(shapes, [](const Cuda& cuda, const auto& given, const auto& variant) {
    const auto& host = given.on_host();
    auto expected = host.some_sums();
    const detail::SumsView sums(expected, host.sums_shape());
    auto labels = host.labels;
    Twin<std::int64_t> found(cuda, expected);
    Twin<Label> found_labels(cuda, labels);
    const detail::SumsView found_sums(found.span(), host.sums_shape());
    Reference().accumulate(host.tile(), {}, std::span<const Label>(labels), host.quanta, sums);
    cuda.accumulate(given.tile(), variant.options(), given.labels(), host.quanta, found_sums);
    ASSERT_EQ(found.values(), expected);
    for (Index i = 0; i < host.shape.n; i += 7) {
      const auto to = static_cast<Label>((labels[static_cast<std::size_t>(i)] + 1) % host.shape.k);
      Reference().move(host.tile(), i, to, std::span(labels), host.quanta, sums);
      cuda.move(given.tile(), i, to, found_labels.span(), host.quanta, found_sums);
    }
    ASSERT_EQ(found.values(), expected);
    ASSERT_EQ(found_labels.values(), labels);
  });
}

// Of many clusters and columns rows are sorted by label, where many of them move.
TYPED_TEST(CudaPrimitive, RowsSortedByLabelAddTheSameIntegers) {
  for (const Shape& shape : {Shape{420, 33, 200}, Shape{430, 260, 200, 1}})
    for (const auto weighting : {Weighting::none, Weighting::in_double}) {
      const Cuda cuda = Cuda().open();
      const Given<TypeParam> host(Kind::blobs, shape, weighting, 3);
      const DeviceGiven<TypeParam> given(cuda, host);
      ASSERT_EQ(cuda::ScatterPlan::of(host.sums_shape()).copies, 0) << "the shape is not one that is sorted";
      auto expected = host.some_sums();
      const detail::SumsView sums(expected, host.sums_shape());
      Twin<std::int64_t> found(cuda, expected);
      const detail::SumsView found_sums(found.span(), host.sums_shape());
      // They join their clusters, and some leave for the next one.
      Reference().accumulate(host.tile(), {}, std::span<const Label>(host.labels), host.quanta, sums);
      cuda.accumulate(given.tile(), {}, given.labels(), host.quanta, found_sums);
      ASSERT_EQ(found.values(), expected);
      std::vector<Label> to = host.labels;
      for (std::size_t i = 0; i < to.size(); ++i) {
        if (i % 20 == 0) continue;
        to[i] = static_cast<Label>((to[i] + 1) % shape.k);
        const auto row = static_cast<Index>(i);
        detail::add_row(host.x().row(row), host.tile().w(row), -1, host.labels[i], host.quanta, sums);
        detail::add_row(host.x().row(row), host.tile().w(row), 1, to[i], host.quanta, sums);
      }
      const Twin<Label> there(cuda, to);
      auto rows = cuda.make<Index>(shape.n);
      auto count = cuda.make<unsigned long long>(1);
      cuda::move_rows(*cuda.engine, given.tile(),
                      {given.labels().data(), there.span().data(), rows.data(), count.data()}, host.quanta, found_sums,
                      CentroidUpdate::scatter_add, 0);
      ASSERT_EQ(found.values(), expected);
    }
}

// Scalable seeding sums the weights of candidates, whose sums have no columns of features.
TYPED_TEST(CudaPrimitive, AccumulateOfWeightsAlone) {
  for_each_on_device<TypeParam>({{40, 3, 5}}, [](const Cuda& cuda, const auto& given) {
    const auto& host = given.on_host();
    detail::Quanta quanta;
    if (host.weighted()) quanta = detail::choose_quanta(host.shape.n, {detail::Span{1, -60}});
    const detail::SumsShape shape(host.shape.k, 0, quanta);
    std::vector<std::int64_t> expected(static_cast<std::size_t>(shape.size()), 3);
    Twin<std::int64_t> found(cuda, expected);
    Reference().accumulate(host.tile(), {}, std::span<const Label>(host.labels), quanta,
                           detail::SumsView(expected, shape));
    cuda.accumulate(given.tile(), {}, given.labels(), quanta, detail::SumsView(found.span(), shape));
    ASSERT_EQ(found.values(), expected);
  });
}

TYPED_TEST(CudaPrimitive, DistanceIsTheSame) {
  for_each_on_device<TypeParam>(device_shapes(), [](const Cuda& cuda, const auto& given) {
    const auto& host = given.on_host();
    std::vector<double> d2 = host.d2;
    detail::ExactSum phi = some_sum(), found_phi = some_sum();
    Reference().distance(host.tile(), host.c(), std::span<const Label>(host.labels), std::span(d2), &phi);
    Twin<double> found(cuda, host.d2);
    cuda.distance(given.tile(), given.c(), given.labels(), found.span(), &found_phi);
    ASSERT_EQ(found.values(), d2);
    ASSERT_TRUE(same(found_phi, phi));
  });
}

constexpr Label first = 100;

TYPED_TEST(CudaPrimitive, LowerLowersTheSame) {
  for_each_on_device<TypeParam>(device_shapes(), [](const Cuda& cuda, const auto& given) {
    const auto& host = given.on_host();
    for (const bool fresh : {true, false}) {
      std::vector<double> d2 = host.d2;
      if (fresh) std::fill(d2.begin(), d2.end(), std::numeric_limits<double>::infinity());
      std::vector<Label> labels = host.labels;
      detail::ExactSum phi = some_sum(), found_phi = some_sum();
      Twin<double> found_d2(cuda, d2);
      Twin<Label> found_labels(cuda, labels);
      const Reference reference;
      const double largest = reference.lower(host.tile(), host.prepare(reference, {}, {}), {}, first, std::span(d2),
                                             std::span(labels), &phi);
      const auto prepared = given.prepare({16, 5, 0}, {});
      ASSERT_EQ(cuda.lower(given.tile(), prepared, {}, first, found_d2.span(), found_labels.span(), &found_phi),
                largest);
      ASSERT_EQ(found_d2.values(), d2);
      ASSERT_EQ(found_labels.values(), labels);
      ASSERT_TRUE(same(found_phi, phi));
      (void)cuda.lower(given.tile(), prepared, {}, first, found_d2.span(), std::span<Label>(), nullptr);
    }
  });
}

TYPED_TEST(CudaPrimitive, GainGainsTheSame) {
  for_each_on_device<TypeParam>(device_shapes(), [](const Cuda& cuda, const auto& given) {
    const auto& host = given.on_host();
    std::vector<detail::ExactSum> gains(static_cast<std::size_t>(host.shape.k), some_sum()), found = gains;
    const Reference reference;
    reference.gain(host.tile(), host.prepare(reference, {}, {}), {}, {}, std::span<const double>(host.d2),
                   std::span(gains));
    cuda.gain(given.tile(), given.prepare({16, 5, 0}, {}), {}, {}, given.d2(), std::span(found));
    for (std::size_t t = 0; t < found.size(); ++t) ASSERT_TRUE(same(found[t], gains[t])) << "candidate " << t;
  });
}

TYPED_TEST(CudaPrimitive, PickAddsTheSameMasses) {
  // Rows 1000, 1003, ..: a third of a block of 1024 each.
  const std::vector<Shape> shapes = {{0, 1, 1}, {8, 1, 1}, {9, 1, 1}, {700, 1, 1, 1}};
  for_each_on_device<TypeParam>(shapes, [](const Cuda& cuda, const auto& given) {
    const auto& host = given.on_host();
    const auto scale = host.mass_scale();
    for (Index block = -1; block < 4; ++block) {
      std::vector<std::int64_t> masses(block < 0 ? 5 : 1024, 5), found = masses;
      Reference().pick(host.tile(), std::span<const double>(host.d2), scale, block, std::span(masses));
      cuda.pick(given.tile(), given.d2(), scale, block, std::span(found));
      ASSERT_EQ(found, masses) << "block " << block;
    }
  });
}

TYPED_TEST(CudaPrimitive, SampleDrawsTheSameRows) {
  const std::vector<Shape> shapes = {{0, 1, 1}, {1, 1, 1}, {33, 2, 1}, {700, 1, 1}};
  Index chosen = 0;
  for_each_on_device<TypeParam>(shapes, [&](const Cuda& cuda, const auto& given) {
    const auto& host = given.on_host();
    const auto scale = host.mass_scale();
    std::uint64_t total = 1;
    for (Index i = 0; i < host.shape.n; ++i) total += scale(host.tile().w(i), host.d2[static_cast<std::size_t>(i)]);
    const detail::BernoulliTrial trial{50, total, {7, detail::Purpose::scalable, 1, 2, 0}};
    std::vector<Index> rows{-1}, found = rows;  // rows are added
    Reference().sample(host.tile(), std::span<const double>(host.d2), scale, trial, rows);
    cuda.sample(given.tile(), given.d2(), scale, trial, found);
    ASSERT_EQ(found, rows);
    chosen += static_cast<Index>(rows.size()) - 1;
  });
  EXPECT_GT(chosen, 100);
}

TYPED_TEST(CudaPrimitive, FarthestFindsTheSameRows) {
  // Groups of 1024 rows.
  const std::vector<Shape> shapes = {{0, 1, 1}, {1, 1, 1}, {33, 2, 4}, {1024, 1, 3}, {2100, 1, 3}};
  Index ties = 0;
  for_each_on_device<TypeParam>(shapes, [&](const Cuda& cuda, const auto& given) {
    const auto& host = given.on_host();
    auto d2 = host.d2;  // whole numbers, so that many tie
    for (double& value : d2) value = std::floor(value * 2);
    const Twin<double> there(cuda, d2);
    const detail::FarRow before{3, 7, 1, 0};  // of another tile: the rows of all tiles compete
    for (const Index m : {Index{1}, Index{2}, Index{50}}) {
      std::vector<detail::FarRow> rows{before}, found = rows;
      Reference().farthest(host.tile(), std::span<const double>(d2), std::span<const Label>(host.labels), m, rows);
      cuda.farthest(given.tile(), there.span(), given.labels(), m, found);
      std::sort(rows.begin(), rows.end());
      std::sort(found.begin(), found.end());
      ASSERT_EQ(found.size(), rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        ASSERT_EQ(found[i].d2, rows[i].d2);
        ASSERT_EQ(found[i].row, rows[i].row);
        ASSERT_EQ(found[i].w, rows[i].w);
        ASSERT_EQ(found[i].label, rows[i].label);
        ties += i > 0 && rows[i].d2 == rows[i - 1].d2 ? 1 : 0;
      }
    }
  });
  EXPECT_GT(ties, 100);
}

TYPED_TEST(CudaPrimitive, DivideAndConvergeGiveTheSame) {
  auto shapes = device_shapes();
  shapes.push_back({60, 700, 4});
  for_each_on_device<TypeParam>(shapes, [](const Cuda& cuda, const auto& given) {
    const auto& host = given.on_host();
    std::vector<std::int64_t> values(static_cast<std::size_t>(host.sums_shape().size()), 0);
    const detail::SumsView sums(values, host.sums_shape());
    for (Index i = 0; i < host.shape.n; ++i) {  // cluster 0 stays empty, 1 gets rows of no weight
      const double w = host.tile().w(i);
      const auto j =
          static_cast<Label>(host.shape.k > 2 ? (w == 0 ? 1 : 2 + i % (host.shape.k - 2)) : i % host.shape.k);
      detail::add_row(host.x().row(i), w, 1, j, host.quanta, sums);
    }
    const auto bytes = static_cast<std::size_t>(host.shape.k * host.shape.d);
    Matrix<TypeParam> next(host.shape.k, host.shape.d);
    Reference().divide(sums, host.quanta, host.c(), next.view());
    Twin<std::int64_t> there(cuda, values);
    auto found = cuda.make<TypeParam>(host.shape.k, host.shape.d);
    cuda.divide(detail::SumsView(there.span(), host.sums_shape()), host.quanta, given.c(), found.view());
    ASSERT_TRUE(same_bits(to_host(found).data(), next.data(), bytes));
    ASSERT_EQ(cuda.converge(std::as_const(found).view(), given.c()),
              Reference().converge(std::as_const(next).view(), host.c()));
  });
}

}  // namespace
}  // namespace lloyd::test
