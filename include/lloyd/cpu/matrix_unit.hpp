// SPDX-License-Identifier: MIT
/// @file
/// Products by the matrix unit (AMX, bfloat16), of numbers cut in two: x = x_h + x_l + r. x.c is taken as x_h.c_h +
/// x_h.c_l + x_l.c_h; what that leaves out, x_h.r_c + r_x.c_h + (x_l + r_x).(c_l + r_c), is part of the bound.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "lloyd/cpu/aligned.hpp"
#include "lloyd/cpu/target.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// A tile register: 16 rows of 64 bytes. Of centroids: 16 of them by 32 features; of rows: 16 pairs of features by 16
/// rows; each first the high halves, then the low ones.
struct MatrixUnit {
  static constexpr Index features = 32, centroids = 16, lanes = 16, groups = 3;
  static constexpr Index words = 256;        ///< 32-bit words of a tile
  static constexpr Index steps_a_block = 4;  ///< of features, whose rows stay in the first-level cache
  static constexpr Index centroids_a_call = 4 * centroids;

  [[nodiscard]] static constexpr Index steps(Index d) { return (d + features - 1) / features; }
  /// The longest chain of roundings of a sum: 16 products in a tile, two halves of them, and tile after tile.
  [[nodiscard]] static constexpr Index chain_length(Index d) { return 18 + 3 * steps(d); }
  /// What the low half and the rest of a row are, at most, of the number that stands for its norm.
  static constexpr double low_share = 0x1p-9, rest_share = 0x1p-18;
};

/// The high half of a float, to nearest, the low half: what is left, to nearest, and the rest.
struct Halves {
  float high, low, rest;
};
[[nodiscard]] inline Halves cut_in_halves(float value) {
  const auto rounded = [](float of) {
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(of) + 0x8000U) & 0xffff0000U);
  };
  const float high = rounded(value), low = rounded(value - high);  // the differences are exact
  return {high, low, value - high - low};
}
/// Two of them in a word of a tile, the first one below.
[[nodiscard]] inline std::uint32_t pair_of(float first, float second) {
  return std::bit_cast<std::uint32_t>(first) >> 16 | std::bit_cast<std::uint32_t>(second);
}

/// What a call multiplies: 3 x 16 rows by some blocks of 16 centroids.
struct MatrixUnitTile {
  const std::uint32_t *rows, *centroids;  ///< tiles: groups x steps x 2, and blocks x steps x 2
  Index steps, blocks;
  float* products;  ///< (16 blocks) x 48
};

#if LLOYD_X86

/// Rows of a chunk (d x 48 floats, and their norms) as tiles. Norms are raised to what the shares above say.
LLOYD_TARGET("avx512f") inline void cut_rows(float* x, Index d, float raise, std::uint32_t* tiles) {
  constexpr Index chunk = MatrixUnit::groups * MatrixUnit::lanes;
  const __m512i half = _mm512_set1_epi32(0x8000), top = _mm512_set1_epi32(static_cast<int>(0xffff0000U));
  constexpr __mmask16 all = 0xffff;  // g++ 12 warns of an uninitialised operand in unmasked forms
  const Index steps = MatrixUnit::steps(d);
  for (Index g = 0; g < MatrixUnit::groups; ++g) {
    __m512 low_square[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()}, rest_square[2] = {low_square[0], low_square[0]};
    for (Index pair = 0; pair < steps * 16; ++pair) {
      __m512i high[2], low[2];
      for (Index i = 0; i < 2; ++i) {
        const Index q = 2 * pair + i;
        const __m512 value = q < d ? _mm512_loadu_ps(x + q * chunk + g * MatrixUnit::lanes) : _mm512_setzero_ps();
        high[i] = _mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(value), half), top);
        const __m512 rest = _mm512_sub_ps(value, _mm512_castsi512_ps(high[i]));
        low[i] = _mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(rest), half), top);
        const __m512 left = _mm512_sub_ps(rest, _mm512_castsi512_ps(low[i]));
        low_square[i] = _mm512_fmadd_ps(rest, rest, low_square[i]);
        rest_square[i] = _mm512_fmadd_ps(left, left, rest_square[i]);
      }
      std::uint32_t* to = tiles + ((g * steps + pair / 16) * 2) * MatrixUnit::words + pair % 16 * 16;
      _mm512_storeu_si512(to, _mm512_or_si512(_mm512_maskz_srli_epi32(all, high[0], 16), high[1]));
      _mm512_storeu_si512(to + MatrixUnit::words, _mm512_or_si512(_mm512_maskz_srli_epi32(all, low[0], 16), low[1]));
    }
    float* norm = x + d * chunk + g * MatrixUnit::lanes;
    const __m512 of_low = _mm512_mul_ps(_mm512_maskz_sqrt_ps(all, _mm512_add_ps(low_square[0], low_square[1])),
                                        _mm512_set1_ps(raise * static_cast<float>(1 / MatrixUnit::low_share)));
    const __m512 of_rest = _mm512_mul_ps(_mm512_maskz_sqrt_ps(all, _mm512_add_ps(rest_square[0], rest_square[1])),
                                         _mm512_set1_ps(raise * static_cast<float>(1 / MatrixUnit::rest_share)));
    _mm512_storeu_ps(norm, _mm512_maskz_max_ps(all, _mm512_loadu_ps(norm), _mm512_maskz_max_ps(all, of_low, of_rest)));
  }
}

