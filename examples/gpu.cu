// SPDX-License-Identifier: MIT
// Clusters rows that are in a GPU's memory already, here in a thrust::device_vector, on a stream of the caller's.
//   nvcc -std=c++20 --expt-relaxed-constexpr -arch=sm_90 -I include examples/gpu.cu -lcublas -o gpu && ./gpu
#include <thrust/device_vector.h>

#include <cstdio>
#include <exception>
#include <vector>

#include "lloyd/cuda.cuh"

namespace {

/// Four clouds of rows of two values.
std::vector<float> some_rows(lloyd::Index n) {
  std::vector<float> values;
  unsigned state = 1;
  const auto noise = [&] { return static_cast<float>((state = state * 1664525U + 1013904223U) >> 16U) / 65536.0F; };
  for (lloyd::Index i = 0; i < n; ++i) {
    values.push_back(static_cast<float>(i % 2) * 10.0F + noise());
    values.push_back(static_cast<float>(i / 2 % 2) * 10.0F + noise());
  }
  return values;
}

int run() {
  constexpr lloyd::Index n = 100000, d = 2;
  const thrust::device_vector<float> rows = some_rows(n);
  const lloyd::MatrixView<const float, lloyd::Device> x(thrust::raw_pointer_cast(rows.data()), n, d);

  cudaStream_t stream = nullptr;
  LLOYD_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    const lloyd::KMeans<lloyd::Cuda> kmeans({.n_clusters = 4, .seed = 7}, {.stream = stream});
    const auto result = kmeans.fit(x);                        // centroids and labels stay on the device
    const auto labels = kmeans.predict(result.centroids, x);  // == result.labels, always
    const auto here = lloyd::to_host(result);
    const bool consistent = lloyd::to_host(labels) == here.labels;
    for (lloyd::Index j = 0; j < here.centroids.rows(); ++j)
      std::printf("%lld rows near %.2f, %.2f\n",
                  static_cast<long long>(here.cluster_sizes[static_cast<std::size_t>(j)]),
                  static_cast<double>(here.centroids(j, 0)), static_cast<double>(here.centroids(j, 1)));
    std::printf("%s\n", consistent ? "consistent" : "broken");
  }  // what lies on the device is freed in the order of the stream, which must still be there
  LLOYD_CUDA_CHECK(cudaStreamDestroy(stream));
  return 0;
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no CUDA device\n");
    return 77;
  }
  try {
    return run();
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
