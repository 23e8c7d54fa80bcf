// SPDX-License-Identifier: MIT
// K7. Labels of an older iteration, inertia against old centres, squared distances called distances, best-run
// bookkeeping mixed up, ids out of range.
#include "handed/suite.hpp"

namespace lloyd::test {
namespace {

// From 0 and 1 only row 0 goes to the first; the other five have mean 36 / 5 = 7.2. Then 0, 1, 2 are nearer to 0:
// 0 + 1 + 4 + 6.2... the inertia against 0 and 7.2 is 5 + 1.8^2 + 2.8^2 + 6.8^2 = 62.32.
TYPED_TEST(Handed, H7_1_stopped_early_everything_refers_to_the_returned_centres) {
  using T = typename TypeParam::Scalar;
  const Input<T> input{column_of<T>({0, 1, 2, 9, 10, 14}), {}, column_of<T>({0, 1})};
  const auto one = checked_fit<TypeParam>({.n_clusters = 2, .max_iter = 1}, input);
  EXPECT_EQ(one.centroids, column_of<T>({0, 7.2}));
  EXPECT_EQ(one.labels, (std::vector<Label>{0, 0, 0, 1, 1, 1}));
  expect_close(one.inertia, 62.32, 1e-6);
  EXPECT_EQ(one.stop_reason, StopReason::max_iter);
  const auto all = checked_fit<TypeParam>({.n_clusters = 2}, input);
  EXPECT_EQ(all.centroids, column_of<T>({1, 11}));
  EXPECT_EQ(all.inertia, 16.0);
  // Every exit path of other data: after 0, 1, 2, ... iterations, by tol, by the callback.
  const auto x = blobs<T>(150, 5, 9, 77);
  for (Index max_iter = 0; max_iter < 12; ++max_iter)
    for (const double tol : {0.0, 1e-2})
      (void)checked_fit<TypeParam>({.n_clusters = 12, .max_iter = max_iter, .tol = tol}, {x, {}, head(x, 12)});
  Options options{.n_clusters = 12, .seed = 3};
  options.callback = [](const Iteration& at) { return at.number != 3; };
  const auto cancelled = fit_input(kmeans_of<TypeParam>(options), Input<T>{x});
  expect_right<TypeParam>(options, Input<T>{x}, cancelled);
  EXPECT_EQ(cancelled.stop_reason, StopReason::cancelled);
  EXPECT_EQ(cancelled.n_iter, 3);
}

TYPED_TEST(Handed, H7_2_distance_or_squared_distance) {
  using T = typename TypeParam::Scalar;
  const auto c = rows_of<T>({{0, 0}, {20, 2}}), y = rows_of<T>({{3, 4}});
  const auto kmeans = kmeans_of<TypeParam>({.n_clusters = 2});
  const auto table = kmeans.transform(c, y);
  EXPECT_EQ(table(0, 0), 5.0);
  EXPECT_NEAR(table(0, 1), 17.1172428, 1e-7);
  EXPECT_EQ(kmeans.assign(c, y).distances, std::vector<double>{25.0});  // documented as squared
  EXPECT_EQ(kmeans.score(c, y), -25.0);
}

// With centres for (9, 2) and for 40 x (2, 2) with (2, 5): the latter's mean is 2 + 3 / 41 in the second column, and
// the inertia 9 * 40 / 41 = 8.7804878.
TYPED_TEST(Handed, H7_3_best_of_several_starts) {
  using T = typename TypeParam::Scalar;
  auto x = generate<T>(42, 2, [](Index, Index) { return 2; });
  x(40, 0) = 9;
  x(41, 1) = 5;
  for (const Init init : every_init) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Options options{.n_clusters = 2, .n_init = 20, .seed = seed, .init = init};
      const auto best = checked_fit<TypeParam>(options, {x});
      expect_close(best.inertia, 8.7804878, 1e-6);
      const auto sorted = sorted_centroids(best.centroids);
      EXPECT_NEAR(sorted[0][1], 2.0731707, 1e-6);
      EXPECT_EQ(sorted[1], (std::vector<double>{9, 2}));
    }
  }
}

/// Runs of one start each, by the number of the start: Options::n_init makes the same ones.
TYPED_TEST(Handed, H7_3_every_output_is_the_best_run_s) {
  using T = typename TypeParam::Scalar;
  const auto x = blobs<T>(200, 3, 12, 4);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Options options{.n_clusters = 10, .n_init = 6, .max_iter = 4, .seed = seed, .init = Init::random};
    const auto best = checked_fit<TypeParam>(options, {x});
    // The first runs of n_init 1, 2, ... are the same, so the best of them can only improve, and the outputs must be
    // those of the run that the count at which the inertia last fell has added.
    Outcome<T> last;
    last.inertia = std::numeric_limits<double>::infinity();
    for (options.n_init = 1; options.n_init <= 6; ++options.n_init) {
      const auto run = fit_input(kmeans_of<TypeParam>(options), Input<T>{x});
      EXPECT_LE(run.inertia, last.inertia);
      if (run.inertia == last.inertia) {
        EXPECT_EQ(difference(last, outcome_of(run)), "");
      }
      last = outcome_of(run);
    }
    EXPECT_EQ(difference(last, outcome_of(best)), "");
  }
}

