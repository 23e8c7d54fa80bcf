// SPDX-License-Identifier: MIT
/// @file
/// The certificate's bound on a device, pair by pair and exactly: what the kernels say of a pair against its D.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "cuda/backend/device_given.hpp"
#include "support/exact.hpp"

namespace lloyd::test {

/// Bounds that are too small, for the test to catch.
struct Hundredth : cuda::Sound {
  static constexpr double factor = 0.01;
};
struct WithoutDistance : cuda::Sound {
  static constexpr bool covers_distance = false;
};

/// What the filter has of some rows and all centroids, for the host to look at.
template <Real T, class Bound>
struct Filtered {
  Filtered(const Cuda& cuda, const DeviceGiven<T>& given)
      : prepared(cuda::prepare<T, Bound>(*cuda.engine, given.c(), given.origin(), {}, {})) {
    cuda::Engine& engine = *cuda.engine;
    cuda::Scratch scratch = engine.scratch();
    const Index n = given.x().rows(), k = given.c().rows(), d = given.c().cols();
    const cuda::FilterTile<T> tile{scratch.take<T>(n * d),
                                   scratch.take<double>(n),
                                   scratch.take<T>(n * k * cuda::products_of(d)),
                                   scratch.take<cuda::Best<T>>(n),
                                   n,
                                   k,
                                   d,
                                   0};
    engine.launch_for(n, cuda::row_threads, cuda::shift_kernel<T>, engine.gate(), given.x(), given.origin().data(),
                      prepared.filter.largest, tile);
    cuda::gram(engine, tile.rows, prepared.filter.values, n, k, d, tile.products);
    read(engine, tile.norm, n, norm);
    read(engine, tile.products, n * k * cuda::products_of(d), products);
    read(engine, prepared.filter.half, k, half);
    read(engine, prepared.filter.slope, k, slope);
    read(engine, prepared.filter.offset, k, offset);
    read(engine, prepared.filter.largest, 1, largest);
  }
  template <class V>
  static void read(const cuda::Engine& engine, const V* from, Index n, std::vector<V>& to) {
    to.resize(static_cast<std::size_t>(n));
    engine.read(from, to.size(), to.data());
  }
  /// The power of two that kernels scale by.
  [[nodiscard]] double scale() const {
    const double value = std::bit_cast<double>(largest.front());
    constexpr int most = std::is_same_v<T, float> ? 126 : 490, least = std::is_same_v<T, float> ? 126 : 1000;
    return value > 0 ? std::ldexp(1.0, std::clamp(-detail::exponent_of(value) - 1, -least, most)) : 1;
  }

  cuda::Prepared<T, Bound> prepared;
  std::vector<double> norm;
  std::vector<T> products, half, slope, offset;
  std::vector<std::uint64_t> largest;
};

/// How many pairs were looked at, and for how many D lies outside of the bounds.
struct Pairs {
  Index seen = 0, outside = 0;
};

template <class Bound, Real T>
void look_at_pairs(const Cuda& cuda, const DeviceGiven<T>& given, Pairs& pairs) {
  const auto& host = given.on_host();
  const Filtered<T, Bound> filtered(cuda, given);
  const Index k = host.shape.k, d = host.shape.d, parts = cuda::products_of(d);
  const double units = 2 / filtered.scale() / filtered.scale();
  if (!std::isfinite(units)) return;  // centroids that are all alike but for subnormals
  for (Index i = 0; i < host.shape.n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!(filtered.norm[at] <= cuda::largest_norm<T>)) continue;
    const T* x = host.x().row(i);
    Exact from_origin;  // ||x - o||^2
    for (Index q = 0; q < d; ++q) {
      const auto v = static_cast<double>(x[q]), o = static_cast<double>(host.origin[static_cast<std::size_t>(q)]);
      from_origin.add(v, v);
      from_origin.add(v, -2 * o);
      from_origin.add(o, o);
    }
    for (Index j = 0; j < k; ++j) {
      const auto c = static_cast<std::size_t>(j);
      if (!std::isfinite(filtered.half[c])) continue;
      T sum = 0;
      for (Index part = 0; part < parts; ++part)
        sum += filtered.products[static_cast<std::size_t>((part * host.shape.n + i) * k + j)];
      const auto norm = static_cast<T>(filtered.norm[at]) * (1 + 2 * std::numeric_limits<T>::epsilon());
      const T score = filtered.half[c] - sum, error = norm * filtered.slope[c] + filtered.offset[c];
      const double own = filtered.prepared.terms.own(filtered.norm[at]);
      // low <= scale^2 (D - ||x - o||^2) / 2 <= up
      Exact above_low = from_origin, below_up = from_origin;
      const double d2 = squared_distance(x, host.c().row(j), d);
      for (auto* rest : {&above_low, &below_up}) rest->add(-d2);
      above_low.add(static_cast<double>(static_cast<T>(score - error)), units);
      above_low.add(-own, units);
      below_up.add(static_cast<double>(static_cast<T>(score + error)), units);
      below_up.add(own, units);
      ++pairs.seen;
      pairs.outside += above_low.sign() > 0 || below_up.sign() < 0 ? 1 : 0;
    }
  }
}

}  // namespace lloyd::test
