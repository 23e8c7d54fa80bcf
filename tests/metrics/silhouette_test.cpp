// SPDX-License-Identifier: MIT
// Silhouettes: the bits of the definition for any threads, tiles and instruction set, and what is refused.
#include "lloyd/metrics/silhouette.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "lloyd/metrics.hpp"
#include "support/chi_square.hpp"
#include "support/data.hpp"
#include "support/exact.hpp"
#include "support/refusal.hpp"

namespace lloyd::test {
namespace {

/// Silhouettes by their definition: every distance, sums without rounding.
template <Real T>
[[nodiscard]] std::vector<double> by_definition(MatrixView<const T> x, const std::vector<Label>& labels) {
  std::vector<double> out;
  const Label most = *std::max_element(labels.begin(), labels.end());
  for (Index i = 0; i < x.rows(); ++i) {
    std::vector<detail::ExactSum> sums(static_cast<std::size_t>(most) + 1);
    for (Index j = 0; j < x.rows(); ++j)
      sums[static_cast<std::size_t>(labels[static_cast<std::size_t>(j)])].add(
          std::sqrt(detail::distance(x.row(i), x.row(j), x.cols())));
    const auto own = static_cast<std::size_t>(labels[static_cast<std::size_t>(i)]);
    double a = 0, b = std::numeric_limits<double>::infinity();
    const auto size_of = [&](std::size_t c) { return std::count(labels.begin(), labels.end(), static_cast<Label>(c)); };
    for (std::size_t c = 0; c < sums.size(); ++c) {
      if (c == own && size_of(c) > 1) a = sums[c].value() / static_cast<double>(size_of(c) - 1);
      if (c != own && size_of(c) > 0) b = std::min(b, sums[c].value() / static_cast<double>(size_of(c)));
    }
    const bool none = size_of(own) == 1 || std::max(a, b) == 0;
    out.push_back(none ? 0 : (b - a) / std::max(a, b));
  }
  return out;
}

/// 0 .. k - 1, the lower ones oftener.
[[nodiscard]] std::vector<Label> some_labels(Index n, Index k, std::uint64_t seed) {
  Random random(seed);
  std::vector<Label> labels;
  for (Index i = 0; i < n; ++i)
    labels.push_back(static_cast<Label>(std::min(random.below(k), i % 7 == 0 ? k - 1 : random.below(k))));
  labels.front() = 0;
  labels.back() = 1;
  return labels;
}

template <class T>
class Silhouette : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Silhouette, Scalars);

/// Threads, tiles and instruction sets; one that the machine lacks is left out and recorded.
[[nodiscard]] std::vector<MetricOptions> ways(std::size_t little) {
  std::vector<MetricOptions> all;
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
    if (cpu::usable_isa(isa) != isa) {
      testing::Test::RecordProperty("skipped_isa_" + std::to_string(static_cast<int>(isa)), "this machine lacks it");
      continue;
    }
    all.push_back({.n_threads = 1, .widest = isa});
    all.push_back({.n_threads = 3, .memory_budget = little, .widest = isa});
  }
  return all;
}

TYPED_TEST(Silhouette, HasTheBitsOfTheDefinition) {
  using T = TypeParam;
  struct Case {
    std::string name;
    Matrix<T> x;
    Index k;
  };
  const std::vector<Case> cases = {{"blobs", blobs<T>(300, 9, 4, 1), 4},
                                   {"one chunk and a row", normal_rows<T>(1100, 3, 2), 2},
                                   {"grid", grid_rows<T>(150, 2, 3), 5},
                                   {"duplicates", duplicated_rows<T>(200, 17, 5, 4), 3},
                                   {"offset", shifted(normal_rows<T>(160, 8, 5), 1e6), 6},
                                   {"mixed scales", mixed_scales<T>(180, 4, 6, 40), 4},
                                   {"mirrored", mirrored_rows<T>(90, 1, 7), 3},
                                   {"many clusters", normal_rows<T>(250, 33, 8), 60},
                                   {"three rows", normal_rows<T>(3, 2, 9), 2}};
  for (const Case& c : cases) {
    const auto labels = some_labels(c.x.rows(), c.k, 10);
    const auto expected = by_definition<T>(c.x.view(), labels);
    for (const MetricOptions& way : ways(60000))
      EXPECT_EQ(silhouette_samples(c.x, labels, way), expected)
          << c.name << ", threads " << way.n_threads << ", isa " << static_cast<int>(way.widest);
  }
}

