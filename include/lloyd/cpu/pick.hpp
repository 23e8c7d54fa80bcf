// SPDX-License-Identifier: MIT
/// @file
/// Masses of rows, or of whole blocks of them: threads share blocks, so none is added to twice.
#pragma once

#include <cstdint>
#include <span>

#include "lloyd/cpu/parallel.hpp"
#include "lloyd/cpu/vector.hpp"
#include "lloyd/kmeans/mass.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// The sum of max(1, rint(v_i inverse)) over the positive v_i of one block, all of them below 2^51. Adding 1.5 2^52
/// rounds to an integer, which the last bits of the sum then are: those are added, and the constant's taken off.
[[nodiscard]] inline std::int64_t sum_of_masses(const double* v, Index count, double inverse) {
  using V = Portable<double>;
  using Integers [[gnu::vector_size(16)]] = std::uint64_t;
  constexpr double magic = 0x1.8p52, one = 1;
  const V scale = V::all(inverse), shift = V::all(magic);
  Integers sum{};
  const auto add = [&](V value) {
    const Integers least = (value.v > 0) & __builtin_bit_cast(Integers, V::all(one).v);
    const V scaled = V::larger(V::multiply(value, scale), {__builtin_bit_cast(V::Value, least)});
    sum += __builtin_bit_cast(Integers, V::add(scaled, shift).v) - __builtin_bit_cast(Integers, shift.v);
  };
  Index i = 0;
  for (; i + V::lanes <= count; i += V::lanes) add(V::load(v + i));
  if (i < count) add(V::load_first(v + i, static_cast<int>(count - i)));
  std::uint64_t total = 0;
  for (int l = 0; l < V::lanes; ++l) total += sum[l];
  return static_cast<std::int64_t>(total);
}

template <Real T>
void pick(const Tile<T>& tile, std::span<const double> d2, const detail::MassScale& scale, Index block,
          std::span<std::int64_t> masses, int n_threads) {
  const auto mass = [&](Index i) {
    return static_cast<std::int64_t>(scale(tile.w(i), d2[static_cast<std::size_t>(i)]));
  };
  if (block >= 0) {
    const auto rows = detail::rows_of_block(tile, block);
    for (Index i = rows.begin; i < rows.end; ++i)
      masses[static_cast<std::size_t>(tile.global(i) % detail::rows_per_block)] += mass(i);
    return;
  }
  if (tile.x.rows() == 0) return;
  const auto sum_of = [&](const detail::BlockRows& rows) {
    std::int64_t sum = 0;
    double values[detail::rows_per_block];
    if (scale.bits > 51) {
      for (Index i = rows.begin; i < rows.end; ++i) sum += mass(i);
      return sum;
    }
    if (tile.w.empty()) return sum_of_masses(d2.data() + rows.begin, rows.end - rows.begin, scale.inverse);
    for (Index i = rows.begin; i < rows.end; ++i)
      values[i - rows.begin] = scale.value(tile.w(i), d2[static_cast<std::size_t>(i)]);
    return sum_of_masses(values, rows.end - rows.begin, scale.inverse);
  };
  const Index first = tile.first / detail::rows_per_block;
  const Index blocks = tile.global(tile.x.rows() - 1) / detail::rows_per_block - first + 1;
  const int parts = parts_of(n_threads, blocks, 8);
  parallel(parts, [&](int part) {
    const Run run = run_of(blocks, part, parts);
    for (Index b = first + run.begin; b < first + run.end; ++b) {
      const auto rows = detail::rows_of_block(tile, b);
      masses[static_cast<std::size_t>(b)] += sum_of(rows);
    }
  });
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
