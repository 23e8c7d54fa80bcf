// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for CUDA: the products of matrices of its cuBLAS, as plain loops. The order of the additions follows
/// CUDA_CPU_ORDER: the real library promises none.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <library_types.h>

#include <cstdint>
#include <cstring>

#include "double/block.hpp"
#include "double/memory.hpp"
#include "double/report.hpp"
#include "double/sanitizer.hpp"

namespace cuda_cpu {

[[nodiscard]] inline std::size_t size_of(cudaDataType type) {
  if (type == CUDA_R_16F || type == CUDA_R_16BF) return 2;
  if (type == CUDA_R_32F) return 4;
  if (type == CUDA_R_64F) return 8;
  fail("the double's cuBLAS does not know the type " + std::to_string(type));
}

/// 10 bits of fraction, rounded to nearest: what tensor cores read of a float.
[[nodiscard]] inline float rounded_to_tf32(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  bits = (bits + 0x1000U) & ~0x1FFFU;
  std::memcpy(&x, &bits, sizeof bits);
  return x;
}

/// A column-major matrix in device memory.
struct Stored {
  const void* data;
  cudaDataType type;
  std::int64_t rows, columns, stride;

  /// Every element must be in memory that is alive; ThreadSanitizer is told of the access.
  void touch(bool write, const char* who) const {
    const std::size_t bytes = static_cast<std::size_t>(rows) * size_of(type);
    for (std::int64_t j = 0; j < columns && rows > 0; ++j) {
      const char* column = static_cast<const char*>(data) + static_cast<std::size_t>(j * stride) * size_of(type);
      demand_alive(column, bytes, who);
      const Watched watched;  // not the text of a complaint, on the host's stack
      touch_range(column, bytes, write);
    }
  }
  template <class Sum>
  [[nodiscard]] Sum load(std::int64_t row, std::int64_t column, bool tf32) const {
    const std::int64_t at = row + column * stride;
    if (type == CUDA_R_16F) return static_cast<Sum>(__half2float(static_cast<const __half*>(data)[at]));
    if (type == CUDA_R_16BF) return static_cast<Sum>(__bfloat162float(static_cast<const __nv_bfloat16*>(data)[at]));
    if (type == CUDA_R_64F) return static_cast<Sum>(static_cast<const double*>(data)[at]);
    const float value = static_cast<const float*>(data)[at];
    return static_cast<Sum>(tf32 ? rounded_to_tf32(value) : value);
  }
};

/// c = alpha op(a) op(b) + beta c; c is not read where beta is 0. Sum is the type of c and of the additions.
template <class Sum>
struct Product {
  Stored a, b, c;
  bool a_transposed, b_transposed, tf32;

  void run(Sum alpha, Sum beta) const {
    a.touch(false, "cuBLAS, by A,");
    b.touch(false, "cuBLAS, by B,");
    c.touch(true, "cuBLAS, by C,");
    auto* out = static_cast<Sum*>(const_cast<void*>(c.data));
    for (std::int64_t j = 0; j < c.columns; ++j)
      for (std::int64_t i = 0; i < c.rows; ++i) {
        Sum& own = out[i + j * c.stride];
        own = beta == Sum{0} ? alpha * sum(i, j) : alpha * sum(i, j) + beta * own;
      }
  }

 private:
  /// Term by term, from the last, or in three interleaved chains.
  [[nodiscard]] Sum sum(std::int64_t i, std::int64_t j) const {
    const std::int64_t k = a_transposed ? a.rows : a.columns;
    Sum chains[3] = {0, 0, 0};
    for (std::int64_t step = 0; step < k; ++step) {
      const std::int64_t p = order() == Order::reverse ? k - 1 - step : step;
      chains[order() == Order::shuffle ? step % 3 : 0] +=
          (a_transposed ? a.load<Sum>(p, i, tf32) : a.load<Sum>(i, p, tf32)) *
          (b_transposed ? b.load<Sum>(j, p, tf32) : b.load<Sum>(p, j, tf32));
    }
    return chains[0] + (chains[1] + chains[2]);
  }
};

}  // namespace cuda_cpu