/// Distances down to 2^-100 of the largest, which integers beside it cannot hold: they are rounded, all ways alike, and
/// what that changes is below the last digits of a silhouette.
TEST(SilhouetteOfHostileScales, IsRoundedAlike) {
  auto x = normal_rows<double>(240, 5, 11);
  for (Index i = 0; i < 240; i += 3)
    for (Index q = 0; q < 5; ++q) x(i, q) = std::ldexp(static_cast<double>(i % 9 + q), -static_cast<int>(i % 101));
  const auto labels = some_labels(240, 4, 12);
  const auto found = silhouette_samples(x, labels), exact = by_definition<double>(x.view(), labels);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], exact[i], 0x1p-52);
  for (const MetricOptions& way : ways(30000)) EXPECT_EQ(silhouette_samples(x, labels, way), found);
}

/// So many distances near the reach that integers cut finer would overflow, from a cluster that touches the next one.
TEST(SilhouetteOfManyRows, HasRoomForTheSums) {
  constexpr Index many = 17000, few = 20;
  constexpr double place = 0x3.fp20;
  const auto x = generate<float>(many + few, 1, [](Index i, Index) {
    if (i == many + few - 1) return place - 1;
    return i == 0 || i >= many ? place : 0;
  });
  std::vector<Label> labels(static_cast<std::size_t>(many), 0);
  labels.resize(static_cast<std::size_t>(many + few), 1);
  const auto s = silhouette_samples(x, labels);
  const double a = place / (many - 1), b = (place * few - 1) / few;
  EXPECT_EQ(s[1], (b - a) / b);
  EXPECT_EQ(s[0], (1.0 / few - place) / place);
  const double own = 1.0 / (few - 1), other = place * (many - 1) / many;
  EXPECT_EQ(s[many], (other - own) / other);
}

/// A kernel's integers against std::nearbyint, with distances of every size.
TEST(PairSums, AreTheNearestMultiplesOnEveryInstructionSet) {
  for (const MetricOptions& way : ways(1)) {
    const cpu::PairFunction kernel = cpu::pair_function(way.widest);
    for (const Index d : {1, 2, 7, 8, 9, 16, 31}) {
      constexpr Index count = 13;
      const auto lanes = static_cast<Index>(kernel.lanes);
      const auto x = mixed_scales<double>(lanes, d, 30, 20), y = mixed_scales<double>(count, d, 31, 20);
      Matrix<double> in_lanes(d, lanes);
      for (Index q = 0; q < d; ++q)
        for (Index l = 0; l < lanes; ++l) in_lanes(q, l) = x(l, q);
      const detail::Cut cut(0x1p46, 1000);
      std::vector<std::uint64_t> of_x(static_cast<std::size_t>(2 * lanes), 1);
      std::vector<std::uint64_t> of_y(static_cast<std::size_t>(2 * lanes * count), 0);
      kernel.add({d, in_lanes.data(), y.data(), count, cut.high, cut.low, of_x.data(), of_y.data()});

      const double high_quantum = std::ldexp(1.0, cut.exponent + cut.bits), low_quantum = std::ldexp(1.0, cut.exponent);
      const auto integer = [](double multiple, double constant) {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(multiple)) + std::bit_cast<std::uint64_t>(constant);
      };
      std::vector<std::uint64_t> expected(of_x.size(), 0);
      for (Index i = 0; i < count; ++i) {
        for (Index l = 0; l < lanes; ++l) {
          const double r = std::sqrt(detail::distance(x.row(l), y.row(i), d));
          const double high = std::nearbyint(r / high_quantum);
          const double low = std::nearbyint((r - high * high_quantum) / low_quantum);
          const auto place = static_cast<std::size_t>(2 * i * lanes + l), lane = static_cast<std::size_t>(l);
          EXPECT_EQ(of_y[place], integer(high, cut.high));
          EXPECT_EQ(of_y[place + static_cast<std::size_t>(lanes)], integer(low, cut.low));
          expected[lane] += of_y[place];
          expected[lane + static_cast<std::size_t>(lanes)] += of_y[place + static_cast<std::size_t>(lanes)];
        }
      }
      EXPECT_EQ(of_x, expected) << "d " << d << ", isa " << static_cast<int>(way.widest);
    }
  }
}

