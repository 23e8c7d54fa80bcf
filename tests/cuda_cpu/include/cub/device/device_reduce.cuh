// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for cub::DeviceReduce, found before the real header.
#pragma once

#include <iterator>
#include <limits>
#include <type_traits>

#include "double/device_call.hpp"

namespace cub {

struct DeviceReduce {
  template <class In, class Out, class Operation, class T, class Count>
  static cudaError_t Reduce(void* storage, std::size_t& bytes, In in, Out out, Count n, Operation operation, T initial,
                            cudaStream_t stream = nullptr) {
    const auto count = static_cast<std::size_t>(n);
    return cuda_cpu::device_call(storage, bytes, count / 64 + 256, stream, [=] {
      cuda_cpu::demand_elements(in, count, "DeviceReduce, by what it reads,");
      cuda_cpu::demand_elements(out, 1, "DeviceReduce, by its result,");
      auto all = initial;
      for (std::size_t i = 0; i < count; ++i) all = static_cast<T>(operation(all, in[i]));
      *out = all;
    });
  }
  template <class In, class Out, class Count>
  static cudaError_t Sum(void* storage, std::size_t& bytes, In in, Out out, Count n, cudaStream_t stream = nullptr) {
    using T = std::remove_cvref_t<decltype(in[0])>;
    return Reduce(
        storage, bytes, in, out, n, [](T a, T b) { return static_cast<T>(a + b); }, T{}, stream);
  }
  template <class In, class Out, class Count>
  static cudaError_t Max(void* storage, std::size_t& bytes, In in, Out out, Count n, cudaStream_t stream = nullptr) {
    using T = std::remove_cvref_t<decltype(in[0])>;
    return Reduce(
        storage, bytes, in, out, n, [](T a, T b) { return a < b ? b : a; }, std::numeric_limits<T>::lowest(), stream);
  }
  template <class In, class Out, class Count>
  static cudaError_t Min(void* storage, std::size_t& bytes, In in, Out out, Count n, cudaStream_t stream = nullptr) {
    using T = std::remove_cvref_t<decltype(in[0])>;
    return Reduce(
        storage, bytes, in, out, n, [](T a, T b) { return b < a ? b : a; }, (std::numeric_limits<T>::max)(), stream);
  }
};

}  // namespace cub