/// products = centroids x rows. The rows of a few features are multiplied with all blocks before the next.
LLOYD_TARGET("amx-tile,amx-bf16") inline void multiply_tiles(const MatrixUnitTile& t) {
  // in memory, since the intrinsic tells the compiler of eight bytes only
  alignas(64) static constexpr struct {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } config;
  static_assert(sizeof(config) == 64);
  constexpr Index words = MatrixUnit::words, line = MatrixUnit::groups * MatrixUnit::lanes;
  constexpr int products_stride = static_cast<int>(line) * 4;
  const Index group = t.steps * 2 * words;  // from one group's tiles to the next's
  _tile_loadconfig(&config);
  for (Index first = 0; first < t.steps; first += MatrixUnit::steps_a_block) {
    const Index last = (std::min)(first + MatrixUnit::steps_a_block, t.steps);
    for (Index b = 0; b < t.blocks; ++b) {
      float* products = t.products + b * MatrixUnit::centroids * line;
      if (first == 0) {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
      } else {
        _tile_loadd(0, products, products_stride);
        _tile_loadd(1, products + 16, products_stride);
        _tile_loadd(2, products + 32, products_stride);
      }
      for (Index s = first; s < last; ++s) {
        const std::uint32_t* c = t.centroids + (b * t.steps + s) * 2 * words;
        const std::uint32_t* x = t.rows + s * 2 * words;
        _tile_loadd(3, c, 64);
        _tile_loadd(5, x, 64);
        _tile_dpbf16ps(0, 3, 5);
        _tile_loadd(6, x + group, 64);
        _tile_dpbf16ps(1, 3, 6);
        _tile_loadd(7, x + 2 * group, 64);
        _tile_dpbf16ps(2, 3, 7);
        _tile_loadd(4, c + words, 64);
        _tile_dpbf16ps(0, 4, 5);
        _tile_dpbf16ps(1, 4, 6);
        _tile_dpbf16ps(2, 4, 7);
        _tile_loadd(5, x + words, 64);
        _tile_dpbf16ps(0, 3, 5);
        _tile_loadd(6, x + group + words, 64);
        _tile_dpbf16ps(1, 3, 6);
        _tile_loadd(7, x + 2 * group + words, 64);
        _tile_dpbf16ps(2, 3, 7);
      }
      _tile_stored(0, products, products_stride);
      _tile_stored(1, products + 16, products_stride);
      _tile_stored(2, products + 32, products_stride);
    }
  }
  _tile_release();
}

#endif

}  // namespace lloyd::inline LLOYD_ABI::cpu
