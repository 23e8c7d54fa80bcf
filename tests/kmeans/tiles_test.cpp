// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/tiles.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/problem.hpp"
#include "support/refusal.hpp"
#include "support/thread_ranks.hpp"

namespace lloyd::test {
namespace {

/// 100 rows of 2 columns in tiles of 30, which `change(pass, tile)` makes others.
class ChangingSource {
 public:
  using Scalar = float;
  using Change = std::function<void(Index, Tile<float>&)>;

  explicit ChangingSource(Change change, bool weighted = false) : change_(std::move(change)), weighted_(weighted) {}

  [[nodiscard]] Index rows() const { return 100; }
  [[nodiscard]] Index cols() const { return 2; }
  [[nodiscard]] bool weighted() const { return weighted_; }
  [[nodiscard]] Index first() const { return -1; }
  [[nodiscard]] Index step() const { return 1; }
  template <class Use>
  void for_each_tile(const Use& use) const {
    const std::vector<double> ones(100, 1.0);
    for (Index begin = 0; begin < rows(); begin += 30) {
      const Index count = (std::min)(Index{30}, rows() - begin);
      Tile<float> tile{x_.view().slice(begin, count), weighted_ ? weights(ones).slice(begin, count) : Weights<>(),
                       begin, 0, 1};
      change_(pass_, tile);
      use(std::as_const(tile));
    }
    ++pass_;
  }
  void gather(std::span<const Index> rows, MatrixView<float> out) const {
    InMemory<float>(x_.view()).gather(rows, out);
  }

  /// A view of more rows and columns than are announced.
  [[nodiscard]] static MatrixView<const float> wide(Index rows, Index cols) {
    static const auto x = normal_rows<float>(200, 5, 2);
    return {x.data(), rows, cols, 5};
  }

