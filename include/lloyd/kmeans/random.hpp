// SPDX-License-Identifier: MIT
/// @file
/// Counter-based random draws: a draw is a function of (seed, purpose, init number, round, index) and of nothing else,
/// so it does not depend on threads, tiles, ranks or what was drawn before. No std::*_distribution, no libm.
/// @see Salmon, Moraes, Dror, Shaw (2011), Parallel random numbers: as easy as 1, 2, 3 (Philox4x32-10).
#pragma once

#include <array>
#include <cstdint>

#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

__extension__ using UInt128 = unsigned __int128;

/// What a draw is for: draws of two purposes are independent.
enum class Purpose : std::uint32_t { first_row, plus_plus, random_rows, scalable, sample, metric };

/// The address of a draw.
struct DrawAddress {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::first_row;
  Index init = 0;   // below 2^28
  Index round = 0;  // below 2^32
  Index index = 0;  // a global row, or a trial
};

/// 128 random bits.
struct Draw {
  std::uint64_t high, low;
};

/// Philox4x32-10 of one counter and one key.
[[nodiscard]] constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                            std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0], b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
  }
  return counter;
}

[[nodiscard]] constexpr Draw draw(const DrawAddress& at) {
  const auto index = static_cast<std::uint64_t>(at.index);
  const auto tag = static_cast<std::uint32_t>(at.purpose) << 28 | static_cast<std::uint32_t>(at.init & 0xfffffff);
  const auto r = philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                         static_cast<std::uint32_t>(at.round), tag},
                        {static_cast<std::uint32_t>(at.seed), static_cast<std::uint32_t>(at.seed >> 32)});
  return {std::uint64_t{r[1]} << 32 | r[0], std::uint64_t{r[3]} << 32 | r[2]};
}

/// An integer of 0 .. total - 1, uniform up to 2^-64: floor(draw * total / 2^128). So it is never `total` itself.
[[nodiscard]] constexpr std::uint64_t below(const Draw& r, std::uint64_t total) {
  const UInt128 low = static_cast<UInt128>(r.low) * total >> 64;
  return static_cast<std::uint64_t>((static_cast<UInt128>(r.high) * total + low) >> 64);
}

/// True with probability min(1, part / total), up to 2^-64. `total` is positive and below 2^63.
[[nodiscard]] constexpr bool happens(const Draw& r, UInt128 part, std::uint64_t total) {
  return part >= total || static_cast<UInt128>(r.high) * total < part << 64;
}

}  // namespace lloyd::inline LLOYD_ABI::detail
