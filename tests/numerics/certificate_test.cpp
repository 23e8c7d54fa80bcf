// SPDX-License-Identifier: MIT
// The certificate: the bound holds for every pair of a row and a centroid, hostile ones above all, and each planted
// fault in it is found, by a pair outside the bound and by a wrong label.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <vector>

#include "lloyd/lloyd.hpp"
#include "lloyd/reference.hpp"
#include "numerics/hostile.hpp"

namespace {

using lloyd::Index;
using lloyd::Label;
using lloyd::MatrixView;
using lloyd::cpu::Filter;
using lloyd::cpu::Sound;
using lloyd::test::hostile::Kind;
using lloyd::test::hostile::name;
using lloyd::test::hostile::Problem;

using lloyd::test::hostile::HundredthOfTheBound;
using lloyd::test::hostile::NoBound;
using lloyd::test::hostile::WithoutTheTermOfD;

struct Count {
  Index pairs = 0, outside = 0;
  double largest_ratio = 0;
};

// Whether scale^2 (D - |x - o|^2) / 2 is between the pair's bounds, for every pair. It cancels, so it is taken in
// quadruple precision and rounded once.
template <class F, class T, class Bound>
void check_pairs(const Problem<T>& p, const lloyd::cpu::Prepared<T, Bound>& prepared,
                 const lloyd::cpu::FilterCentroids<F>& centroids, Count& count) {
  __extension__ using Quad = __float128;
  Filter<F> filter;
  filter.pack(centroids, p.rows(), prepared.o, lloyd::cpu::RowRun{0, p.n});
  std::vector<Quad> square(static_cast<std::size_t>(p.n), 0);
  for (Index i = 0; i < p.n; ++i)
    for (Index q = 0; q < p.d; ++q) {
      const Quad t = static_cast<Quad>(p.rows()(i, q)) - static_cast<Quad>(prepared.o[static_cast<std::size_t>(q)]);
      square[static_cast<std::size_t>(i)] += t * t;
    }
  const Quad scale = static_cast<Quad>(centroids.scale) * static_cast<Quad>(centroids.scale);
  Index usable = 0;
  for (std::size_t r = 0; r < square.size(); ++r) usable += filter.rows().usable(centroids, r) ? 1 : 0;
  const Index before = count.pairs;
  filter.for_each_hit(centroids, 64, [&](std::size_t r, Index j, F low) {
    const auto u = static_cast<std::size_t>(j);
    const double d2 =
        prepared.distance(p.rows().row(static_cast<Index>(r)), p.centroids().row(prepared.distinct[u]), p.d);
    const auto right = static_cast<long double>(scale * (static_cast<Quad>(d2) - square[r])) / 2;
    const double pair =
        filter.rows().norm(r) * static_cast<double>(centroids.slope[u]) + static_cast<double>(centroids.offset[u]);
    const long double error = std::fabs(static_cast<long double>(low) + pair - right);
    ++count.pairs;
    const double own = filter.rows().own_term(centroids, r);
    if (error > pair + own) ++count.outside;
    count.largest_ratio = std::max(count.largest_ratio, static_cast<double>(error) / (pair + own));
  });
  ASSERT_EQ(count.pairs - before, usable * centroids.k) << "a pair was not handed out";
}

template <class T, class Bound>
lloyd::cpu::Prepared<T, Bound> prepare(const Problem<T>& p, const std::vector<T>& origin, lloyd::Assignment path,
                                       lloyd::Isa isa) {
  lloyd::Options options;
  options.assignment = path;
  const lloyd::detail::Batching batching{256, 64, 1 << 20};
  return lloyd::cpu::prepare<T, Bound>(p.centroids(), std::span<const T>(origin), batching, options, {}, 1,
                                       lloyd::cpu::usable_isa(isa));
}

template <class T, class Bound>
Count check(Kind kind, Index n, Index d, Index k, lloyd::Assignment path, std::uint64_t seed) {
  const Problem<T> p(kind, n, d, k, seed);
  const auto origin = lloyd::detail::mean_of(p.centroids());
  const auto isa = lloyd::cpu::usable_isa(static_cast<lloyd::Isa>(seed % 3));
  auto prepared = prepare<T, Bound>(p, origin, path, isa);
  if (path == lloyd::Assignment::fused && k <= lloyd::cpu::most_products) {
    prepared.own = {}, prepared.wide = {};
    const auto fill = [&](auto& filter) {
      filter.fill(p.centroids(), std::span<const Label>(prepared.distinct), std::span<const T>(origin), isa,
                  lloyd::cpu::Scoring::features_in_lanes, Bound{});
    };
    fill(prepared.own);
    if constexpr (std::same_as<T, float>) fill(prepared.wide);
  }
  Count count;
  check_pairs(p, prepared, prepared.own, count);
  if constexpr (std::same_as<T, float>) check_pairs(p, prepared, prepared.wide, count);
  return count;
}

// Rows whose label, by the whole of filter, certify and recheck, is not the argmin of D.
template <class T, class Bound>
Index wrong_labels(Kind kind, Index n, Index d, Index k, std::uint64_t seed, lloyd::Assignment path, lloyd::Isa isa) {
  const Problem<T> p(kind, n, d, k, seed);
  const auto origin = lloyd::detail::mean_of(p.centroids());
  const auto prepared = prepare<T, Bound>(p, origin, path, isa);
  std::vector<Label> labels(static_cast<std::size_t>(n)), right(labels.size());
  const lloyd::Tile<T> tile{p.rows(), {}, 0, 0, 1};
  lloyd::cpu::assign(tile, prepared, std::span(labels), {}, nullptr);
  const lloyd::Reference reference;
  reference.assign(tile, reference.prepare(p.centroids(), std::span<const T>(origin), {}, {}), std::span(right), {},
                   nullptr);
  Index wrong = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) wrong += labels[i] != right[i] ? 1 : 0;
  return wrong;
}

