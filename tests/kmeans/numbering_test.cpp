// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/numbering.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/problem.hpp"
#include "support/refusal.hpp"
#include "support/thread_ranks.hpp"

namespace lloyd::test {
namespace {

constexpr Index far_away = Index{1} << 62;

/// What a rank's source says of its rows.
struct Numbers {
  Index first, step, count;
};

/// Rows that are numbered in any way.
class NumberedSource {
 public:
  using Scalar = float;

  NumberedSource(MatrixView<const float> x, Numbers numbers) : x_(x), numbers_(numbers) {}

  [[nodiscard]] Index rows() const { return numbers_.count; }
  [[nodiscard]] Index cols() const { return x_.cols(); }
  [[nodiscard]] bool weighted() const { return false; }
  [[nodiscard]] Index first() const { return numbers_.first; }
  [[nodiscard]] Index step() const { return numbers_.step; }
  template <class Use>
  void for_each_tile(const Use& use) const {
    use(Tile<float>{x_, {}, 0, 0, 1});
  }
  void gather(std::span<const Index> rows, MatrixView<float> out) const { InMemory<float>(x_).gather(rows, out); }

 private:
  MatrixView<const float> x_;
  Numbers numbers_;
};

std::string refusal_of_numbers(const Numbers& numbers) {
  const auto x = normal_rows<float>((std::max)(numbers.count, Index{1}), 2, 1);
  const NumberedSource source(x.view(), numbers);
  return refusal_of([&] { (void)KMeans<Reference>({.n_clusters = 3}).fit(source); });
}

TEST(Numbering, RefusesNumbersBeyondTheRows) {
  const auto x = normal_rows<float>(100, 2, 1);
  EXPECT_EQ(
      refusal_of([&] { (void)KMeans<Reference>({.n_clusters = 3}).fit(InMemory<float>(x.view(), {}, 100000)); }),
      "lloyd::KMeans::fit: the source numbers its 100 rows from 100000 on in steps of 1, expected numbers within 0 "
      ".. 99 (the rows of all ranks)");
  for (const Numbers& numbers : {Numbers{1, 1, 100}, Numbers{0, 2, 100}, Numbers{-1, 2, 100}, Numbers{far_away, 1, 100},
                                 Numbers{0, far_away, 100}, Numbers{99, far_away, 2},
                                 Numbers{(std::numeric_limits<Index>::max)(), (std::numeric_limits<Index>::max)(), 9}})
    EXPECT_NE(refusal_of_numbers(numbers).find("expected numbers within 0 .. "), std::string::npos);
}

TEST(Numbering, RefusesStepsAndSizesThatAreNone) {
  for (const Index step : {Index{0}, Index{-1}, (std::numeric_limits<Index>::min)()})
    EXPECT_EQ(refusal_of_numbers({0, step, 5}), "lloyd::KMeans::fit: the source numbers its rows in steps of " +
                                                    std::to_string(step) + ", expected 1 or more");
  EXPECT_EQ(refusal_of_numbers({0, 1, -5}), "lloyd::KMeans::fit: the source has -5 rows, expected 0 or more");
}

/// Numbers of each rank's rows.
std::vector<std::string> fit_on_ranks(const std::vector<Numbers>& ranks_numbers) {
  std::vector<std::string> texts;
  const auto errors = on_ranks(static_cast<int>(ranks_numbers.size()), [&](const ThreadRank& ranks) {
    const Numbers& numbers = ranks_numbers[static_cast<std::size_t>(ranks.rank())];
    const auto x = normal_rows<float>(numbers.count, 2, 1);
    const KMeans<Reference, ThreadRank> kmeans({.n_clusters = 2}, {}, ranks);
    (void)kmeans.fit(InMemory<float>(x.view(), {}, numbers.first, numbers.step));
  });
  for (const auto& error : errors) texts.push_back(text_of(error));
  return texts;
}

TEST(Numbering, RanksMayNumberTheirRowsInAnyOrder) {
  for (const auto& numbers : {std::vector<Numbers>{{6, 1, 6}, {0, 1, 6}}, std::vector<Numbers>{{1, 2, 6}, {0, 2, 6}},
                              std::vector<Numbers>{{5, 1, 1}, {-1, far_away, 0}, {far_away, 1, 0}, {0, 1, 5}},
                              std::vector<Numbers>{{0, 3, 4}, {2, far_away, 1}, {1, 3, 4}, {5, 3, 3}},
                              std::vector<Numbers>{{-1, 1, 7}, {-1, 1, 5}}})
    for (const std::string& text : fit_on_ranks(numbers)) EXPECT_EQ(text, "");
}

TEST(Numbering, RanksThatHaveARowTwiceAllFail) {
  for (const auto& numbers :
       {std::vector<Numbers>{{0, 1, 6}, {3, 1, 6}}, std::vector<Numbers>{{0, 2, 6}, {0, 2, 6}},
        std::vector<Numbers>{{0, 1, 6}, {0, 1, 6}}, std::vector<Numbers>{{2, 1, 4}, {-1, 1, 6}},
        std::vector<Numbers>{{0, 1, 4}, {1, 1, 4}, {7, 1, 4}}, std::vector<Numbers>{{2, 1, 3}, {5, 1, 3}, {5, 1, 2}}})
    for (const std::string& text : fit_on_ranks(numbers))
      EXPECT_NE(text.find("give some row numbers twice and others not at all, expected each of 0 .. "),
                std::string::npos)
          << text;
}

TEST(Numbering, ARankWithNumbersBeyondTheRowsEndsAll) {
  const auto texts = fit_on_ranks({{0, 1, 6}, {7, 1, 6}});
  EXPECT_EQ(texts[0], "another rank failed");
  EXPECT_NE(texts[1].find("numbers its 6 rows from 7 on in steps of 1, expected numbers within 0 .. 11"),
            std::string::npos)
      << texts[1];
}

TEST(PowerSums, AreThoseOfALoop) {
  for (const Index first : {Index{0}, Index{5}, far_away})
    for (const Index step : {Index{1}, Index{3}, far_away - 1})
      for (Index count = 0; count < 70; ++count) {
        std::array<std::uint64_t, 2> sums{};
        for (Index i = 0; i < count; ++i) {
          const std::uint64_t number =
              static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(i);
          sums[0] += number;
          sums[1] += number * number;
        }
        ASSERT_EQ(detail::power_sums(first, step, count), sums);
      }
  // A split of 2^62 numbers changes nothing.
  const auto all = detail::power_sums(0, 1, far_away), low = detail::power_sums(0, 1, far_away / 3),
             high = detail::power_sums(far_away / 3, 1, far_away - far_away / 3);
  for (std::size_t p = 0; p < 2; ++p) EXPECT_EQ(all[p], low[p] + high[p]);
}

}  // namespace
}  // namespace lloyd::test
