// SPDX-License-Identifier: MIT
#include "lloyd/cpu/gain.hpp"

#include <gtest/gtest.h>

#include "support/exact.hpp"
#include "support/primitive.hpp"

namespace lloyd::test {
namespace {

/// What candidates gain; `seeds` and labels tell where d2 comes from, or there are no seeds.
template <Real T, class B>
std::vector<detail::ExactSum> gains(const Given<T>& given, const B& backend, const detail::Batching& batching,
                                    const Options& options, MatrixView<const T> seeds = {},
                                    std::span<const Label> labels = {}) {
  std::vector<detail::ExactSum> sums(static_cast<std::size_t>(given.shape.k), some_sum());
  backend.gain(given.tile(), given.prepare(backend, batching, options), seeds, labels,
               std::span<const double>(given.d2), std::span(sums));
  return sums;
}

template <class T>
class GainPrimitive : public testing::Test {};
TYPED_TEST_SUITE(GainPrimitive, Scalars);

TYPED_TEST(GainPrimitive, ReferenceIsTheDefinition) {
  Index gained = 0;
  for_each_given<TypeParam>(small_shapes(), [&](const Given<TypeParam>& given) {
    const auto found = gains(given, Reference(), {}, {});
    for (std::size_t t = 0; t < found.size(); ++t) {
      Exact expected;
      expected.add(-12.375);
      for (std::size_t i = 0; i < given.d2.size(); ++i) {
        const auto row = static_cast<Index>(i);
        const double d2 = squared_distance(given.x().row(row), given.c().row(static_cast<Index>(t)), given.shape.d);
        if (d2 >= given.d2[i]) continue;
        expected.add(given.tile().w(row), given.d2[i]);
        expected.add(given.tile().w(row), -d2);
        ++gained;
      }
      ASSERT_TRUE(is_rounded(found[t].value(), expected));
    }
  });
  EXPECT_GT(gained, 100);
}

TYPED_TEST(GainPrimitive, CpuGainsTheSame) {
  for_each_given<TypeParam>(small_shapes(), [](const Given<TypeParam>& given) {
    const auto expected = gains(given, Reference(), {}, {});
    for_each_variant([&](const Variant& variant) {
      const auto found = gains(given, variant.cpu, variant.batching, variant.options);
      for (std::size_t t = 0; t < found.size(); ++t) ASSERT_TRUE(same(found[t], expected[t])) << "candidate " << t;
    });
  });
}

// Where the rows' nearest seeds are known, rows that no candidate can be nearer to are not read: the same sums.
TYPED_TEST(GainPrimitive, SeedsChangeNothing) {
  Index gained = 0;
  for_each_given<TypeParam>(small_shapes(), [&](const Given<TypeParam>& shaped) {
    if (shaped.x().rows() == 0) return;
    Given<TypeParam> given = shaped;
    const auto seeds = given.x().slice(0, (std::min)(given.x().rows(), Index{5}));
    const std::vector<TypeParam> origin(static_cast<std::size_t>(given.shape.d), 0);
    const Reference reference;
    reference.assign(given.tile(), reference.prepare(seeds, std::span<const TypeParam>(origin), {}, {}),
                     std::span(given.labels), std::span(given.d2), nullptr);
    const auto expected = gains(given, reference, {}, {});
    for (const auto& sum : expected) gained += same(sum, some_sum()) ? 0 : 1;
    for_each_variant([&](const Variant& variant) {
      const auto found = gains(given, variant.cpu, variant.batching, variant.options, seeds, given.labels);
      for (std::size_t t = 0; t < found.size(); ++t) ASSERT_TRUE(same(found[t], expected[t])) << "candidate " << t;
    });
  });
  EXPECT_GT(gained, 100);
}

// A candidate's notes lower d2 to what a read of the rows would lower it to; where they do not fit there are none.
TYPED_TEST(GainPrimitive, NotesServeForAReadOfTheRows) {
  Index lowered = 0, incomplete = 0;
  for_each_given<TypeParam>(small_shapes(), [&](const Given<TypeParam>& given) {
    for_each_variant([&](const Variant& variant) {
      for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{400}}) {
        detail::Improvements notes;
        const auto candidates = static_cast<std::size_t>(given.shape.k);
        notes.restart(candidates, variant.cpu.workers(), given.shape.n, bytes);
        std::vector<detail::ExactSum> unused(candidates);
        auto tile = given.tile();
        tile.offset = 0;
        variant.cpu.gain(tile, given.prepare(variant.cpu, variant.batching, variant.options), {}, {},
                         std::span<const double>(given.d2), std::span(unused), notes);
        for (Index t = 0; t < given.shape.k && given.shape.n > 0; ++t) {
          const auto runs = notes.of_candidate(t);
          if (runs.empty()) {
            ASSERT_LT(bytes, 1000U);
            ++incomplete;
            continue;
          }
          std::vector<double> d2 = given.d2, expected = given.d2;
          std::vector<Label> labels = given.labels, expected_labels = given.labels;
          variant.cpu.lower(runs, 77, std::span(d2), std::span(labels));
          for (Index i = 0; i < given.shape.n; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const double other = squared_distance(given.x().row(i), given.c().row(t), given.shape.d);
            if (other < expected[at]) expected[at] = other, expected_labels[at] = 77, ++lowered;
          }
          ASSERT_EQ(d2, expected);
          ASSERT_EQ(labels, expected_labels);
        }
      }
    });
  });
  EXPECT_GT(lowered, 1000);
  EXPECT_GT(incomplete, 100);
}

}  // namespace
}  // namespace lloyd::test
