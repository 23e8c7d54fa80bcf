// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for cub::DeviceScan, found before the real header.
#pragma once

#include <type_traits>

#include "double/device_call.hpp"

namespace cub {

struct DeviceScan {
  template <class In, class Out, class Operation, class T, class Count>
  static cudaError_t ExclusiveScan(void* storage, std::size_t& bytes, In in, Out out, Operation operation, T initial,
                                   Count n, cudaStream_t stream = nullptr) {
    return scan(storage, bytes, in, out, operation, initial, n, stream, true);
  }
  template <class In, class Out, class Count>
  static cudaError_t ExclusiveSum(void* storage, std::size_t& bytes, In in, Out out, Count n,
                                  cudaStream_t stream = nullptr) {
    using T = std::remove_cvref_t<decltype(in[0])>;
    return scan(storage, bytes, in, out, plus<T>, T{}, n, stream, true);
  }
  template <class In, class Out, class Count>
  static cudaError_t InclusiveSum(void* storage, std::size_t& bytes, In in, Out out, Count n,
                                  cudaStream_t stream = nullptr) {
    using T = std::remove_cvref_t<decltype(in[0])>;
    return scan(storage, bytes, in, out, plus<T>, T{}, n, stream, false);
  }

 private:
  template <class T>
  static T plus(T a, T b) {
    return static_cast<T>(a + b);
  }
  /// In place too: an element is read before it is written.
  template <class In, class Out, class Operation, class T, class Count>
  static cudaError_t scan(void* storage, std::size_t& bytes, In in, Out out, Operation operation, T initial, Count n,
                          cudaStream_t stream, bool exclusive) {
    const auto count = static_cast<std::size_t>(n);
    return cuda_cpu::device_call(storage, bytes, count / 64 + 256, stream, [=] {
      cuda_cpu::demand_elements(in, count, "DeviceScan, by what it reads,");
      cuda_cpu::demand_elements(out, count, "DeviceScan, by what it writes,");
      T before = initial;
      for (std::size_t i = 0; i < count; ++i) {
        const T with = static_cast<T>(operation(before, in[i]));
        out[i] = exclusive ? before : with;
        before = with;
      }
    });
  }
};

}  // namespace cub
