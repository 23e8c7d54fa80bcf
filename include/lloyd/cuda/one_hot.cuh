// SPDX-License-Identifier: MIT
/// @file
/// The one-hot update: the membership of some rows times the parts of their integers, in double, where every product
/// is exact.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/gram.cuh"
#include "lloyd/cuda/moves.cuh"
#include "lloyd/cuda/row.cuh"
#include "lloyd/cuda/sums.cuh"
#include "lloyd/kmeans/sums.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// Integers (below 2^62, two of them a value) are cut at this bit; sums of 2^11 rows stay below 2^53.
inline constexpr int one_hot_cut = 31;
inline constexpr Index one_hot_rows = Index{1} << 11;
static_assert(62 - one_hot_cut + 1 + 11 < 53 && one_hot_cut + 1 + 11 < 53, "products of parts must be exact in double");

/// How many rows and columns go through a product at once, within a budget where that can be.
struct OneHotPlan {
  Index rows, columns;

  [[nodiscard]] static OneHotPlan of(const detail::SumsShape& shape, Index n, std::size_t budget) {
    const auto values = static_cast<Index>(budget / sizeof(double));
    const Index rows = std::clamp(values / 2 / shape.k, Index{1}, (std::min)(one_hot_rows, (std::max)(n, Index{1})));
    const Index places = 2 * (shape.k + rows) * shape.limbs;  // of a column
    return {rows, std::clamp(values / 2 / places, Index{1}, (std::max)(shape.columns, Index{1}))};
  }
  [[nodiscard]] std::size_t bytes(const detail::SumsShape& shape) const {
    const Index places = 2 * shape.limbs * columns;
    return static_cast<std::size_t>(shape.k * rows + places * rows + shape.k * places) * sizeof(double) +
           (std::size_t{1} << 10);
  }
};

/// Some rows and some columns of a product.
struct OneHotTile {
  double* membership;  ///< k x rows: 1 where a row comes, -1 where it leaves
  double* parts;       ///< 2 limbs columns x rows: high parts by limb and column, then low parts
  double* product;     ///< k x 2 limbs columns
  Index begin, rows;   ///< of the tile
  Index first, columns;

  [[nodiscard]] __device__ Index place(Index limbs, bool low, Index l, Index q) const {
    return ((low ? limbs : 0) + l) * columns + q;
  }
};

/// Fills the membership of every row of a cleared tile.
template <int = 0>
__global__ void __launch_bounds__(block_threads) membership_kernel(Gate gate, Moves moves, OneHotTile tile) {
  if (gate.closed()) return;
  for (Index i = first_thing(); i < tile.rows; i += thing_step()) {
    const Label from = moves.from != nullptr ? moves.from[tile.begin + i] : -1, to = moves.to[tile.begin + i];
    if (from == to) continue;
    tile.membership[to * tile.rows + i] = 1;
    if (from >= 0) tile.membership[from * tile.rows + i] = -1;
  }
}

/// Fills the parts of every row of a cleared tile.
template <Real T>
__global__ void __launch_bounds__(block_threads) parts_kernel(Gate gate, Terms<T> terms, OneHotTile tile) {
  if (gate.closed()) return;
  for (Index e = first_thing(); e < tile.rows * tile.columns; e += thing_step()) {
    const Index i = e % tile.rows, q = e / tile.rows;
    terms.for_each_integer(tile.begin + i, tile.first + q, [&](int l, std::int64_t whole) {
      constexpr std::int64_t below = (std::int64_t{1} << one_hot_cut) - 1;
      tile.parts[tile.place(terms.quanta.limbs, false, l, q) * tile.rows + i] +=
          static_cast<double>(whole >> one_hot_cut);
      tile.parts[tile.place(terms.quanta.limbs, true, l, q) * tile.rows + i] += static_cast<double>(whole & below);
    });
  }
}

/// Puts the parts of the product together and adds them.
template <int = 0>
__global__ void __launch_bounds__(block_threads)
    add_product_kernel(Gate gate, OneHotTile tile, Index limbs, detail::SumsView sums) {
  if (gate.closed()) return;
  const Index places = limbs * tile.columns;
  for (Index e = first_thing(); e < sums.shape().k * places; e += thing_step()) {
    const Index j = e / places, l = e % places / tile.columns, q = e % tile.columns;
    const double* product = tile.product + j * 2 * places;
    const auto high = static_cast<std::uint64_t>(static_cast<std::int64_t>(product[tile.place(limbs, false, l, q)]));
    const auto low = static_cast<std::uint64_t>(static_cast<std::int64_t>(product[tile.place(limbs, true, l, q)]));
    const auto whole = static_cast<std::int64_t>((high << one_hot_cut) + low);
    if (whole != 0) add_shared(sums.cluster(j) + l * sums.shape().columns + tile.first + q, whole);
  }
}

/// Moves the rows of a tile by products, some rows and columns at a time, within `budget` bytes where that can be.
template <Real T>
void one_hot(Engine& engine, const Tile<T, Device>& tile, const Moves& moves, const detail::Quanta& quanta,
             const detail::SumsView& sums, std::size_t budget) {
  Scratch scratch = engine.scratch();
  const detail::SumsShape& shape = sums.shape();
  const auto [rows, columns] = OneHotPlan::of(shape, tile.x.rows(), budget);
  const Terms<T> terms{tile, engine.quanta(quanta), shape.d};
  OneHotTile part{scratch.take<double>(shape.k * rows),
                  scratch.take<double>(2 * shape.limbs * columns * rows),
                  scratch.take<double>(shape.k * 2 * shape.limbs * columns),
                  0,
                  0,
                  0,
                  0};
  for (part.begin = 0; part.begin < tile.x.rows(); part.begin += rows) {
    part.rows = (std::min)(rows, tile.x.rows() - part.begin);
    engine.clear(part.membership, shape.k * part.rows);
    engine.launch_for(part.rows, 1, membership_kernel<>, engine.gate(), moves, part);
    for (part.first = 0; part.first < shape.columns; part.first += columns) {
      part.columns = (std::min)(columns, shape.columns - part.first);
      const Index places = 2 * shape.limbs * part.columns;
      engine.clear(part.parts, places * part.rows);
      engine.launch_for(part.rows * part.columns, 1, parts_kernel<T>, engine.gate(), terms, part);
      product(engine, {shape.k, places, part.rows, part.rows, part.rows}, part.membership, part.parts, part.product);
      engine.launch_for(shape.k * places / 2, 1, add_product_kernel<>, engine.gate(), part, Index{shape.limbs}, sums);
    }
  }
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
