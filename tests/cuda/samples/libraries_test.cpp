// SPDX-License-Identifier: MIT
/// The calls of cuBLAS and CUB in use: the stand-ins of the test double, and the real ones on a device, answer the
/// same.
#include <gtest/gtest.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <cstdint>
#include <functional>

#include "support/device.hpp"

namespace lloyd::test {
namespace {

using Ints = std::vector<int>;
using Unsigneds = std::vector<unsigned>;
using Longs = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

/// Both phases of a call of CUB.
using Run = std::function<cudaError_t(void*, std::size_t&)>;
void in_two_phases(cudaStream_t stream, const Run& run) {
  std::size_t bytes = 0;
  LLOYD_CUDA_CHECK(run(nullptr, bytes));
  ASSERT_GT(bytes, 0U);
  const OnDevice<char> storage(stream, bytes);
  LLOYD_CUDA_CHECK(run(storage.data(), bytes));
}

TEST(Cub, SortsPairsByTheBitsAskedFor) {
  const Stream stream;
  const OnDevice<int> keys(stream, {3, -1, 2, 3, 0}), rows(stream, {0, 1, 2, 3, 4}), sorted(stream, 5),
      order(stream, 5);
  in_two_phases(stream, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, keys.data(), sorted.data(), rows.data(), order.data(), 5, 0,
                                           32, stream);
  });
  EXPECT_EQ(sorted.values(), Ints({-1, 0, 2, 3, 3}));
  EXPECT_EQ(order.values(), Ints({1, 4, 2, 0, 3}));
  in_two_phases(stream, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, keys.data(), sorted.data(), rows.data(), order.data(), 5, 0,
                                           1, stream);
  });
  EXPECT_EQ(order.values(), Ints({2, 4, 0, 1, 3}));
}

TEST(Cub, SortsKeysInABufferOfTwo) {
  const Stream stream;
  const OnDevice<unsigned> x(stream, {5, 1, 4}), sorted(stream, 3);
  const OnDevice<unsigned> a(stream, {5, 1, 4}), b(stream, 3), left(stream, {0, 1, 2}), right(stream, 3);
  cub::DoubleBuffer<unsigned> keys(a.data(), b.data()), rows(left.data(), right.data());
  in_two_phases(stream, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, keys, rows, 3, 0, 32, stream);
  });
  EXPECT_EQ((keys.Current() == a.data() ? a : b).values(), Unsigneds({1, 4, 5}));
  EXPECT_EQ((rows.Current() == left.data() ? left : right).values(), Unsigneds({1, 2, 0}));
  in_two_phases(stream, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(storage, bytes, x.data(), sorted.data(), 3, 0, 32, stream);
  });
  EXPECT_EQ(sorted.values(), Unsigneds({1, 4, 5}));
}

TEST(Cub, ReducesAndScans) {
  const Stream stream;
  const OnDevice<std::int64_t> x(stream, {4, -1, 7}), sum(stream, 1), largest(stream, 1), smallest(stream, 1),
      before(stream, 3), with(stream, 3);
  const auto in = x.data();
  in_two_phases(stream, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(storage, bytes, in, sum.data(), 3, stream);
  });
  in_two_phases(stream, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Max(storage, bytes, in, largest.data(), 3, stream);
  });
  in_two_phases(stream, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Min(storage, bytes, in, smallest.data(), 3, stream);
  });
  in_two_phases(stream, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(storage, bytes, in, before.data(), 3, stream);
  });
  in_two_phases(stream, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(storage, bytes, in, with.data(), 3, stream);
  });
  EXPECT_EQ(sum.values(), Longs({10}));
  EXPECT_EQ(largest.values(), Longs({7}));
  EXPECT_EQ(smallest.values(), Longs({-1}));
  EXPECT_EQ(before.values(), Longs({0, 4, 3}));
  EXPECT_EQ(with.values(), Longs({4, 3, 10}));
}

struct Below {
  int limit;
  __device__ bool operator()(int value) const { return value < limit; }
};

