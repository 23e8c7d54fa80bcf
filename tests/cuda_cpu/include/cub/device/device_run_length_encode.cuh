// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for cub::DeviceRunLengthEncode, found before the real header.
#pragma once

#include "double/device_call.hpp"

namespace cub {

struct DeviceRunLengthEncode {
  /// The value and the length of every run of equal elements, and the number of runs.
  template <class In, class Values, class Lengths, class Runs, class Count>
  static cudaError_t Encode(void* storage, std::size_t& bytes, In in, Values values, Lengths lengths, Runs runs,
                            Count n, cudaStream_t stream = nullptr) {
    const auto count = static_cast<std::size_t>(n);
    return cuda_cpu::device_call(storage, bytes, count / 64 + 256, stream, [=] {
      cuda_cpu::demand_elements(in, count, "DeviceRunLengthEncode, by what it reads,");
      std::size_t found = 0;
      for (std::size_t begin = 0, end = 0; begin < count; begin = end, ++found) {
        for (end = begin; end < count && in[end] == in[begin];) ++end;
        values[found] = in[begin];
        lengths[found] = static_cast<std::remove_cvref_t<decltype(lengths[0])>>(end - begin);
      }
      *runs = static_cast<std::remove_cvref_t<decltype(*runs)>>(found);
    });
  }
};

}  // namespace cub
