// SPDX-License-Identifier: MIT
#include "lloyd/cpu/assign_accumulate.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <utility>

#include "support/primitive.hpp"

namespace lloyd::test {
namespace {

/// What the pass of the loop writes.
struct Pass {
  std::vector<Label> labels;
  std::vector<std::int64_t> sums;
  detail::ExactSum scatter = some_sum(), inertia = some_sum();
};

/// The numbers that a backend may have of its own.
void forget_speed(const detail::SumsView& sums) { sums.rechecked() = sums.skipped() = 0; }

/// A pass from labels of which some are -1 (no cluster), some right already and some wrong.
template <Real T, class B>
Pass pass(const Given<T>& given, const B& backend, const detail::Batching& batching, const Options& options) {
  Pass result{given.labels, given.some_sums(), some_sum(), some_sum()};
  for (std::size_t i = 0; i < result.labels.size(); i += 4) result.labels[i] = -1;
  const detail::SumsView sums(result.sums, given.sums_shape());
  backend.assign_accumulate(given.tile(), given.prepare(backend, batching, options), {result.labels}, given.quanta,
                            sums, &result.scatter, &result.inertia);
  forget_speed(sums);
  return result;
}

template <class T>
class AssignAccumulatePrimitive : public testing::Test {};
TYPED_TEST_SUITE(AssignAccumulatePrimitive, Scalars);

TYPED_TEST(AssignAccumulatePrimitive, ReferenceIsAssignMoveAndTwoSums) {
  for_each_given<TypeParam>(small_shapes(), [](const Given<TypeParam>& given) {
    const Pass found = pass(given, Reference(), {}, {});
    std::vector<std::int64_t> expected = given.some_sums();
    const detail::SumsView sums(expected, given.sums_shape());
    detail::ExactSum scatter = some_sum(), inertia = some_sum();
    const auto tile = given.tile();
    for (Index i = 0; i < given.shape.n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const TypeParam* x = tile.x.row(i);
      const Nearest nearest = nearest_of(x, given.c());
      ASSERT_EQ(found.labels[at], nearest.label);
      const Label from = i % 4 == 0 ? -1 : given.labels[at];
      if (from != nearest.label) {
        if (from >= 0) detail::add_row(x, tile.w(i), -1, from, given.quanta, sums);
        detail::add_row(x, tile.w(i), 1, nearest.label, given.quanta, sums);
        ++sums.changed();
      }
      scatter.add_product(tile.w(i), squared_distance(x, given.origin.data(), given.shape.d));
      inertia.add_product(tile.w(i), nearest.d2);
    }
    forget_speed(sums);
    ASSERT_EQ(found.sums, expected);
    ASSERT_TRUE(same(found.scatter, scatter));
    ASSERT_TRUE(same(found.inertia, inertia));
  });
}

TYPED_TEST(AssignAccumulatePrimitive, CpuWritesTheSameIntegers) {
  for_each_given<TypeParam>(small_shapes(), [](const Given<TypeParam>& given) {
    const Pass expected = pass(given, Reference(), {}, {});
    for_each_variant([&](const Variant& variant) {
      const Pass found = pass(given, variant.cpu, variant.batching, variant.options);
      ASSERT_EQ(found.labels, expected.labels);
      ASSERT_EQ(found.sums, expected.sums);
      ASSERT_TRUE(same(found.scatter, expected.scatter));
      ASSERT_TRUE(same(found.inertia, expected.inertia));
    });
  });
}

TYPED_TEST(AssignAccumulatePrimitive, ANullSumIsNotWanted) {
  const Given<TypeParam> given(Kind::blobs, {70, 3, 9}, Weighting::in_double, 5);
  const Pass expected = pass(given, Reference(), {}, {});
  for_each_variant([&](const Variant& variant) {
    std::vector<Label> labels = given.labels;
    for (std::size_t i = 0; i < labels.size(); i += 4) labels[i] = -1;
    auto values = given.some_sums();
    const detail::SumsView sums(values, given.sums_shape());
    variant.cpu.assign_accumulate(given.tile(), given.prepare(variant.cpu, variant.batching, variant.options), {labels},
                                  given.quanta, sums, nullptr, nullptr);
    forget_speed(sums);
    ASSERT_EQ(labels, expected.labels);
    ASSERT_EQ(values, expected.sums);
  });
}

/// How centroids go from one pass to the next.
enum class Motion { rest, few_far, all_little, shrinking, onto_each_other };
constexpr Motion every_motion[] = {Motion::rest, Motion::few_far, Motion::all_little, Motion::shrinking,
                                   Motion::onto_each_other};

template <Real T>
Matrix<T> moved(const Matrix<T>& c, Motion motion, int step, Random& random) {
  Matrix<T> next = c;
  for (Index j = 0; j < c.rows(); ++j) {
    const double far = motion == Motion::few_far      ? (random.below(10) == 0 ? 1 : 0)
                       : motion == Motion::all_little ? 0x1p-12
                       : motion == Motion::shrinking  ? std::ldexp(1.0, -3 * step)
                                                      : 0;
    for (Index q = 0; q < c.cols(); ++q)
      next(j, q) += static_cast<T>(far * random.uniform(-1, 1) * (1 + std::fabs(static_cast<double>(c(j, q)))));
    if (motion == Motion::onto_each_other && random.below(8) == 0)
      std::copy_n(c.row(random.below(c.rows())), c.cols(), next.row(j));
  }
  return next;
}

/// Shapes of which bounds are kept, or whose centroids are put in the order of space.
const std::vector<Shape>& shapes_that_skip() {
  static const std::vector<Shape> shapes = {{130, 40, 40, 3}, {150, 300, 5}, {99, 130, 33},   {70, 65, 200, 1},
                                            {60, 1, 170, 1},  {50, 2, 350},  {40, 3, 700, 2}, {24, 4, 1300}};
  return shapes;
}

/// Passes from labels -1, with centroids that move between them; what is kept is anything at first.
template <Real T>
class Passes {
 public:
  Passes(const Given<T>& given, Motion motion) : given_(&given) {
    Random random(static_cast<std::uint64_t>(given.shape.n));
    c_.emplace_back(given.shape.k, given.shape.d);
    for (Index j = 0; j < given.shape.k; ++j) std::copy_n(given.c().row(j), given.shape.d, c_[0].row(j));
    for (int step = 0; step < 4; ++step) c_.push_back(moved(c_.back(), motion, step, random));
  }