TEST(Cub, SelectsAndEncodesRuns) {
  const Stream stream;
  const OnDevice<int> x(stream, {5, 5, 2, 5}), kept(stream, {-7, -7, -7, -7}), count(stream, 1), values(stream, 4),
      lengths(stream, 4);
  const OnDevice<char> flags(stream, {1, 0, 1, 1});
  const auto in = x.data(), number = count.data();
  in_two_phases(stream, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(storage, bytes, in, flags.data(), kept.data(), number, 4, stream);
  });
  EXPECT_EQ(kept.values(), Ints({5, 2, 5, -7}));
  EXPECT_EQ(count.values(), Ints({3}));
  in_two_phases(stream, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceSelect::If(storage, bytes, in, kept.data(), number, 4, Below{5}, stream);
  });
  EXPECT_EQ(kept.values()[0], 2);
  EXPECT_EQ(count.values(), Ints({1}));
  in_two_phases(stream, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceRunLengthEncode::Encode(storage, bytes, in, values.data(), lengths.data(), number, 4, stream);
  });
  const auto found = values.values(), runs = lengths.values();
  EXPECT_EQ(std::vector(found.begin(), found.begin() + 3), Ints({5, 2, 5}));
  EXPECT_EQ(std::vector(runs.begin(), runs.begin() + 3), Ints({2, 1, 1}));
  EXPECT_EQ(count.values(), Ints({3}));
}

class Cublas {
 public:
  explicit Cublas(cudaStream_t stream) {
    LLOYD_CUDA_CHECK(cublasCreate(&handle_));
    LLOYD_CUDA_CHECK(cublasSetStream(handle_, stream));
    LLOYD_CUDA_CHECK(cublasSetMathMode(handle_, CUBLAS_PEDANTIC_MATH));
  }
  ~Cublas() { (void)cublasDestroy(handle_); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  operator cublasHandle_t() const { return handle_; }  // NOLINT(google-explicit-constructor)

 private:
  cublasHandle_t handle_ = nullptr;
};

TEST(Cublas, MultipliesTransposedOrNot) {
  const Stream stream;
  const Cublas handle(stream);
  // a is 2 x 3 and b is 3 x 2, by columns; at and bt are their transposes, with a stride of 4.
  const OnDevice<double> a(stream, {1, 4, 2, 5, 3, 6}), b(stream, {7, 9, 11, 8, 10, 12}),
      at(stream, {1, 2, 3, 0, 4, 5, 6, 0}), bt(stream, {7, 8, 0, 0, 9, 10, 0, 0, 11, 12, 0, 0}),
      c(stream, {1, 1, 1, 1});
  const double one = 1, two = 2, zero = 0;
  LLOYD_CUDA_CHECK(
      cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, a.data(), 2, b.data(), 3, &two, c.data(), 2));
  EXPECT_EQ(c.values(), Numbers({60, 141, 66, 156}));
  LLOYD_CUDA_CHECK(
      cublasDgemm(handle, CUBLAS_OP_T, CUBLAS_OP_T, 2, 2, 3, &two, at.data(), 4, bt.data(), 4, &zero, c.data(), 2));
  EXPECT_EQ(c.values(), Numbers({116, 278, 128, 308}));
  EXPECT_EQ(cublasDgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, 3, &one, at.data(), 2, b.data(), 3, &zero, c.data(), 2),
            CUBLAS_STATUS_INVALID_VALUE);
}

TEST(Cublas, ReadsItsScalarsFromTheDeviceInTheStream) {
  const Stream stream;
  const Cublas handle(stream);
  const OnDevice<float> a(stream, {2, 3}), scalars(stream, {5, 0}), c(stream, 1);
  LLOYD_CUDA_CHECK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
  LLOYD_CUDA_CHECK(cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 2, scalars.data(), a.data(), 2, a.data(), 2,
                               scalars.data() + 1, c.data(), 1));
  EXPECT_EQ(c.values(), std::vector<float>({65}));
}

}  // namespace
}  // namespace lloyd::test