/// Both integers as numbers, added exactly and rounded once. Every second pair is a tie but for a last bit, or a tie.
TEST(CutSum, IsRoundedOnce) {
  Random random(32);
  for (int times = 0; times < 20000; ++times) {
    const detail::Cut cut(std::ldexp(1.0, static_cast<int>(random.between(-900, 900))), random.between(1, 1 << 20));
    const auto low = static_cast<std::int64_t>(random.bits()) >> random.between(2, 63);
    auto high = static_cast<std::int64_t>(random.bits() >> random.between(3, 63));
    if (times % 2 == 0) high = (std::int64_t{1} << 53) + 1 + 2 * random.between(0, 1000);
    const std::int64_t used_low = times % 2 == 0 ? random.between(-1, 1) : high == 0 ? std::abs(low) : low;
    Exact sum;
    const auto add = [&](std::int64_t integer, int exponent) {  // in halves that doubles hold
      sum.add(static_cast<double>(integer >> 32), std::ldexp(1.0, exponent + 32));
      sum.add(static_cast<double>(integer & 0xffffffff), std::ldexp(1.0, exponent));
    };
    add(high, cut.exponent + cut.bits);
    add(used_low, cut.exponent);
    if (sum.sign() < 0) continue;  // a sum of distances is none
    const detail::CutSum found{static_cast<std::uint64_t>(high), static_cast<std::uint64_t>(used_low)};
    EXPECT_TRUE(is_rounded(found.value(cut), sum)) << high << ", " << used_low << ", bits " << cut.bits;
  }
}

TYPED_TEST(Silhouette, DoesNotDependOnTheOrderOfRowsNorOnNamesNorOnScale) {
  using T = TypeParam;
  const auto x = blobs<T>(200, 6, 5, 13);
  const auto labels = some_labels(200, 5, 14);
  const auto expected = silhouette_samples(x, labels);

  const auto order = permutation(200, 15);
  std::vector<Label> moved, renamed;
  for (const Index i : order) moved.push_back(labels[static_cast<std::size_t>(i)]);
  const auto of_moved = silhouette_samples(rows_at(x, order), moved);
  for (std::size_t p = 0; p < order.size(); ++p) EXPECT_EQ(of_moved[p], expected[static_cast<std::size_t>(order[p])]);

  constexpr Label names[] = {2000000000, -7, 0, -2000000000, 12};
  for (const Label label : labels) renamed.push_back(names[label]);
  EXPECT_EQ(silhouette_samples(x, renamed), expected);
  EXPECT_EQ(silhouette_samples(scaled(x, 0x1p20), labels), expected);
}

TYPED_TEST(Silhouette, TakesAnyView) {
  using T = TypeParam;
  const auto wide = normal_rows<T>(50, 9, 16);
  const auto labels = some_labels(50, 3, 17);
  const MatrixView<const T> part(wide.data() + 2, 50, 4, 9);
  const auto copy = generate<T>(50, 4, [&](Index i, Index q) { return static_cast<double>(wide(i, q + 2)); });
  EXPECT_EQ(silhouette_samples(part, labels), silhouette_samples(copy, labels));
  const std::span<const Label> of_a_part(labels.data(), 20);
  EXPECT_EQ(silhouette_samples(part.slice(0, 20), of_a_part), silhouette_samples(head(copy, 20), of_a_part));
}

