// SPDX-License-Identifier: MIT
/// @file
/// ||a - b||^2 in F: for bounds, where its rounding is accounted for. D is another number (lanes.hpp).
#pragma once

#include <cstddef>
#include <limits>

#include "lloyd/cpu/vector.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// How far it may be off, relatively, unless it underflows: differences are rounded once, and their squares added.
template <Real F>
[[nodiscard]] double quick_distance_error(Index d) {
  return (static_cast<double>(d) / 8 + 16) * std::numeric_limits<F>::epsilon();
}

template <class V>
struct QuickDistance {
  using F = typename V::Scalar;

  [[gnu::always_inline]] static inline F run(const F* a, const F* b, Index d) {
    constexpr int lanes = V::lanes, chains = 4;
    V sum[chains] = {V::all(F{0}), V::all(F{0}), V::all(F{0}), V::all(F{0})};
    Index q = 0;
    for (; q + chains * lanes <= d; q += chains * lanes)
#pragma GCC unroll 4
      for (int i = 0; i < chains; ++i) add(V::load(a + q + i * lanes), V::load(b + q + i * lanes), sum[i]);
    for (; q + lanes <= d; q += lanes) add(V::load(a + q), V::load(b + q), sum[0]);
    if (q < d) {
      const auto rest = static_cast<int>(d - q);
      add(V::load_first(a + q, rest), V::load_first(b + q, rest), sum[1]);
    }
    F lane[static_cast<std::size_t>(lanes)], total = 0;
    V::store(lane, V::add(V::add(sum[0], sum[1]), V::add(sum[2], sum[3])));
    for (int l = 0; l < lanes; ++l) total += lane[l];
    return total;
  }

 private:
  [[gnu::always_inline]] static inline void add(const V& a, const V& b, V& sum) {
    const V t = V::subtract(a, b);
    sum = V::fma(t, t, sum);
  }
};

}  // namespace lloyd::inline LLOYD_ABI::cpu
