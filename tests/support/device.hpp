// SPDX-License-Identifier: MIT
/// @file
/// Device memory and a stream, for tests.
#pragma once

#include <initializer_list>
#include <vector>

#include "lloyd/cuda/check.cuh"
#include "lloyd/cuda/launch.cuh"

namespace lloyd::test {

class Stream {
 public:
  Stream() { LLOYD_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { (void)cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }  // NOLINT(google-explicit-constructor)
  void synchronise() const { LLOYD_CUDA_CHECK(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// n values in device memory, which live from here to the end in the stream.
template <class T>
class OnDevice {
 public:
  OnDevice(cudaStream_t stream, std::size_t n) : stream_(stream), n_(n) {
    LLOYD_CUDA_CHECK(cudaMallocAsync(&data_, n * sizeof(T), stream));
  }
  OnDevice(cudaStream_t stream, const std::vector<T>& values) : OnDevice(stream, values.size()) {
    LLOYD_CUDA_CHECK(cudaMemcpyAsync(data_, values.data(), n_ * sizeof(T), cudaMemcpyHostToDevice, stream));
  }
  OnDevice(cudaStream_t stream, std::initializer_list<T> values) : OnDevice(stream, std::vector<T>(values)) {}
  ~OnDevice() { (void)cudaFreeAsync(data_, stream_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::vector<T> values() const {
    std::vector<T> values(n_);
    LLOYD_CUDA_CHECK(cudaMemcpyAsync(values.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost, stream_));
    LLOYD_CUDA_CHECK(cudaStreamSynchronize(stream_));
    return values;
  }

 private:
  cudaStream_t stream_;
  std::size_t n_;
  T* data_ = nullptr;
};

}  // namespace lloyd::test
