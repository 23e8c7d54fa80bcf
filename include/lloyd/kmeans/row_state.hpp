// SPDX-License-Identifier: MIT
/// @file
/// What the loop carries of each row from one pass to the next.
#pragma once

#include <span>

#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Of the rows of a tile. `kept` is eight bytes a row that belong to the backend: what it finds there is what it left
/// there in the pass before, if centroids are prepared with those of that pass; otherwise it is anything. Empty:
/// nothing is to be kept.
struct RowState {
  std::span<Label> labels;
  std::span<double> kept{};

  /// Of `count` rows from row `begin` on.
  [[nodiscard]] RowState part(Index begin, Index count) const {
    const auto first = static_cast<std::size_t>(begin), size = static_cast<std::size_t>(count);
    return {labels.subspan(first, size), kept.empty() ? kept : kept.subspan(first, size)};
  }
};

}  // namespace lloyd::inline LLOYD_ABI::detail
