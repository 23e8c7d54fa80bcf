// SPDX-License-Identifier: MIT
#include "lloyd/cpu/divide.hpp"

#include <gtest/gtest.h>

#include "support/exact.hpp"
#include "support/primitive.hpp"

namespace lloyd::test {
namespace {

template <class T>
class DividePrimitive : public testing::Test {};
TYPED_TEST_SUITE(DividePrimitive, Scalars);

/// Threads take 4096 values of centroids at a time.
const std::vector<Shape> shapes = {{300, 4095, 1}, {40, 1365, 3, 1}, {40, 1024, 5}, {60, 3000, 4}};

/// Sums of rows of which cluster 0 has none, and cluster 1 only one of no weight.
template <Real T>
struct Summed {
  explicit Summed(const Given<T>& given) : values(static_cast<std::size_t>(given.sums_shape().size()), 0) {
    const detail::SumsView sums(values, given.sums_shape());
    for (Index i = 0; i < given.shape.n; ++i) {
      labels.push_back(static_cast<Label>(given.shape.k > 2 ? 2 + i % (given.shape.k - 2) : i % given.shape.k));
      if (given.shape.k > 2 && given.tile().w(i) == 0) labels.back() = 1;
      detail::add_row(given.x().row(i), given.tile().w(i), 1, labels.back(), given.quanta, sums);
    }
  }
  std::vector<std::int64_t> values;
  std::vector<Label> labels;
};

template <Real T, class B>
Matrix<T> divide(const Given<T>& given, Summed<T>& summed, const B& backend) {
  Matrix<T> next(given.shape.k, given.shape.d);
  backend.divide(detail::SumsView(summed.values, given.sums_shape()), given.quanta, given.c(), next.view());
  return next;
}

TYPED_TEST(DividePrimitive, ReferenceIsTheMeanRoundedOnceOrTheOldCentroid) {
  Index kept = 0;
  for_each_given<TypeParam>(small_shapes(), [&](const Given<TypeParam>& given) {
    Summed<TypeParam> summed(given);
    const auto next = divide(given, summed, Reference());
    const detail::SumsView sums(summed.values, given.sums_shape());
    for (Label j = 0; j < given.shape.k; ++j)
      for (Index q = 0; q < given.shape.d; ++q) {
        if (sums.occupancy(j) == 0) {
          ASSERT_EQ(next(j, q), given.c()(j, q));
          ++kept;
          continue;
        }
        Exact sum, weight;
        for (Index i = 0; i < given.shape.n; ++i) {
          if (summed.labels[static_cast<std::size_t>(i)] != j) continue;
          sum.add(given.tile().w(i), static_cast<double>(given.x()(i, q)));
          weight.add(given.tile().w(i));
        }
        ASSERT_TRUE(is_rounded_quotient(next(j, q), sum, weight)) << "centroid " << j << ", column " << q;
      }
  });
  EXPECT_GT(kept, 100);
}

TYPED_TEST(DividePrimitive, CpuDividesTheSame) {
  const auto compare = [](const Given<TypeParam>& given) {
    Summed<TypeParam> summed(given);
    const auto expected = divide(given, summed, Reference());
    for (const int threads : {1, 2, 3, 8}) {
      const auto found = divide(given, summed, Cpu{threads});
      ASSERT_TRUE(same_bits(found.data(), expected.data(), static_cast<std::size_t>(given.shape.k * given.shape.d)));
    }
  };
  for_each_given<TypeParam>(small_shapes(), compare);
  for_each_given<TypeParam>(shapes, compare);
}

}  // namespace
}  // namespace lloyd::test
