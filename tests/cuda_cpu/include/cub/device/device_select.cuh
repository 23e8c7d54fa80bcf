// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for cub::DeviceSelect, found before the real header.
#pragma once

#include "double/device_call.hpp"

namespace cub {

struct DeviceSelect {
  /// The elements whose flag is set, in their order, and how many.
  template <class In, class Flags, class Out, class Selected, class Count>
  static cudaError_t Flagged(void* storage, std::size_t& bytes, In in, Flags flags, Out out, Selected selected, Count n,
                             cudaStream_t stream = nullptr) {
    const auto count = static_cast<std::size_t>(n);
    return cuda_cpu::device_call(storage, bytes, count / 64 + 256, stream, [=] {
      cuda_cpu::demand_elements(flags, count, "DeviceSelect, by its flags,");
      keep(in, out, selected, count, [&](std::size_t i) { return static_cast<bool>(flags[i]); });
    });
  }
  /// The elements for which choose() holds.
  template <class In, class Out, class Selected, class Count, class Choose>
  static cudaError_t If(void* storage, std::size_t& bytes, In in, Out out, Selected selected, Count n, Choose choose,
                        cudaStream_t stream = nullptr) {
    const auto count = static_cast<std::size_t>(n);
    return cuda_cpu::device_call(storage, bytes, count / 64 + 256, stream, [=] {
      keep(in, out, selected, count, [&](std::size_t i) { return static_cast<bool>(choose(in[i])); });
    });
  }

 private:
  template <class In, class Out, class Selected, class Choose>
  static void keep(In in, Out out, Selected selected, std::size_t n, const Choose& choose) {
    cuda_cpu::demand_elements(in, n, "DeviceSelect, by what it reads,");
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (choose(i)) out[kept++] = in[i];
    cuda_cpu::demand_elements(out, kept, "DeviceSelect, by what it writes,");
    *selected = static_cast<std::remove_cvref_t<decltype(*selected)>>(kept);
  }
};

}  // namespace cub
