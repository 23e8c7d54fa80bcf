// SPDX-License-Identifier: MIT
// The matrix unit's products: halves add up, and every pair of a row and a centroid is within the bound that the
// centroids carry for it; where the machine has none, counted skips.
#include "lloyd/cpu/matrix_unit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <vector>

#include "lloyd/lloyd.hpp"
#include "lloyd/reference.hpp"
#include "numerics/hostile.hpp"

namespace lloyd::test {
namespace {

using hostile::Kind;
using hostile::Problem;

TEST(MatrixUnit, HalvesAddUp) {
  std::uint32_t bits = 1;
  for (int i = 0; i < 1'000'000; ++i) {
    bits = bits * 1664525U + 1013904223U;
    const auto value = std::bit_cast<float>(bits);
    if (!(std::fabs(value) < 0x1p60F) || std::fabs(value) < 0x1p-90F) continue;
    const cpu::Halves halves = cpu::cut_in_halves(value);
    for (const float half : {halves.high, halves.low}) ASSERT_EQ(std::bit_cast<std::uint32_t>(half) & 0xffffU, 0U);
    ASSERT_EQ(static_cast<double>(halves.high) + static_cast<double>(halves.low) + static_cast<double>(halves.rest),
              static_cast<double>(value));
    ASSERT_LE(std::fabs(halves.low + halves.rest), 0x1p-8F * std::fabs(value));
    ASSERT_LE(std::fabs(halves.rest), 0x1p-16F * std::fabs(value));
  }
}

#if LLOYD_X86

struct Found {
  Index pairs = 0, outside = 0;
  double largest_ratio = 0;
};

template <class Bound>
cpu::Prepared<float, Bound> prepared_for(const Problem<float>& p, const std::vector<float>& origin) {
  return cpu::prepare<float, Bound>(p.centroids(), std::span<const float>(origin), {256, 64, 1 << 20}, {}, {}, 1,
                                    cpu::usable_isa(Isa::amx));
}

/// One chunk of rows, packed as the filter does.
struct Chunk {
  cpu::Aligned<float> x, square;
  std::uint32_t usable[3] = {};