 private:
  Matrix<float> x_ = blobs<float>(100, 2, 3, 1);
  Change change_;
  bool weighted_;
  mutable Index pass_ = 0;
};

/// Changes the last tile of 10 rows, from a pass on.
[[nodiscard]] ChangingSource::Change last_tile(Index from, const std::function<void(Tile<float>&)>& change) {
  return [=](Index pass, Tile<float>& tile) {
    if (pass >= from && tile.offset == 90) change(tile);
  };
}

void fewer(Tile<float>& tile) { tile.x = tile.x.slice(0, 3); }
void none(Tile<float>& tile) { tile.x = {}; }
void more(Tile<float>& tile) { tile.x = ChangingSource::wide(11, 2); }
void wider(Tile<float>& tile) { tile.x = ChangingSource::wide(10, 3); }
void elsewhere(Tile<float>& tile) { tile.offset = 1000000; }
void back(Tile<float>& tile) { tile.offset = -1; }

struct Case {
  void (*change)(Tile<float>&);
  std::string text;
};
const std::vector<Case> cases = {{fewer, ": the source gave 93 rows, expected 100"},
                                 {none, ": the source gave 90 rows, expected 100"},
                                 {more, ": the source gave 101 rows or more, expected 100"},
                                 {wider, ": the source gave rows of 3 columns, expected 2"},
                                 {elsewhere, ": the source gave a tile at row 1000000, expected row 90"},
                                 {back, ": the source gave a tile at row -1, expected row 90"}};

TEST(Tiles, OthersThanAnnouncedAreRefusedInEveryPassOfAFit) {
  for (const Init init : {Init::kmeans_plus_plus, Init::scalable_kmeans_plus_plus, Init::random}) {
    const KMeans<Reference> kmeans({.n_clusters = 4, .max_iter = 2, .tol = 0, .seed = 1, .init = init});
    Index passes = 0;
    (void)kmeans.fit(ChangingSource([&](Index pass, Tile<float>& /*tile*/) { passes = pass + 1; }));
    EXPECT_GE(passes, 5);
    for (Index pass = 0; pass < passes; ++pass)
      for (const Case& one : cases) {
        SCOPED_TRACE(testing::Message() << "init " << static_cast<int>(init) << ", pass " << pass);
        EXPECT_EQ(refusal_of([&] { (void)kmeans.fit(ChangingSource(last_tile(pass, one.change))); }),
                  "lloyd::KMeans::fit" + one.text);
      }
  }
}

TEST(Tiles, OthersThanAnnouncedAreRefusedOfGivenCentroids) {
  const auto c = blobs<float>(3, 2, 1, 7);
  const KMeans<Reference> kmeans({.n_clusters = 3});
  for (const Index pass : {0, 1})
    for (const Case& one : cases) {
      const ChangingSource::Change change = last_tile(pass, one.change);
      EXPECT_EQ(refusal_of([&] { (void)kmeans.fit_from(c, ChangingSource(change)); }),
                "lloyd::KMeans::fit_from" + one.text);
      EXPECT_EQ(refusal_of([&] { (void)kmeans.assign(c, ChangingSource(change)); }),
                "lloyd::KMeans::assign" + one.text);
      EXPECT_EQ(refusal_of([&] { (void)kmeans.predict(c, ChangingSource(change)); }),
                "lloyd::KMeans::predict" + one.text);
      EXPECT_EQ(refusal_of([&] { (void)kmeans.transform(c, ChangingSource(change)); }),
                "lloyd::KMeans::transform" + one.text);
      EXPECT_EQ(refusal_of([&] { (void)kmeans.score(c, ChangingSource(change)); }), "lloyd::KMeans::score" + one.text);
    }
}

TEST(Tiles, WeightsAreAsManyAsRowsOrNone) {
  const KMeans<Reference> kmeans({.n_clusters = 3});
  const std::vector<double> w(100, 2.0);
  const auto refusal = [&](bool weighted, Index count) {
    const auto change = last_tile(1, [&](Tile<float>& tile) { tile.w = weights(w).slice(0, count); });
    return refusal_of([&] { (void)kmeans.fit(ChangingSource(change, weighted)); });
  };
  EXPECT_EQ(refusal(true, 9), "lloyd::KMeans::fit: the source gave 9 weights with 10 rows, expected 10");
  EXPECT_EQ(refusal(true, 0), "lloyd::KMeans::fit: the source gave 0 weights with 10 rows, expected 10");
  EXPECT_EQ(refusal(false, 10), "lloyd::KMeans::fit: the source gave 10 weights with 10 rows, expected 0");
}

TEST(Tiles, EmptyOnesArePassedOver) {
  const auto x = blobs<float>(20, 2, 3, 1);
  detail::Announced announced{20, 2, false};
  struct Source {
    MatrixView<const float> x;
    void for_each_tile(const std::function<void(const Tile<float>&)>& use) const {
      use(Tile<float>{});
      use(Tile<float>{x, {}, 0, 0, 1});
      use(Tile<float>{{}, {}, 7, 0, 1});
    }
  };
  Index rows = 0;
  detail::for_each_tile(Source{x.view()}, announced, "test", [&](const Tile<float>& tile) { rows += tile.x.rows(); });
  EXPECT_EQ(rows, 20);
}

TEST(Tiles, OthersThanAnnouncedOnOneRankEndAll) {
  for (const Index pass : {0, 3})
    for (const Case& one : cases) {
      const auto errors = on_ranks(2, [&](const ThreadRank& ranks) {
        const Index from = ranks.rank() == 1 ? pass : Index{1000};
        (void)KMeans<Reference, ThreadRank>({.n_clusters = 3}, {}, ranks)
            .fit(ChangingSource(last_tile(from, one.change)));
      });
      EXPECT_EQ(text_of(errors[0]), "another rank failed");
      EXPECT_EQ(text_of(errors[1]), "lloyd::KMeans::fit" + one.text);
    }
}

}  // namespace
}  // namespace lloyd::test
