// SPDX-License-Identifier: MIT
/// @file
/// The data of the tasks: the same bytes on every machine and with every compiler. Everything is integers until one
/// exact conversion to float, so nothing depends on a library's distributions, on libm, or on contraction.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "lloyd/cpu/parallel.hpp"
#include "lloyd/matrix.hpp"
#include "support/huge_pages.hpp"

namespace bench {

using lloyd::Index;

/// splitmix64's finaliser: a bijection of 64 bits in which every bit depends on every other.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

inline constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;

/// What a hash is for: those of two streams are independent.
enum class Stream : std::uint64_t { centre = 1, row, value, start };

/// 64 bits of the address (seed, stream, a, b), and of nothing else.
[[nodiscard]] constexpr std::uint64_t hash(std::uint64_t seed, Stream stream, Index a, Index b = 0) {
  const std::uint64_t key = mix(seed * golden + static_cast<std::uint64_t>(stream));
  return mix(mix(key + static_cast<std::uint64_t>(a) * golden) + static_cast<std::uint64_t>(b) * golden);
}

/// Four 16-bit uniforms added: a bell of mean 0 and standard deviation `bell_sd`, within +-131070.
[[nodiscard]] constexpr std::int32_t bell(std::uint64_t bits) {
  const auto part = [bits](unsigned shift) { return static_cast<std::int32_t>((bits >> shift) & 0xffffU); };
  return part(0) + part(16) + part(32) + part(48) - 131070;
}
inline constexpr double bell_sd = 37837.0;

/// floor(sqrt(v)), by Newton's method in integers.
[[nodiscard]] constexpr std::uint64_t integer_root(std::uint64_t v) {
  if (v < 2) return v;
  std::uint64_t root = std::uint64_t{1} << ((std::bit_width(v) + 1) / 2);
  for (;;) {
    const std::uint64_t next = (root + v / root) / 2;
    if (next >= root) return root;
    root = next;
  }
}

/// What rows look like.
enum class Shape : std::uint8_t {
  clusters,  ///< bells about centres; one row in twenty is four times as wide, about none
  normal,    ///< one bell
  unit,      ///< bells about centres, each row divided by its length
  physics,   ///< two classes that overlap; skewed, even and bell-shaped columns
};

/// How the rows of a task are made. `separation` is the spread of the centres, in 1/256 of that of the rows.
struct Recipe {
  Shape shape = Shape::clusters;
  Index centres = 1;
  std::int32_t separation = 256;
  std::uint64_t seed = 0;
};

/// Makes rows by number: row i is a function of the recipe, d and i.
class Generator {
 public:
  Generator(const Recipe& recipe, Index d) : recipe_(recipe), d_(d) {
    centres_.resize(static_cast<std::size_t>(recipe.centres * d));
    for (Index j = 0; j < recipe.centres; ++j)
      for (Index q = 0; q < d; ++q)
        centres_[static_cast<std::size_t>(j * d + q)] = static_cast<std::int32_t>(
            std::int64_t{bell(hash(recipe.seed, Stream::centre, j, q))} * recipe.separation / 256);
  }

  /// Writes row i to out; `scratch` holds d integers.
  void row(Index i, float* out, std::int32_t* scratch) const {
    const std::uint64_t chance = hash(recipe_.seed, Stream::row, i);
    const std::uint64_t key = hash(recipe_.seed, Stream::value, i);
    const auto value = [&](Index q) { return mix(key + static_cast<std::uint64_t>(q + 1) * golden); };
    const auto centre = static_cast<Index>((chance >> 32) * static_cast<std::uint64_t>(recipe_.centres) >> 32);
    const std::int32_t* c = centres_.data() + centre * d_;
    if (recipe_.shape == Shape::clusters && (chance & 0xffffU) % 20 == 0) {
      for (Index q = 0; q < d_; ++q) scratch[q] = 4 * bell(value(q));
    } else if (recipe_.shape == Shape::physics) {
      for (Index q = 0; q < d_; ++q) scratch[q] = physics(q, value(q), c[q]);
    } else {
      for (Index q = 0; q < d_; ++q) scratch[q] = c[q] + bell(value(q));
    }
    if (recipe_.shape == Shape::unit) return unit(scratch, out);
    for (Index q = 0; q < d_; ++q) out[q] = static_cast<float>(scratch[q]) * 0x1p-15F;
  }