  Chunk(const Problem<float>& p, const cpu::FilterCentroids<float>& c, const std::vector<float>& o, Index first)
      : x(static_cast<std::size_t>(48 * (p.d + 1))), square(48) {
    for (Index g = 0; g < 3; ++g) {
      cpu::PackTile<float> tile{};
      for (Index l = 0; l < 16; ++l) tile.row[l] = tile.row[16 + l] = p.rows().row(first + g * 16 + l);
      tile.o = o.data(), tile.scale = static_cast<float>(c.scale), tile.d = p.d;
      tile.to = x.data() + g * 16, tile.values = p.d, tile.width = 48, tile.square = square.data() + g * 16;
      tile.raise = static_cast<float>(1 + cpu::norm_error<float>(p.d));
      tile.tiny = cpu::lost_to_underflow<float>(p.d);
      tile.largest = cpu::largest_norm<float>;
      usable[g] = c.kernels.pack(tile);
      for (Index l = 0; l < 16; ++l)
        if ((usable[g] >> l & 1) == 0)
          for (Index q = 0; q <= p.d; ++q) x[static_cast<std::size_t>(q * 48 + g * 16 + l)] = 0;
    }
  }
};

/// Whether scale^2 (D - |x - o|^2) / 2 is within the bound of the matrix unit's sum, for every pair.
template <class Bound>
void check_pairs(const Problem<float>& p, Found& found) {
  __extension__ using Quad = __float128;
  const auto origin = detail::mean_of(p.centroids());
  const auto prepared = prepared_for<Bound>(p, origin);
  const cpu::FilterCentroids<float>& c = prepared.own;
  ASSERT_EQ(c.scoring, cpu::Scoring::matrix_unit);
  const Index steps = cpu::MatrixUnit::steps(p.d);
  cpu::Aligned<std::uint32_t> tiles(static_cast<std::size_t>(3 * steps * 2 * cpu::MatrixUnit::words));
  cpu::Aligned<float> products(static_cast<std::size_t>(c.blocks() * 16 * 48));
  const Quad scale = static_cast<Quad>(c.scale) * static_cast<Quad>(c.scale);
  for (Index first = 0; first + 48 <= p.n; first += 48) {
    Chunk chunk(p, c, origin, first);
    cpu::cut_rows(chunk.x.data(), p.d, static_cast<float>(1 + cpu::norm_error<float>(p.d)), tiles.data());
    cpu::multiply_tiles({tiles.data(), c.tiles.data(), steps, c.blocks(), products.data()});
    for (Index r = 0; r < 48; ++r) {
      if ((chunk.usable[r / 16] >> (r % 16) & 1) == 0) continue;
      const float* x = p.rows().row(first + r);
      Quad square = 0;
      for (Index q = 0; q < p.d; ++q) {
        const Quad t = static_cast<Quad>(x[q]) - static_cast<Quad>(origin[static_cast<std::size_t>(q)]);
        square += t * t;
      }
      const float norm = chunk.x[static_cast<std::size_t>(p.d * 48 + r)];
      const double of = static_cast<double>(norm);
      const double own = (c.row_square * of + c.row_linear) * of + c.row_constant;
      for (Index j = 0; j < c.k; ++j) {
        const auto at = static_cast<std::size_t>(j);
        const float sum = std::fma(norm, c.slope[at], products[static_cast<std::size_t>(j * 48 + r)] + c.starts[at]);
        const double pair = of * static_cast<double>(c.slope[at]) + static_cast<double>(c.offset[at]);
        const double d2 = prepared.distance(x, p.centroids().row(prepared.distinct[at]), p.d);
        const auto right = static_cast<long double>(scale * (static_cast<Quad>(d2) - square)) / 2;
        const long double error = std::fabs(-static_cast<long double>(sum) + pair - right);
        ++found.pairs;
        if (error > pair + own) ++found.outside;
        found.largest_ratio = std::max(found.largest_ratio, static_cast<double>(error) / (pair + own));
      }
    }
  }
}

template <class Bound>
Index wrong_labels(const Problem<float>& p) {
  const auto origin = detail::mean_of(p.centroids());
  std::vector<Label> labels(static_cast<std::size_t>(p.n)), right(labels.size());
  const Tile<float> tile{p.rows(), {}, 0, 0, 1};
  cpu::assign(tile, prepared_for<Bound>(p, origin), std::span(labels), {}, nullptr);
  const Reference reference;
  reference.assign(tile, reference.prepare(p.centroids(), std::span<const float>(origin), {}, {}), std::span(right), {},
                   nullptr);
  Index wrong = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) wrong += labels[i] != right[i] ? 1 : 0;
  return wrong;
}

class MatrixUnitBound : public testing::Test {
 protected:
  void SetUp() override {
    if (cpu::widest_isa() < Isa::amx) GTEST_SKIP() << "this machine has no matrix unit";
  }
};

TEST_F(MatrixUnitBound, HoldsForEveryKind) {
  for (int kind = 0; kind < static_cast<int>(Kind::last); ++kind) {
    Found found;
    std::uint64_t seed = 0;
    for (const Index d : {64, 65, 100, 300, 1100})
      for (const Index k : {32, 47, 130}) {
        const Problem<float> p(static_cast<Kind>(kind), 480, d, k, ++seed);
        check_pairs<cpu::Sound>(p, found);
        EXPECT_EQ(wrong_labels<cpu::Sound>(p), 0) << hostile::name(static_cast<Kind>(kind)) << " d " << d << " k " << k;
      }
    EXPECT_EQ(found.outside, 0) << hostile::name(static_cast<Kind>(kind));
    std::cout << "  " << hostile::name(static_cast<Kind>(kind)) << ": " << found.pairs << " pairs, error at most "
              << found.largest_ratio << " of the bound\n";
  }
}

template <class Bound>
void expect_found() {
  Found found;
  Index wrong = 0;
  for (int kind = 0; kind < static_cast<int>(Kind::last); ++kind)
    for (const Index d : {64, 300}) {
      const Problem<float> p(static_cast<Kind>(kind), 960, d, 40, 5);
      check_pairs<Bound>(p, found);
      wrong += wrong_labels<Bound>(p);
    }
  EXPECT_GT(found.outside, 0);
  EXPECT_GT(wrong, 0);
  std::cout << "  found: " << found.outside << " pairs outside, " << wrong << " wrong labels\n";
}
TEST_F(MatrixUnitBound, AHundredthOfItIsFound) { expect_found<hostile::HundredthOfTheBound>(); }
TEST_F(MatrixUnitBound, NoBoundIsFound) { expect_found<hostile::NoBound>(); }

#endif

}  // namespace
}  // namespace lloyd::test
