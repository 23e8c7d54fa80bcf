// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for cub::DeviceRadixSort, found before the real header: a stable sort by some bits of the keys.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "double/device_call.hpp"

namespace cub {

/// A pair of buffers; the sorted one is Current() afterwards.
template <class T>
struct DoubleBuffer {
  T* d_buffers[2] = {nullptr, nullptr};
  int selector = 0;

  DoubleBuffer() = default;
  DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
  [[nodiscard]] T* Current() { return d_buffers[selector]; }
  [[nodiscard]] T* Alternate() { return d_buffers[selector ^ 1]; }
};

struct DeviceRadixSort {
  template <class Key, class Value, class Count>
  static cudaError_t SortPairs(void* storage, std::size_t& bytes, const Key* keys, Key* keys_out, const Value* values,
                               Value* values_out, Count n, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                               cudaStream_t stream = nullptr) {
    const auto count = static_cast<std::size_t>(n);
    return cuda_cpu::device_call(storage, bytes, count * (sizeof(Key) + sizeof(Value)) + 256, stream, [=] {
      cuda_cpu::demand_elements(keys, count, "DeviceRadixSort, by its keys,");
      cuda_cpu::demand_elements(values, count, "DeviceRadixSort, by its values,");
      cuda_cpu::demand_elements(keys_out, count, "DeviceRadixSort, by the sorted keys,");
      cuda_cpu::demand_elements(values_out, count, "DeviceRadixSort, by the sorted values,");
      const std::vector<std::size_t> rows = sorted(keys, count, begin_bit, end_bit);
      gather(rows, keys, keys_out);
      gather(rows, values, values_out);
    });
  }
  template <class Key, class Value, class Count>
  static cudaError_t SortPairs(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,
                               Count n, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                               cudaStream_t stream = nullptr) {
    const cudaError_t status = SortPairs(storage, bytes, keys.Current(), keys.Alternate(), values.Current(),
                                         values.Alternate(), n, begin_bit, end_bit, stream);
    if (storage != nullptr) {
      keys.selector ^= 1;
      values.selector ^= 1;
    }
    return status;
  }
  template <class Key, class Count>
  static cudaError_t SortKeys(void* storage, std::size_t& bytes, const Key* keys, Key* keys_out, Count n,
                              int begin_bit = 0, int end_bit = sizeof(Key) * 8, cudaStream_t stream = nullptr) {
    const auto count = static_cast<std::size_t>(n);
    return cuda_cpu::device_call(storage, bytes, count * sizeof(Key) + 256, stream, [=] {
      cuda_cpu::demand_elements(keys, count, "DeviceRadixSort, by its keys,");
      cuda_cpu::demand_elements(keys_out, count, "DeviceRadixSort, by the sorted keys,");
      gather(sorted(keys, count, begin_bit, end_bit), keys, keys_out);
    });
  }

 private:
  /// The bits by which a radix sort compares: of a number with a sign, in their numerical order.
  template <class Key>
  static std::uint64_t digits(Key key, int begin_bit, int end_bit) {
    static_assert(std::is_integral_v<Key>);
    using Unsigned = std::make_unsigned_t<Key>;
    auto bits = static_cast<Unsigned>(key);
    if (std::is_signed_v<Key>) bits = static_cast<Unsigned>(bits ^ (Unsigned{1} << (sizeof(Key) * 8 - 1)));
    const std::uint64_t low = static_cast<std::uint64_t>(bits) >> begin_bit;
    return end_bit - begin_bit >= 64 ? low : low & ((std::uint64_t{1} << (end_bit - begin_bit)) - 1);
  }
  template <class Key>
  static std::vector<std::size_t> sorted(const Key* keys, std::size_t n, int begin_bit, int end_bit) {
    std::vector<std::size_t> rows(n);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::stable_sort(rows.begin(), rows.end(), [=](std::size_t a, std::size_t b) {
      return digits(keys[a], begin_bit, end_bit) < digits(keys[b], begin_bit, end_bit);
    });
    return rows;
  }
  template <class T>
  static void gather(const std::vector<std::size_t>& rows, const T* from, T* to) {
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
  }
};

}  // namespace cub
