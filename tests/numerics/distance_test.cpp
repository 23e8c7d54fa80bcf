// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/distance.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "lloyd/matrix.hpp"
#include "support/data.hpp"

namespace lloyd::test {
namespace {

/// a * a + b rounded once, without fma: a^2 is two doubles (Dekker), and the sum of three is rounded to odd before the
/// last addition (Boldo, Melquiond 2008), so that nothing is rounded twice.
double square_plus(double a, double b) {
  const auto two_sum = [](double p, double q) {
    const double s = p + q, t = s - p;
    return std::array<double, 2>{s, (p - (s - t)) + (q - t)};
  };
  const double split = 134217729.0 * a, high = split - (split - a), low = a - high;
  const double square = a * a, lost = ((high * high - square) + 2 * high * low) + low * low;
  const auto tail = two_sum(b, lost);
  const auto head = two_sum(square, tail[0]);
  const auto rest = two_sum(tail[1], head[1]);
  double odd = rest[0];
  if (rest[1] != 0 && (std::bit_cast<std::uint64_t>(odd) & 1) == 0)
    odd = std::nextafter(
        odd, (rest[1] > 0) ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity());
  return head[0] + odd;
}

/// D by its definition, a lane at a time instead of a column at a time.
template <Real T>
double by_lanes(const std::vector<T>& x, const std::vector<T>& c) {
  std::array<double, 8> lane{};
  for (std::size_t l = 0; l < lane.size(); ++l)
    for (std::size_t q = l; q < x.size(); q += lane.size())
      lane[l] = square_plus(static_cast<double>(x[q]) - static_cast<double>(c[q]), lane[l]);
  for (std::size_t width = 4; width >= 1; width /= 2)  // 0+4 1+5 2+6 3+7, then 0+2 1+3, then 0+1
    for (std::size_t l = 0; l < width; ++l) lane[l] += lane[l + width];
  return lane[0];
}

template <Real T>
std::vector<T> values(Random& random, Index d, int power) {
  std::vector<T> x;
  for (Index q = 0; q < d; ++q)
    x.push_back(static_cast<T>(std::ldexp(random.uniform(-1, 1), static_cast<int>(random.between(-power, power)))));
  return x;
}

template <class T>
class Distance : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Distance, Scalars);

TYPED_TEST(Distance, IsTheDefinitionLaneByLane) {
  Random random(1);
  for (const Index d : {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 127, 129, 1000})
    for (int repeat = 0; repeat < 200; ++repeat) {
      const auto x = values<TypeParam>(random, d, repeat % 40), c = values<TypeParam>(random, d, repeat % 40);
      ASSERT_EQ(detail::distance(x.data(), c.data(), d), by_lanes(x, c)) << "d = " << d;
    }
}

TYPED_TEST(Distance, IsSymmetricAndZeroToItself) {
  Random random(2);
  for (Index d = 0; d < 70; ++d) {
    const auto x = values<TypeParam>(random, d, 60), c = values<TypeParam>(random, d, 60);
    ASSERT_EQ(detail::distance(x.data(), c.data(), d), detail::distance(c.data(), x.data(), d));
    ASSERT_EQ(detail::distance(x.data(), x.data(), d), 0.0);
    ASSERT_FALSE(std::signbit(detail::distance(x.data(), x.data(), d)));
  }
}

TYPED_TEST(Distance, LosesNothingThatDoubleHolds) {
  // The rows of cases H1.3 and H1.4: in float, 1.000 and 1.001 differ by exactly t, and so do all 1000 columns.
  const std::vector<TypeParam> x(1000, static_cast<TypeParam>(1.0)), c(1000, static_cast<TypeParam>(1.001));
  const double t = static_cast<double>(c[0]) - 1;
  EXPECT_NEAR(detail::distance(x.data(), c.data(), 1000), 1000 * t * t, 1e-13 * t * t * 1000);
  EXPECT_NEAR(std::sqrt(detail::distance(x.data(), c.data(), 1000)), 0.0316243, 3e-5);
}

TEST(DistanceOfFloats, NeverOverflows) {
  const float most = std::numeric_limits<float>::max();
  const std::vector<float> x(9, most), c(9, -most);
  EXPECT_EQ(detail::distance(x.data(), c.data(), 9), 36.0 * static_cast<double>(most) * static_cast<double>(most));
  const std::vector<float> small{std::numeric_limits<float>::denorm_min()}, zero{0.0F};
  EXPECT_EQ(detail::distance(small.data(), zero.data(), 1), 0x1p-298);
}

}  // namespace
}  // namespace lloyd::test
