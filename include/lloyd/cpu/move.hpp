// SPDX-License-Identifier: MIT
/// @file
/// One row changes cluster, on this thread.
#pragma once

#include <span>

#include "lloyd/kmeans/sums.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

template <Real T>
void move(const Tile<T>& tile, Index i, Label to, std::span<Label> labels, const detail::Quanta& quanta,
          const detail::SumsView& sums) {
  Label& label = labels[static_cast<std::size_t>(i)];
  detail::move_row(tile.x.row(i), tile.w(i), label, to, quanta, sums);
  label = to;
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
