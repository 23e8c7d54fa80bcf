// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for CUDA: the lanes of a warp meet and exchange a value each.
#pragma once

#include <cstdint>

#include "double/block.hpp"

namespace cuda_cpu {

/// What the lanes do together. Lanes that meet must do the same.
enum class WarpOperation { synchronise, shuffle, vote, match };

/// The value of each lane of the mask; what is not there is all ones.
struct Lanes {
  std::uint64_t value[warp_size];
};

/// Waits until every lane of the mask is here. A lane outside its own mask, a lane that has ended or is not in the
/// block, other masks or operations of the same lanes: failures.
[[nodiscard]] Lanes meet(WarpOperation operation, unsigned mask, std::uint64_t value, const Place& place);

/// Of the thread that runs now.
[[nodiscard]] unsigned lane();

}  // namespace cuda_cpu