  /// Labels and sums after each pass.
  template <class B>
  std::vector<Pass> run(const B& backend, const detail::Batching& batching, const Options& options, Index& skipped) {
    const auto n = static_cast<std::size_t>(given_->shape.n);
    std::vector<Pass> passes;
    Pass state{std::vector<Label>(n, -1), given_->some_sums()};
    std::vector<double> kept(n, 7);
    const detail::SumsView sums(state.sums, given_->sums_shape());
    for (std::size_t step = 0; step < c_.size(); ++step) {
      const auto before = step == 0 ? MatrixView<const T>() : std::as_const(c_[step - 1]).view();
      const auto prepared = backend.prepare(std::as_const(c_[step]).view(), std::span<const T>(given_->origin),
                                            batching, options, before);
      forget_speed(sums);
      backend.assign_accumulate(given_->tile(), prepared, {state.labels, kept}, given_->quanta, sums, nullptr, nullptr);
      skipped += sums.skipped();
      forget_speed(sums);
      passes.push_back(state);
    }
    return passes;
  }

 private:
  const Given<T>* given_;
  std::vector<Matrix<T>> c_;
};

TYPED_TEST(AssignAccumulatePrimitive, WhatIsKeptFromPassToPassChangesNothing) {
  Index skipped = 0, pairs = 0;
  std::size_t turn = 0;
  for_each_given<TypeParam>(shapes_that_skip(), [&](const Given<TypeParam>& given) {
    const Motion motion = every_motion[turn++ % std::size(every_motion)];
    SCOPED_TRACE(testing::Message() << "motion " << static_cast<int>(motion));
    Passes<TypeParam> passes(given, motion);
    const auto expected = passes.run(Reference(), {}, {}, skipped);
    for_each_variant([&](const Variant& variant) {
      const auto found = passes.run(variant.cpu, variant.batching, variant.options, skipped);
      for (std::size_t step = 0; step < expected.size(); ++step) {
        ASSERT_EQ(found[step].labels, expected[step].labels) << "pass " << step;
        ASSERT_EQ(found[step].sums, expected[step].sums) << "pass " << step;
      }
      pairs += given.shape.n * given.shape.k * static_cast<Index>(expected.size());
    });
  });
  std::cout << "  skipped " << skipped << " of " << pairs << " pairs\n";
  EXPECT_GT(skipped, pairs / 10);
}

}  // namespace
}  // namespace lloyd::test
