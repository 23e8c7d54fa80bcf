// SPDX-License-Identifier: MIT
#include "lloyd/cpu/assign.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <limits>
#include <utility>

#include "lloyd/reference.hpp"
#include "support/data.hpp"
#include "support/exact.hpp"
#include "support/primitive.hpp"

namespace lloyd::test {
namespace {

/// What assigning writes.
struct Assigned {
  std::vector<Label> labels;
  std::vector<double> d2;
  detail::ExactSum phi = some_sum();
  Index rechecked = 0;
};

template <Real T, class B>
Assigned assign(const Given<T>& given, const B& backend, const detail::Batching& batching, const Options& options) {
  const auto n = static_cast<std::size_t>(given.shape.n);
  Assigned result{std::vector<Label>(n, -5), std::vector<double>(n, -5), some_sum(), 0};
  result.rechecked = backend.assign(given.tile(), given.prepare(backend, batching, options), std::span(result.labels),
                                    std::span(result.d2), &result.phi);
  return result;
}

template <class T>
class AssignPrimitive : public testing::Test {};
TYPED_TEST_SUITE(AssignPrimitive, Scalars);

TYPED_TEST(AssignPrimitive, ReferenceIsTheDefinition) {
  Index ties = 0;
  for_each_given<TypeParam>(small_shapes(), [&](const Given<TypeParam>& given) {
    const Assigned found = assign(given, Reference(), {}, {});
    Exact phi;
    phi.add(-12.375);
    for (Index i = 0; i < given.shape.n; ++i) {
      const Nearest nearest = nearest_of(given.x().row(i), given.c());
      const auto at = static_cast<std::size_t>(i);
      ASSERT_EQ(found.labels[at], nearest.label);
      ASSERT_EQ(found.d2[at], nearest.d2);
      phi.add(given.tile().w(i), nearest.d2);
      ties += nearest.ties > 1 ? 1 : 0;
    }
    ASSERT_TRUE(is_rounded(found.phi.value(), phi));
  });
  EXPECT_GT(ties, 100);
}

TYPED_TEST(AssignPrimitive, CpuAssignsTheSame) {
  Index rechecked = 0, certified = 0;
  for_each_given<TypeParam>(small_shapes(), [&](const Given<TypeParam>& given) {
    const Assigned expected = assign(given, Reference(), {}, {});
    for_each_variant([&](const Variant& variant) {
      const Assigned found = assign(given, variant.cpu, variant.batching, variant.options);
      ASSERT_EQ(found.labels, expected.labels);
      ASSERT_EQ(found.d2, expected.d2);
      ASSERT_TRUE(same(found.phi, expected.phi));
      ASSERT_GE(found.rechecked, 0);
      ASSERT_LE(found.rechecked, given.shape.n);
      rechecked += found.rechecked;
      certified += given.shape.n - found.rechecked;
    });
  });
  std::cout << "  " << certified << " rows certified, " << rechecked << " rechecked\n";
  EXPECT_GT(rechecked, 0);
  EXPECT_GT(certified, 0);
}

// Features up to the end of a chain, and past it; more panels than have sums waiting between two chains.
TYPED_TEST(AssignPrimitive, ChainsOfManyFeatures) {
  for_each_given<TypeParam>({{50, 255, 70}, {50, 256, 3}, {49, 600, 150, 1}}, [&](const Given<TypeParam>& given) {
    const Assigned expected = assign(given, Reference(), {}, {});
    for_each_variant([&](const Variant& variant) {
      const Assigned found = assign(given, variant.cpu, variant.batching, variant.options);
      ASSERT_EQ(found.labels, expected.labels);
      ASSERT_EQ(found.d2, expected.d2);
    });
  });
}

TYPED_TEST(AssignPrimitive, AnEmptySpanIsNotWritten) {
  for_each_given<TypeParam>({{33, 3, 5}, {40, 20, 17, 2}}, [](const Given<TypeParam>& given) {
    const Assigned expected = assign(given, Reference(), {}, {});
    const auto check = [&](const auto& backend, const detail::Batching& batching, const Options& options) {
      const auto prepared = given.prepare(backend, batching, options);
      std::vector<Label> labels(expected.labels.size(), -1);
      std::vector<double> d2(labels.size(), -1);
      detail::ExactSum phi = some_sum();
      (void)backend.assign(given.tile(), prepared, std::span(labels), std::span<double>(), nullptr);
      ASSERT_EQ(labels, expected.labels);
      (void)backend.assign(given.tile(), prepared, std::span<Label>(), std::span(d2), nullptr);
      ASSERT_EQ(d2, expected.d2);
      (void)backend.assign(given.tile(), prepared, std::span<Label>(), std::span<double>(), &phi);
      ASSERT_TRUE(same(phi, expected.phi));
    };
    check(Reference(), {}, {});
    for_each_variant([&](const Variant& variant) { check(variant.cpu, variant.batching, variant.options); });
  });
}

// D of a row with a NaN is NaN to all: they tie, and the lowest label wins, in whatever order centroids are compared.
TYPED_TEST(AssignPrimitive, ARowWithANaNGetsLabel0) {
  const Options options{.check_finite = false};
  for (const auto& [d, k] : {std::pair<Index, Index>{1, 400}, {2, 500}, {3, 700}, {5, 30}, {80, 3}, {70, 40}}) {
    auto x = uniform_rows<TypeParam>(60, d, 1);
    for (const Index i : {3, 17, 59}) x(i, i % d) = std::numeric_limits<TypeParam>::quiet_NaN();
    x(5, 0) = std::numeric_limits<TypeParam>::infinity();
    const auto c = uniform_rows<TypeParam>(k, d, 2);
    const auto expected = KMeans<Reference>(options).predict(c, x);
    EXPECT_EQ(expected[3], 0);
    for (const Isa isa : {Isa::portable, Isa::avx2, Isa::amx})
      EXPECT_EQ(KMeans<Cpu>(options, Cpu{.n_threads = 2, .widest = isa}).predict(c, x), expected) << d << ", " << k;
  }
}

// The distance from a row to the next is not multiplied where there is no next.
TYPED_TEST(AssignPrimitive, AHugeStrideOfTheOnlyRow) {
  const std::vector<TypeParam> x{1, 2};
  const Index stride = (Index{1} << 62) / static_cast<Index>(sizeof(TypeParam));
  const auto c = rows_of<TypeParam>({{0, 0}, {1, 1}});
  EXPECT_EQ(KMeans<Cpu>(Options{}).predict(c, MatrixView<const TypeParam>(x.data(), 1, 2, stride)),
            std::vector<Label>{1});
}

}  // namespace
}  // namespace lloyd::test