TYPED_TEST(Handed, H7_4_inertia_never_silently_zero) {
  using T = typename TypeParam::Scalar;
  const auto x = rows_of<T>({{0, 0}, {0, 2}, {10, 0}, {10, 2}}), c = rows_of<T>({{0, 0}, {10, 0}});
  for (const bool weighted : {false, true}) {
    const Input<T> input{x, std::vector<double>(weighted ? 4 : 0, 1), c};
    EXPECT_EQ(checked_fit<TypeParam>({.n_clusters = 2}, input).inertia, 4.0);
    for (const Index tile : {1, 2, 3, 4, 1000})
      EXPECT_EQ(fit_source(kmeans_of<TypeParam>({.n_clusters = 2}), input, TiledSource<T>(x, input.w, {tile})).inertia,
                4.0);
    Options options{.n_clusters = 2};
    options.labels = false;
    const auto unlabelled = fit_input(kmeans_of<TypeParam>(options), input);
    EXPECT_EQ(unlabelled.inertia, 4.0);
    EXPECT_TRUE(unlabelled.labels.empty());
  }
}

// All rows lie in 1 .. 2, centre j in -1 - j: the first is nearest; with the order reversed the last is.
TYPED_TEST(Handed, H7_5_ids_stay_inside_when_k_does_not_fill_a_tile) {
  using T = typename TypeParam::Scalar;
  const auto x = uniform_rows<T>(500, 8, 2, 1, 2);
  for (const Index k : {1, 2, 3, 4, 5, 7, 8, 15, 31, 33, 127, 129, 513}) {
    const auto c = generate<T>(k, 8, [](Index j, Index) { return -1 - j; });
    const auto reversed = generate<T>(k, 8, [&](Index j, Index) { return j - k; });
    for (const auto assignment : {Assignment::automatic, Assignment::fused, Assignment::gram}) {
      for (const Index batch_centroids : {0, 1, 6, 32}) {
        Options options{.n_clusters = k};
        options.assignment = assignment;
        options.batch_centroids = batch_centroids;
        EXPECT_EQ(predict(kmeans_of<TypeParam>(options), c, x), std::vector<Label>(500, 0)) << "k " << k;
        EXPECT_EQ(predict(kmeans_of<TypeParam>(options), reversed, x),
                  std::vector<Label>(500, static_cast<Label>(k - 1)));
      }
    }
  }
}

// (c): 0, 52 / 7 -> 0 .. 3 | 10 .. 13 -> no change: three iterations.
TYPED_TEST(Handed, H7_6_n_iter_and_the_converged_flag) {
  using T = typename TypeParam::Scalar;
  const auto x = column_of<T>({0, 1, 2, 3, 10, 11, 12, 13});
  const auto near_ends = checked_fit<TypeParam>({.n_clusters = 2}, {x, {}, column_of<T>({0, 10})});
  EXPECT_EQ(near_ends.centroids, column_of<T>({1.5, 11.5}));
  EXPECT_EQ(near_ends.inertia, 10);
  EXPECT_LE(near_ends.n_iter, 2);
  EXPECT_EQ(near_ends.stop_reason, StopReason::converged);
  const auto once = checked_fit<TypeParam>({.n_clusters = 2, .max_iter = 1}, {x, {}, column_of<T>({0, 1})});
  EXPECT_EQ(once.n_iter, 1);
  EXPECT_EQ(once.stop_reason, StopReason::max_iter);
  EXPECT_EQ(once.centroids, column_of<T>({0, 52.0 / 7}));
  expect_close(once.inertia, 85.3061224, 1e-6);
  const auto all = checked_fit<TypeParam>({.n_clusters = 2}, {x, {}, column_of<T>({0, 1})});
  EXPECT_EQ(all.inertia, 10);
  EXPECT_GE(all.n_iter, 2);
  EXPECT_LE(all.n_iter, 4);
  EXPECT_EQ(all.stop_reason, StopReason::converged);
  const auto none = checked_fit<TypeParam>({.n_clusters = 2, .max_iter = 0}, {x, {}, column_of<T>({0, 1})});
  EXPECT_EQ(none.n_iter, 0);
  EXPECT_EQ(none.centroids, column_of<T>({0, 1}));
}

}  // namespace
}  // namespace lloyd::test