TYPED_TEST(Silhouette, OfRowsThatAreAloneOrEqual) {
  using T = TypeParam;
  const Matrix<T> equal(6, 2);
  EXPECT_EQ(silhouette_samples(equal, std::vector<Label>{0, 0, 0, 1, 1, 1}), std::vector<double>(6, 0));
  const auto x = column_of<T>({0, 0, 5, 9});
  const auto s = silhouette_samples(x, std::vector<Label>{4, 4, 2, 3});
  EXPECT_EQ(s, (std::vector<double>{1, 1, 0, 0}));
  EXPECT_EQ(silhouette_score(x, std::vector<Label>{4, 4, 2, 3}), 0.5);
}

/// Subnormal rows, and values up to the limits of the type.
TYPED_TEST(Silhouette, OfTheSmallestAndTheLargest) {
  using T = TypeParam;
  const auto x = grid_rows<T>(40, 3, 18, 9);
  const auto labels = some_labels(40, 3, 19);
  const auto expected = silhouette_samples(x, labels);
  constexpr bool single = std::is_same_v<T, float>;
  EXPECT_EQ(silhouette_samples(scaled(x, single ? 0x1p-149 : 0x1p-480), labels), expected);
  EXPECT_EQ(silhouette_samples(scaled(x, single ? 0x1p120 : 0x1p490), labels), expected);
}

TYPED_TEST(Silhouette, RoundingOfTheCallerDoesNotMatter) {
  const auto x = normal_rows<TypeParam>(100, 5, 20);
  const auto labels = some_labels(100, 3, 21);
  const auto expected = silhouette_samples(x, labels, {.n_threads = 2});
  const double score = silhouette_score(x, labels);
  std::fesetround(FE_UPWARD);
  const auto found = silhouette_samples(x, labels, {.n_threads = 2});
  const double score_upward = silhouette_score(x, labels);
  const int mode = std::fegetround();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(mode, FE_UPWARD);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(score_upward, score);
}

TYPED_TEST(Silhouette, OfASampleIsThatOfItsRowsAlone) {
  using T = TypeParam;
  const auto x = blobs<T>(400, 4, 5, 22);
  const auto labels = some_labels(400, 5, 23);
  const auto rows = detail::sample_rows(400, 60, 7);
  std::vector<Label> of_rows;
  for (const Index i : rows) of_rows.push_back(labels[static_cast<std::size_t>(i)]);
  const double expected = silhouette_score(rows_at(x, rows), of_rows);
  for (const int threads : {1, 3})
    EXPECT_EQ(silhouette_score(x, labels, {.sample_size = 60, .seed = 7, .n_threads = threads}), expected);
  EXPECT_NE(silhouette_score(x, labels, {.sample_size = 60, .seed = 8}), expected);
  const double of_all = silhouette_score(x, labels);
  EXPECT_EQ(silhouette_score(x, labels, {.sample_size = 400}), of_all);
  EXPECT_EQ(silhouette_score(x, labels, {.sample_size = 100000}), of_all);
  EXPECT_NEAR(silhouette_score(x, labels, {.sample_size = 300, .seed = 1}), of_all, 0.05);
}

TEST(SilhouetteSample, IsUniformWithoutRepetition) {
  std::vector<long> chosen(40, 0), pairs(3, 0);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const auto rows = detail::sample_rows(40, 10, seed);
    ASSERT_EQ(rows.size(), 10U);
    ASSERT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    ASSERT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
    for (const Index i : rows) ++chosen.at(static_cast<std::size_t>(i));
    ++pairs.at(static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [](Index i) { return i < 2; })));
  }
  for (const long times : chosen) expect_happens(0.25, times, 4000);
  expect_drawn_from({30 * 29, 2 * 10 * 30, 10 * 9}, pairs);  // none, one, both of two rows
}

