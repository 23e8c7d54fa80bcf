// SPDX-License-Identifier: MIT
/// The sample kernels, against plain loops.
#include "cuda/samples/kernels.cuh"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "support/device.hpp"

namespace lloyd::samples {
namespace {

using test::OnDevice;
using test::Stream;

/// Numbers that are small multiples of 1/8: their products add exactly in float.
std::vector<float> numbers(int count, int seed) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>((i * 37 + seed) % 61 - 30) / 8);
  return values;
}

TEST(Samples, Sum) {
  const Stream stream;
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 1);
  const OnDevice<int> x(stream, values), totals(stream, 3), total(stream, {0});
  cuda::launch(stream, 3, threads, 0, sum_kernel<>, x.data(), 1000, totals.data(), total.data());
  const auto parts = totals.values();
  EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), 0), 500500);
  EXPECT_EQ(total.values(), std::vector<int>({500500}));
}

TEST(Samples, Distance) {
  constexpr int n = 300, d = 20;
  const Stream stream;
  const auto rows = numbers(n * d, 5), centroid = numbers(d, 11);
  const OnDevice<float> x(stream, rows), c(stream, centroid);
  const OnDevice<double> d2(stream, n);
  cuda::launch(stream, 2, threads, d * sizeof(float), distance_kernel<>, x.data(), c.data(), n, d, d2.data());
  const auto values = d2.values();
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t q = 0; q < d; ++q) {
      const double t = static_cast<double>(rows[i * d + q]) - static_cast<double>(centroid[q]);
      sum = std::fma(t, t, sum);
    }
    ASSERT_EQ(values[i], sum) << i;
  }
}

TEST(Samples, Gram) {
  constexpr int n = 70, k = 67, d = 32;
  const Stream stream;
  const auto rows = numbers(n * d, 3), centroids = numbers(k * d, 8);
  const OnDevice<float> x(stream, rows), c(stream, centroids);
  const OnDevice<unsigned long long> nearest(stream, n);
  cuda::launch(stream, 2, threads, sizeof(Tiles), gram_kernel<>, x.data(), c.data(), n, k, d, nearest.data());
  const auto values = nearest.values();
  for (std::size_t i = 0; i < n; ++i) {
    float best = INFINITY;
    std::size_t label = 0;
    for (std::size_t j = 0; j < k; ++j) {
      float score = 0;
      for (std::size_t q = 0; q < d; ++q) score += std::fabs(rows[i * d + q] * centroids[j * d + q]);
      if (score < best) {
        best = score;
        label = j;
      }
    }
    ASSERT_EQ(values[i] & 0xFFFFFFFFU, label) << i;
    const auto high = static_cast<unsigned>(values[i] >> 32U);
    float score = 0;
    std::memcpy(&score, &high, sizeof score);
    ASSERT_EQ(score, best) << i;
  }
}

}  // namespace
}  // namespace lloyd::samples