template <class T>
class Certificate : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Certificate, Scalars);

// A sanitizer slows this down tenfold and looks for other faults.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr Index pairs_of_a_kind = 100'000;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(undefined_behavior_sanitizer)
constexpr Index pairs_of_a_kind = 100'000;
#else
constexpr Index pairs_of_a_kind = 10'000'000;
#endif
#else
constexpr Index pairs_of_a_kind = 10'000'000;
#endif

TYPED_TEST(Certificate, HoldsForTenMillionPairsOfEveryKind) {
  constexpr Index features[] = {1, 2, 3, 8, 17, 64, 300};
  for (int kind = 0; kind < static_cast<int>(Kind::last); ++kind) {
    Count all;
    for (std::uint64_t seed = 0; all.pairs < pairs_of_a_kind; ++seed) {
      const Index d = features[seed % 7], k = 2 + static_cast<Index>(seed * 37 % 150);
      const auto path = seed % 2 == 0 ? lloyd::Assignment::gram : lloyd::Assignment::fused;
      const Count one = check<TypeParam, Sound>(static_cast<Kind>(kind), 200'000 / (d + 10), d, k, path, seed);
      ASSERT_EQ(one.outside, 0) << name(static_cast<Kind>(kind)) << " d " << d << " k " << k << " seed " << seed;
      all.pairs += one.pairs;
      all.largest_ratio = std::max(all.largest_ratio, one.largest_ratio);
      ASSERT_LT(seed, 100'000U) << "no row was usable: " << name(static_cast<Kind>(kind));
    }
    std::cout << "  " << name(static_cast<Kind>(kind)) << ": " << all.pairs << " pairs, error at most "
              << all.largest_ratio << " of the bound\n";
  }
}

// Few centroids, whose sums are begun and ended otherwise, features in the lanes.
TYPED_TEST(Certificate, HoldsForEveryKindWithFeaturesInTheLanes) {
  for (int kind = 0; kind < static_cast<int>(Kind::last); ++kind) {
    Count all;
    for (const Index d : {1, 2, 3, 4, 7, 8, 9, 17, 64, 300, 5000})
      for (std::uint64_t seed = 0; seed < 9; ++seed) {
        const Index k = 1 + static_cast<Index>(seed / 3 + 2) % 3;
        const Count one =
            check<TypeParam, Sound>(static_cast<Kind>(kind), 100'000 / (d + 100), d, k, lloyd::Assignment::fused, seed);
        ASSERT_EQ(one.outside, 0) << name(static_cast<Kind>(kind)) << " d " << d << " k " << k << " seed " << seed;
        all.pairs += one.pairs;
        all.largest_ratio = std::max(all.largest_ratio, one.largest_ratio);
      }
    std::cout << "  " << name(static_cast<Kind>(kind)) << ": " << all.pairs << " pairs, error at most "
              << all.largest_ratio << " of the bound\n";
  }
}

/// Calls body(path, isa) for every way to score rows that this machine has.
template <class Body>
void for_each_path(const Body& body) {
  for (const auto path : {lloyd::Assignment::gram, lloyd::Assignment::fused})
    for (const auto isa : {lloyd::Isa::portable, lloyd::Isa::avx2, lloyd::Isa::avx512})
      if (lloyd::cpu::usable_isa(isa) == isa) body(path, isa);
}

TYPED_TEST(Certificate, LabelsAreExactForEveryKind) {
  for_each_path([](lloyd::Assignment path, lloyd::Isa isa) {
    for (int kind = 0; kind < static_cast<int>(Kind::last); ++kind)
      for (const Index d : {1, 2, 5, 33, 257})
        for (const Index k : {2, 3, 64, 65})
          EXPECT_EQ((wrong_labels<TypeParam, Sound>(static_cast<Kind>(kind), 500, d, k, 7, path, isa)), 0)
              << name(static_cast<Kind>(kind)) << " d " << d << " k " << k;
  });
}

// What a faulty bound lets through over all kinds, on each path: pairs outside, and wrong labels.
template <class T, class Bound>
void expect_found() {
  for_each_path([](lloyd::Assignment path, lloyd::Isa isa) {
    Index outside = 0, wrong = 0;
    for (int kind = 0; kind < static_cast<int>(Kind::last); ++kind)
      for (const Index d : {1, 2, 3, 8, 33, 257}) {
        // the seed chooses the instruction set, too
        outside += check<T, Bound>(static_cast<Kind>(kind), 400, d, 40, path, static_cast<std::uint64_t>(isa)).outside;
        wrong += wrong_labels<T, Bound>(static_cast<Kind>(kind), 2000, d, 20, 1, path, isa);
      }
    EXPECT_GT(outside, 0) << "path " << static_cast<int>(path) << ", isa " << static_cast<int>(isa);
    EXPECT_GT(wrong, 0) << "path " << static_cast<int>(path) << ", isa " << static_cast<int>(isa);
    std::cout << "  found: " << outside << " pairs outside, " << wrong << " wrong labels\n";
  });
}
TYPED_TEST(Certificate, AHundredthOfTheBoundIsFound) { expect_found<TypeParam, HundredthOfTheBound>(); }
TYPED_TEST(Certificate, NoBoundIsFound) { expect_found<TypeParam, NoBound>(); }
TYPED_TEST(Certificate, ABoundWithoutTheTermOfDIsFound) { expect_found<TypeParam, WithoutTheTermOfD>(); }

}  // namespace
