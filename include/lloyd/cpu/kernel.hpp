// SPDX-License-Identifier: MIT
/// @file
/// The register tile of the fused filter: a few rows by a few vectors of centroids, over all features, compared with a
/// threshold for each row. No score is written but those at or above it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lloyd/cpu/vector.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::cpu {

/// Chains of additions are begun anew after so many features.
inline constexpr Index features_per_chain = 256;

/// The longest chain of roundings that a sum of d products goes through, by a kernel or by a matrix product.
[[nodiscard]] constexpr Index chain_length(Index d) {
  return (d < features_per_chain ? d : features_per_chain) + (d + features_per_chain - 1) / features_per_chain;
}

/// Limits of every kernel's tile.
inline constexpr std::size_t most_rows = 8, most_width = 48;

/// What a tile reads and writes.
template <Real F>
struct KernelTile {
  const F* x;  ///< `rows` rows, `stride` values apart, of d features
  Index stride, d;
  const F* panel;       ///< d x width centroid values, feature by feature
  const F* start;       ///< width values that the sums begin from
  const F* threshold;   ///< a row's
  F* sums;              ///< rows x width: written for rows with a hit
  std::uint64_t* hits;  ///< by row: a bit for each centroid whose sum is at or above the threshold
};

/// sums = start + x panel, for V::rows rows and `Vectors` vectors of centroids. Returns a bit for each row with a hit.
template <class V, int Vectors>
struct Kernel {
  using F = typename V::Scalar;
  static constexpr int rows = V::rows, width = Vectors * V::lanes;
  static_assert(rows <= int{most_rows} && width <= int{most_width});
  using Sums = V[static_cast<std::size_t>(V::rows)][static_cast<std::size_t>(Vectors)];

  [[gnu::always_inline]] static inline std::uint32_t run(const KernelTile<F>& t) {
    Sums sum;
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
      for (int c = 0; c < Vectors; ++c) sum[r][c] = V::load(t.start + c * V::lanes);
    multiply(t, 0, t.d < features_per_chain ? t.d : features_per_chain, sum);
    for (Index q = features_per_chain; q < t.d; q += features_per_chain) add_block(t, q, sum);
    return compare(t, sum);
  }

 private:
  [[gnu::always_inline]] static inline void multiply(const KernelTile<F>& t, Index begin, Index end, Sums& sum) {
    const F* panel = t.panel + begin * width;
    for (Index q = begin; q < end; ++q, panel += width) {
      V c[static_cast<std::size_t>(Vectors)];
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) c[j] = V::load(panel + j * V::lanes);
#pragma GCC unroll 8
      for (int r = 0; r < rows; ++r) {
        const V x = V::all(t.x[r * t.stride + q]);
#pragma GCC unroll 4
        for (int j = 0; j < Vectors; ++j) sum[r][j] = V::fma(x, c[j], sum[r][j]);
      }
    }
  }

  /// The next features, summed by themselves and then added: the sums so far wait in memory.
  [[gnu::always_inline]] static inline void add_block(const KernelTile<F>& t, Index begin, Sums& sum) {
    F before[most_rows * most_width];
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) {
        V::store(before + r * width + j * V::lanes, sum[r][j]);
        sum[r][j] = V::all(F{0});
      }
    const Index end = begin + features_per_chain;
    multiply(t, begin, end < t.d ? end : t.d, sum);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) sum[r][j] = V::add(sum[r][j], V::load(before + r * width + j * V::lanes));
  }

  [[gnu::always_inline]] static inline std::uint32_t compare(const KernelTile<F>& t, Sums& sum) {
    std::uint32_t any = 0;
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      const V threshold = V::all(t.threshold[r]);
      std::uint64_t hits = 0;
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j)
        hits |= static_cast<std::uint64_t>(V::not_below(sum[r][j], threshold)) << (j * V::lanes);
      if (hits == 0) continue;
      any |= std::uint32_t{1} << r;
      t.hits[r] = hits;
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) V::store(t.sums + r * width + j * V::lanes, sum[r][j]);
    }
    return any;
  }
};

/// One row, shifted and scaled: to = scale (from - o), and the sums of its squares in the lanes of a vector.
template <Real F>
struct PackedRow {
  const F *from, *o;
  F scale;
  Index d;
  F* to;
  F* lanes;  ///< most_lanes
};
inline constexpr std::size_t most_lanes = 16;

template <class V>
struct Packer {
  using F = typename V::Scalar;

  [[gnu::always_inline]] static inline void run(const PackedRow<F>& row) {
    const V scale = V::all(row.scale);
    V sum = V::all(F{0});
    Index q = 0;
    for (; q + V::lanes <= row.d; q += V::lanes) {
      const V x = V::multiply(V::subtract(V::load(row.from + q), V::load(row.o + q)), scale);
      V::store(row.to + q, x);
      sum = V::fma(x, x, sum);
    }
    V::store(row.lanes, sum);
    for (; q < row.d; ++q) {
      const F x = (row.from[q] - row.o[q]) * row.scale;
      row.to[q] = x;
      row.lanes[q % V::lanes] += x * x;
    }
  }
};

/// One instruction set's kernels for panels of 1, 2 or 3 vectors.
template <Real F>
struct KernelSet {
  using Function = std::uint32_t (*)(const KernelTile<F>&);
  int rows, lanes, most_vectors;
  Function function[3];
  void (*pack)(const PackedRow<F>&);
};

template <Real F, int Vectors>
std::uint32_t enter_portable(const KernelTile<F>& t) {
  return Kernel<Portable<F>, Vectors>::run(t);
}
template <Real F>
void pack_portable(const PackedRow<F>& row) {
  Packer<Portable<F>>::run(row);
}
#if LLOYD_X86
template <Real F, int Vectors>
LLOYD_TARGET("avx2,fma")
std::uint32_t enter_avx2(const KernelTile<F>& t) {
  return Kernel<Avx2<F>, Vectors>::run(t);
}
template <Real F>
LLOYD_TARGET("avx2,fma")
void pack_avx2(const PackedRow<F>& row) {
  Packer<Avx2<F>>::run(row);
}
template <Real F, int Vectors>
LLOYD_TARGET("avx512f")
std::uint32_t enter_avx512(const KernelTile<F>& t) {
  return Kernel<Avx512<F>, Vectors>::run(t);
}
template <Real F>
LLOYD_TARGET("avx512f")
void pack_avx512(const PackedRow<F>& row) {
  Packer<Avx512<F>>::run(row);
}
#endif

/// The kernels of an instruction set that this machine has.
template <Real F>
[[nodiscard]] KernelSet<F> kernel_set(Isa isa) {
#if LLOYD_X86
  if (isa == Isa::avx512)
    return {Avx512<F>::rows,
            Avx512<F>::lanes,
            3,
            {enter_avx512<F, 1>, enter_avx512<F, 2>, enter_avx512<F, 3>},
            pack_avx512<F>};
  if (isa == Isa::avx2)
    return {Avx2<F>::rows, Avx2<F>::lanes, 3, {enter_avx2<F, 1>, enter_avx2<F, 2>, enter_avx2<F, 3>}, pack_avx2<F>};
#endif
  (void)isa;
  return {Portable<F>::rows,
          Portable<F>::lanes,
          2,
          {enter_portable<F, 1>, enter_portable<F, 2>, nullptr},
          pack_portable<F>};
}

}  // namespace lloyd::cpu
