// SPDX-License-Identifier: MIT
/// @file
/// What this machine can do: float32 multiply-adds, the matrix unit in bfloat16, reading memory. A fit is judged by its
/// distance from these. Each is the best of some tries: a limit is what nothing passes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "lloyd/cpu/parallel.hpp"
#include "lloyd/cpu/target.hpp"
#include "support/huge_pages.hpp"
#include "support/meters.hpp"

namespace bench {

using lloyd::Index;
using lloyd::Isa;

/// Keeps a value, so that the work for it is done.
template <class Value>
void keep(const Value& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// Chains of multiply-adds: enough of them to hide the latency of each. Returns operations done.
inline double multiply_add_portable(Index steps) {
  float sum[16];
  for (Index l = 0; l < 16; ++l) sum[l] = static_cast<float>(l);
  for (Index step = 0; step < steps; ++step)
    for (float& lane : sum) lane = lane * 0.5F + 1.0F;
  keep(sum);
  return 2.0 * 16 * static_cast<double>(steps);
}

/// The sum of `count` words, in order that they are read.
inline void read_portable(const std::uint64_t* from, std::size_t count) {
  std::uint64_t sum[8] = {};
  for (std::size_t i = 0; i + 8 <= count; i += 8)
    for (std::size_t l = 0; l < 8; ++l) sum[l] += from[i + l];
  keep(sum);
}

#if LLOYD_X86

LLOYD_TARGET("avx512f") inline double multiply_add_avx512(Index steps) {
  __m512 sum[12];
  for (__m512& lanes : sum) lanes = _mm512_set1_ps(1.0F);
  const __m512 half = _mm512_set1_ps(0.5F), one = _mm512_set1_ps(1.0F);
  for (Index step = 0; step < steps; ++step) {
#pragma GCC unroll 12
    for (__m512& lanes : sum) lanes = _mm512_fmadd_ps(lanes, half, one);
  }
  keep(sum);
  return 2.0 * 12 * 16 * static_cast<double>(steps);
}

LLOYD_TARGET("avx2,fma") inline double multiply_add_avx2(Index steps) {
  __m256 sum[12];
  for (__m256& lanes : sum) lanes = _mm256_set1_ps(1.0F);
  const __m256 half = _mm256_set1_ps(0.5F), one = _mm256_set1_ps(1.0F);
  for (Index step = 0; step < steps; ++step) {
#pragma GCC unroll 12
    for (__m256& lanes : sum) lanes = _mm256_fmadd_ps(lanes, half, one);
  }
  keep(sum);
  return 2.0 * 12 * 8 * static_cast<double>(steps);
}

LLOYD_TARGET("avx512f")
inline void read_avx512(const std::uint64_t* from, std::size_t count) {
  __m512i sum[4] = {};
  for (std::size_t i = 0; i + 32 <= count; i += 32) {
#pragma GCC unroll 4
    for (std::size_t l = 0; l < 4; ++l) sum[l] = _mm512_add_epi64(sum[l], _mm512_loadu_si512(from + i + 8 * l));
  }
  keep(sum);
}

/// The state of the tiles: palette 1, eight tiles of 16 rows of 64 bytes.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t column_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

/// Products of bfloat16 tiles into four sums.
LLOYD_TARGET("amx-tile,amx-bf16") inline double multiply_tiles(Index steps) {
  static constexpr TileConfig config;  // in memory: the intrinsic tells the compiler of eight bytes only
  _tile_loadconfig(&config);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  _tile_zero(6);
  _tile_zero(7);
  for (Index step = 0; step < steps; ++step) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_release();
  return 4 * 2.0 * 16 * 16 * 32 * static_cast<double>(steps);
}

#endif

/// Operations a second of `work(steps)` on so many threads, the best of five tries of about 50 ms.
[[nodiscard]] inline double best_rate(int threads, const std::function<double(Index)>& work) {
  // The length is found on this thread alone: starting others may take longer than a short try.
  Index steps = Index{1} << 12;
  while (timed("", {}, [&] { (void)work(steps); }) < 0.05) steps *= 2;
  double best = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    std::vector<double> done(static_cast<std::size_t>(threads));
    const double seconds = timed("", {}, [&] {
      lloyd::cpu::parallel(threads, [&](int part) { done[static_cast<std::size_t>(part)] = work(steps); });
    });
    best = (std::max)(best, std::accumulate(done.begin(), done.end(), 0.0) / seconds);
  }
  return best;
}

[[nodiscard]] inline double multiply_add_rate(Isa isa, int threads) {
#if LLOYD_X86
  if (isa >= Isa::avx512) return best_rate(threads, multiply_add_avx512);
  if (isa == Isa::avx2) return best_rate(threads, multiply_add_avx2);
#endif
  (void)isa;
  return best_rate(threads, multiply_add_portable);
}

/// The matrix unit in bfloat16; nothing where there is none.
[[nodiscard]] inline std::optional<double> matrix_rate(int threads) {
#if LLOYD_X86
  if (lloyd::cpu::has_matrix_unit()) return best_rate(threads, multiply_tiles);
#endif
  (void)threads;
  return std::nullopt;
}

/// Bytes a second read from memory that no cache holds, the best of five passes.
class Reading {
 public:
  explicit Reading(std::size_t bytes) : count_(bytes / 8), words_(on_huge_pages<std::uint64_t>(bytes / 8)) {}

  [[nodiscard]] double rate(Isa isa, int threads) const {
    const auto each = [&](const auto& use) {
      lloyd::cpu::parallel(threads, [&](int part) {
        const auto run = lloyd::cpu::run_of(static_cast<Index>(count_), part, threads);
        use(words_.get() + run.begin, static_cast<std::size_t>(run.end - run.begin));
      });
    };
    each([](std::uint64_t* from, std::size_t count) { std::fill_n(from, count, std::uint64_t{1}); });
    double best = 0;
    for (int attempt = 0; attempt < 5; ++attempt) {
      const auto start = Clock::now();
      each([isa](const std::uint64_t* from, std::size_t count) {
#if LLOYD_X86
        if (isa >= Isa::avx512) return read_avx512(from, count);
#endif
        (void)isa;
        read_portable(from, count);
      });
      best = (std::max)(best, static_cast<double>(count_ * 8) / seconds_since(start));
    }
    return best;
  }

 private:
  std::size_t count_;
  std::unique_ptr<std::uint64_t[]> words_;
};

}  // namespace bench
