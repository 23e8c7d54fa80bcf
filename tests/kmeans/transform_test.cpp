// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/transform.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/problem.hpp"
#include "support/verify.hpp"

namespace lloyd::test {
namespace {

template <class T>
class Transform : public testing::Test {};
using TransformScalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Transform, TransformScalars);

TYPED_TEST(Transform, RootsOfDWhoseFirstMinimumIsTheLabel) {
  const KMeans<Reference> kmeans({});
  for (const Index m : {0, 1, 50, 4095, 4096, 4097}) {
    const auto y = grid_rows<TypeParam>(m, 2, 1, 9), c = grid_rows<TypeParam>(7, 2, 2, 9);
    const auto found = kmeans.transform(c, y);
    const auto labels = kmeans.predict(c, y);
    ASSERT_EQ(found.rows(), m);
    ASSERT_EQ(found.cols(), 7);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < 7; ++j) ASSERT_EQ(found(i, j), std::sqrt(squared_distance(y.row(i), c.row(j), 2)));
      ASSERT_EQ(std::min_element(found.row(i), found.row(i) + 7) - found.row(i), labels[static_cast<std::size_t>(i)]);
    }
  }
}

TEST(RootOfRow, TwoDOfOneRootKeepTheirOrder) {
  // The first is one ulp farther, but both have the same root.
  const double near = 1 + 0x1p-51, far = std::nextafter(near, 2);
  ASSERT_EQ(std::sqrt(near), std::sqrt(far));
  std::vector<double> row{far, near, near, 9};
  detail::root_of_row(row.data(), 4);
  EXPECT_EQ(std::min_element(row.begin(), row.end()) - row.begin(), 1);
  EXPECT_EQ(row[1], std::sqrt(near));
  EXPECT_EQ(row[0], std::nextafter(std::sqrt(near), 2)) << "raised by an ulp";
  EXPECT_EQ(row[2], row[1]);
  EXPECT_EQ(row[3], 3);
}

TEST(RootOfRow, OwnDistanceIsZero) {
  const auto x = rows_of<float>({{123456.7, -98765.4, 55555.5}, {1, 2, 3}, {0, 0, 0}});
  const auto found = KMeans<Reference>({}).transform(x, x);
  for (Index i = 0; i < 3; ++i) EXPECT_EQ(found(i, i), 0.0);
}

}  // namespace
}  // namespace lloyd::test