 private:
  /// Momentum-like columns are skewed, angle-like ones even, the others bells; classes differ by their centres.
  [[nodiscard]] static std::int32_t physics(Index q, std::uint64_t bits, std::int32_t centre) {
    const auto part = [bits](unsigned shift) { return static_cast<std::uint32_t>((bits >> shift) & 0xffffU); };
    if (q % 3 == 0) return static_cast<std::int32_t>((part(0) * part(16) >> 16) + (part(32) * part(48) >> 16)) + centre;
    if (q % 3 == 1) return static_cast<std::int32_t>(2 * part(0)) - 65535;
    return bell(bits) + centre;
  }

  /// out = scratch / |scratch|. Division of doubles and rounding to float are exact operations of IEEE 754.
  void unit(const std::int32_t* scratch, float* out) const {
    std::uint64_t square = 0;
    for (Index q = 0; q < d_; ++q) square += static_cast<std::uint64_t>(std::int64_t{scratch[q]} * scratch[q]);
    // Below 2^47 for up to 1024 columns, so eight more bits of the root fit; dividing by 2^8 is exact.
    const auto length = static_cast<double>((std::max)(integer_root(square << 16), std::uint64_t{1})) / 256;
    for (Index q = 0; q < d_; ++q) out[q] = static_cast<float>(static_cast<double>(scratch[q]) / length);
  }

  Recipe recipe_;
  Index d_;
  std::vector<std::int32_t> centres_;
};

/// Rows in memory that no one has touched before the threads that fill them.
class Rows {
 public:
  Rows(const Recipe& recipe, Index n, Index d, int threads)
      : n_(n), d_(d), values_(on_huge_pages<float>(static_cast<std::size_t>(n * d))) {
    const Generator generator(recipe, d);
    constexpr Index block = 256;
    lloyd::cpu::for_each_batch(
        threads, n, block, [&] { return std::vector<std::int32_t>(static_cast<std::size_t>(d)); },
        [&](std::vector<std::int32_t>& scratch, Index begin, Index count) {
          for (Index i = begin; i < begin + count; ++i) generator.row(i, values_.get() + i * d_, scratch.data());
        },
        [](const auto&) {});
  }

  /// Those of a matrix.
  explicit Rows(const lloyd::Matrix<float>& x)
      : n_(x.rows()), d_(x.cols()), values_(on_huge_pages<float>(static_cast<std::size_t>(n_ * d_))) {
    std::copy_n(x.data(), n_ * d_, values_.get());
  }

  [[nodiscard]] lloyd::MatrixView<const float> view() const { return {values_.get(), n_, d_}; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(n_ * d_) * sizeof(float); }

 private:
  Index n_, d_;
  std::unique_ptr<float[]> values_;
};

/// k distinct row numbers of 0 .. n - 1, every set as likely as any other (Floyd's algorithm), in the order drawn.
[[nodiscard]] inline std::vector<Index> start_rows(Index n, Index k, std::uint64_t seed) {
  std::unordered_set<Index> seen;
  std::vector<Index> rows;
  for (Index j = n - k; j < n; ++j) {
    const std::uint64_t bits = hash(seed, Stream::start, j) >> 32;
    const auto row = static_cast<Index>(bits * static_cast<std::uint64_t>(j + 1) >> 32);
    rows.push_back(seen.insert(row).second ? row : j);
    seen.insert(rows.back());
  }
  return rows;
}

/// Those rows of x, as starting centroids.
[[nodiscard]] inline lloyd::Matrix<float> gather(lloyd::MatrixView<const float> x, const std::vector<Index>& rows) {
  lloyd::Matrix<float> c(rows.size(), x.cols());
  for (std::size_t j = 0; j < rows.size(); ++j) std::copy_n(x.row(rows[j]), x.cols(), c.row(static_cast<Index>(j)));
  return c;
}

/// A number that changes with any bit of any value: what tests and records compare data by.
[[nodiscard]] inline std::uint64_t checksum(lloyd::MatrixView<const float> x) {
  std::uint64_t sum = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index q = 0; q < x.cols(); ++q) {
      const auto at = static_cast<std::uint64_t>(i * x.cols() + q);
      sum += mix(at * golden ^ std::uint64_t{std::bit_cast<std::uint32_t>(x(i, q))});
    }
  }
  return sum;
}

}  // namespace bench