TYPED_TEST(Silhouette, RefusesWhatHasNone) {
  using T = TypeParam;
  const auto x = normal_rows<T>(6, 2, 24);
  const std::vector<Label> good = {0, 0, 1, 1, 2, 2};
  const auto of = [&](const std::vector<Label>& labels, const MetricOptions& options = {}) {
    const auto complaint = refusal_of([&] { (void)silhouette_samples(x, labels, options); });
    if (options.sample_size == 0) {
      const auto of_score = refusal_of([&] { (void)silhouette_score(x, labels, options); });
      EXPECT_EQ("lloyd::silhouette_score" + complaint.substr(25), of_score);
    }
    return complaint;
  };
  EXPECT_EQ(of({0, 0, 0, 0, 0, 0}),
            "lloyd::silhouette_samples: the labels of 6 rows make 1 cluster, expected at least 2 and fewer than rows");
  EXPECT_EQ(of({0, 1, 2, 3, 4, 5}),
            "lloyd::silhouette_samples: the labels of 6 rows make 6 clusters, expected at least 2 and fewer than rows");
  EXPECT_EQ(of({0, 1, 0}), "lloyd::silhouette_samples: 3 labels, x has 6 rows");
  EXPECT_EQ(of({}), "lloyd::silhouette_samples: 0 labels, x has 6 rows");
  EXPECT_EQ(of(good, {.n_threads = -1}), "lloyd::silhouette_samples: n_threads -1 < 0 (0 takes OpenMP's default)");
  EXPECT_EQ(of(good, {.memory_budget = 0}), "lloyd::silhouette_samples: memory_budget 0 bytes");
  EXPECT_EQ(of(good, {.sample_size = 3}),
            "lloyd::silhouette_samples: sample_size 3, expected 0: only silhouette_score takes a sample");
  EXPECT_EQ(refusal_of([&] { (void)silhouette_score(x, good, {.sample_size = -1}); }),
            "lloyd::silhouette_score: sample_size -1 < 0 (0 takes all rows)");
  EXPECT_EQ(refusal_of([&] { (void)silhouette_samples(Matrix<T>(), std::vector<Label>()); }),
            "lloyd::silhouette_samples: x has no rows");
  EXPECT_EQ(refusal_of([&] { (void)silhouette_samples(Matrix<T>(6, 0), good); }),
            "lloyd::silhouette_samples: x has no columns");
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto bad = x;
    bad(4, 1) = static_cast<T>(value);
    const auto complaint = refusal_of([&] { (void)silhouette_samples(bad, good); });
    EXPECT_NE(complaint.find("x(4, 1) is "), std::string::npos) << complaint;
  }
}

/// A sample in which every row is alone, or all are together.
TEST(SilhouetteSample, RefusesOneThatHasNoSilhouette) {
  const auto x = normal_rows<float>(100, 2, 25);
  std::vector<Label> labels(100, 0);
  labels[50] = 1;
  EXPECT_EQ(refusal_of([&] { (void)silhouette_score(x, labels, {.sample_size = 5, .seed = 0}); }),
            "lloyd::silhouette_score: the labels of 5 rows make 1 cluster, expected at least 2 and fewer than rows");
}

TEST(SilhouetteBudget, TooSmallSaysWhatIsNeeded) {
  const auto x = normal_rows<float>(100, 300, 26);
  const auto labels = some_labels(100, 3, 27);
  const auto complaint =
      refusal_of([&] { (void)silhouette_samples(x, labels, {.n_threads = 1, .memory_budget = 9999}); });
  ASSERT_NE(
      complaint.find("memory_budget 9999 bytes is too small: tiles of 8 rows (d = 300, 3 clusters, 1 threads) need "),
      std::string::npos)
      << complaint;
  const auto needed = static_cast<std::size_t>(std::stoull(complaint.substr(complaint.rfind(' '))));
  const auto expected = silhouette_samples(x, labels);
  EXPECT_EQ(silhouette_samples(x, labels, {.n_threads = 1, .memory_budget = needed}), expected);
  EXPECT_NE(refusal_of([&] { (void)silhouette_samples(x, labels, {.n_threads = 1, .memory_budget = needed - 1}); }),
            "");
}

}  // namespace
}  // namespace lloyd::test
