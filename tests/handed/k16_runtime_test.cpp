// SPDX-License-Identifier: MIT
// K16. fork, exceptions inside parallel regions, bad parameters, many threads, concurrent use. (What fails to allocate
// is tests/memory/allocation_test.cpp; use before fit cannot be written, as the object holds options only.)
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>

#include "handed/suite.hpp"

namespace lloyd::test {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool forks = false;  // ThreadSanitizer does not follow a fork of a process with threads
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool forks = false;
#else
constexpr bool forks = true;
#endif
#else
constexpr bool forks = true;
#endif

/// How a child that runs `work` ends: 0 when it returns, a signal's number + 1000 when killed, after `seconds` by
/// SIGALRM.
template <class Work>
[[nodiscard]] int run_in_child(const Work& work, unsigned seconds) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(seconds);
    try {
      _exit(work() ? 0 : 1);
    } catch (...) {
      _exit(2);
    }
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

// OpenMP's threads do not live on in the child; a fit there must neither wait for them nor change its answer.
TYPED_TEST(Handed, H16_1_fork_after_use) {
  using T = typename TypeParam::Scalar;
  if (!forks) GTEST_SKIP() << "ThreadSanitizer does not follow a fork";
  const Input<T> input{blobs<T>(5000, 4, 5, 1)};
  const auto kmeans = kmeans_of<TypeParam>({.n_clusters = 5}, 4);
  const auto expected = outcome_of(fit_input(kmeans, input));
  const auto fit_again = [&] { return difference(expected, outcome_of(fit_input(kmeans, input))).empty(); };
  EXPECT_EQ(run_in_child(fit_again, 30), 0);
  EXPECT_TRUE(fit_again());  // the parent goes on
}

#ifdef _OPENMP
/// Labels of rows that are worth several threads, from a process that lloyd has not run in yet.
[[nodiscard]] bool predicts_rightly() {
  const auto x = generate<float>(200000, 2, [](Index i, Index q) { return static_cast<double>((i + q) % 2); });
  const auto c = rows_of<float>({{0, 1}, {1, 0}});
  const auto labels = KMeans<Cpu>(Options{.n_clusters = 2}, Cpu{.n_threads = 4}).predict(c, x);
  return labels.size() == 200000U && labels[0] == 0 && labels[1] == 1 && labels[199999] == 1;
}

// Threads of the caller's own regions are lost in the child as well. A process without any keeps its own.
TEST(HandedDeathTest, H16_1_fork_after_threads_elsewhere) {
  if (!forks) GTEST_SKIP() << "ThreadSanitizer does not follow a fork";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the statement runs in a fresh process
  const auto after_threads = [] {
    std::atomic<int> threads = 0;
#pragma omp parallel num_threads(4)
    ++threads;
    const int child = run_in_child([] { return cpu::forked_from_threads() && predicts_rightly(); }, 30);
    _exit(threads > 1 && child == 0 && !cpu::forked_from_threads() ? 0 : 1);
  };
  const auto before_threads = [] {
    _exit(run_in_child([] { return !cpu::forked_from_threads() && predicts_rightly(); }, 30));
  };
  EXPECT_EXIT(after_threads(), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(before_threads(), testing::ExitedWithCode(0), "");
}

// A handful of rows starts no thread, however many are allowed.
TEST(HandedDeathTest, H16_2_a_tiny_fit_starts_no_thread) {
  if (!forks) GTEST_SKIP() << "ThreadSanitizer has a thread of its own";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fit_tiny_tables = [] {
    bool right = true;
    for (const Index k : {2, 3, 6})
      for (const Init init : every_init) {
        const auto x = column_of<float>({0, 1, 2, 30, 31, 32});
        const Options options{.n_clusters = k, .init = init};
        const auto one = KMeans<Cpu>(options, Cpu{.n_threads = 1}).fit(x);
        right = right && KMeans<Cpu>(options, Cpu{.n_threads = 100000}).fit(x).labels == one.labels;
      }
    // Linux shows threads as folders.
    const auto threads = std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
    _exit(right && threads == 1 ? 0 : 1);
  };
  EXPECT_EXIT(fit_tiny_tables(), testing::ExitedWithCode(0), "");
}
#endif

TYPED_TEST(Handed, H16_2_more_threads_than_work) {
  using T = typename TypeParam::Scalar;
  const Input<T> input{blobs<T>(6, 2, 2, 3)};
  const Options options{.n_clusters = 2, .seed = 1};
  const auto expected = outcome_of(checked_fit<TypeParam>(options, input));
  for (const int threads : {7, 64})
    EXPECT_EQ(difference(expected, outcome_of(fit_input(kmeans_of<TypeParam>(options, threads), input))), "");
  const auto kmeans = kmeans_of<TypeParam>(options, 1);
  const auto start = std::chrono::steady_clock::now();
  Index right = 0;
  for (int fit = 0; fit < 10000; ++fit)
    right += difference(expected, outcome_of(fit_input(kmeans, input))).empty() ? 1 : 0;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(right, 10000);
  // Well under 1 ms, which is for benchmarks to judge: bench/task_mix measures such fits, this machine may be busy.
  this->RecordProperty("microseconds_a_fit", std::to_string(seconds * 100));
}

// Whatever is thrown where rows come from reaches the caller, at whichever tile of whichever pass it happens.
TYPED_TEST(Handed, H16_4_a_source_that_throws) {
  using T = typename TypeParam::Scalar;
  const Input<T> input{blobs<T>(60, 3, 4, 9)};
  const auto kmeans = kmeans_of<TypeParam>({.n_clusters = 4}, 3);
  const auto expected = outcome_of(fit_input(kmeans, input));
  Index tiles = 0;
  const TiledSource<T> counting(input.x, {}, {25}, [&](Index) { ++tiles; });
  EXPECT_EQ(difference(expected, outcome_of(fit_source(kmeans, Input<T>{}, counting))), "");
  ASSERT_GT(tiles, 10);
  for (Index last = 0; last < tiles; ++last) {
    const TiledSource<T> failing(input.x, {}, {25}, [&](Index tile) {
      if (tile == last) throw std::runtime_error("no more rows");
    });
    EXPECT_THROW((void)fit_source(kmeans, Input<T>{}, failing), std::runtime_error) << "tile " << last;
  }
  EXPECT_EQ(difference(expected, outcome_of(fit_input(kmeans, input))), "");
}

TYPED_TEST(Handed, H16_4_a_callback_that_throws) {
  using T = typename TypeParam::Scalar;
  const Input<T> input{blobs<T>(60, 3, 4, 9)};
  for (const Init init : every_init) {
    Options options{.n_clusters = 4, .n_init = 2, .init = init};
    Index calls = 0, last = -1;
    options.callback = [&](const Iteration&) {
      if (calls++ == last) throw std::logic_error("enough");
      return true;
    };
    const auto kmeans = kmeans_of<TypeParam>(options, 3);
    const auto expected = outcome_of(fit_input(kmeans, input));
    const Index all = calls;
    for (last = 0; last < all; ++last) {
      calls = 0;
      EXPECT_THROW((void)fit_input(kmeans, input), std::logic_error) << "call " << last;
    }
    calls = 0;
    EXPECT_EQ(difference(expected, outcome_of(fit_input(kmeans, input))), "");
    EXPECT_EQ(calls, all);
  }
}

/// A backend whose primitives fail, each at its n-th call.
template <class B>
struct Failing : B {
  Index* calls_left = nullptr;

  void spend() const {
    if (calls_left != nullptr && --*calls_left < 0) throw std::bad_alloc();
  }
  template <class T>
  void assign_accumulate(const Tile<T>& tile, const typename B::template Prepared<T>& prepared,
                         const detail::RowState& rows, const detail::Quanta& quanta, const detail::SumsView& sums,
                         detail::ExactSum* scatter, detail::ExactSum* inertia) const {
    spend();
    B::assign_accumulate(tile, prepared, rows, quanta, sums, scatter, inertia);
  }
  template <class T>
  double lower(const Tile<T>& tile, const typename B::template Prepared<T>& prepared, MatrixView<const T> seeds,
               Label first, std::span<double> d2, std::span<Label> labels, detail::ExactSum* phi) const {
    spend();
    return B::lower(tile, prepared, seeds, first, d2, labels, phi);
  }
  template <class T>
  void divide(const detail::SumsView& sums, const detail::Quanta& quanta, MatrixView<const T> c,
              MatrixView<T> next) const {
    spend();
    B::divide(sums, quanta, c, next);
  }
};

TYPED_TEST(Handed, H16_4_a_backend_that_throws) {
  using T = typename TypeParam::Scalar;
  const auto x = blobs<T>(60, 3, 4, 9);
  Index calls_left = std::numeric_limits<Index>::max();
  Failing<typename TypeParam::Backend> failing;
  failing.calls_left = &calls_left;
  const KMeans<Failing<typename TypeParam::Backend>> kmeans({.n_clusters = 4}, failing);
  const auto expected = outcome_of(kmeans.fit(x));
  const Index all = std::numeric_limits<Index>::max() - calls_left;
  ASSERT_GT(all, 4);
  for (Index last = 0; last < all; ++last) {
    calls_left = last;
    EXPECT_THROW((void)kmeans.fit(x), std::bad_alloc) << "call " << last;
  }
  calls_left = all;
  EXPECT_EQ(difference(expected, outcome_of(kmeans.fit(x))), "");
}

TYPED_TEST(Handed, H16_4_one_object_used_by_several_threads) {
  using T = typename TypeParam::Scalar;
  const Input<T> input{blobs<T>(300, 3, 4, 9)};
  const auto kmeans = kmeans_of<TypeParam>({.n_clusters = 4}, 2);
  const auto expected = outcome_of(fit_input(kmeans, input));
  std::vector<std::string> differences(4, "not run");
  std::vector<std::thread> threads;
  for (auto& text : differences)
    threads.emplace_back([&] { text = difference(expected, outcome_of(fit_input(kmeans, input))); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(differences, std::vector<std::string>(4, ""));
}

TYPED_TEST(Handed, H16_5_parameter_checks) {
  using B = typename TypeParam::Backend;
  const auto refused = [](const Options& options, const std::string& words) {
    const auto message = refusal_of([&] { (void)KMeans<B>(options); });
    EXPECT_NE(message.find("lloyd::KMeans: " + words), std::string::npos) << message;
  };
  refused({.n_clusters = 0}, "n_clusters 0 < 1");
  refused({.n_clusters = -1}, "n_clusters -1 < 1");
  refused({.n_clusters = Index{1} << 31}, "n_clusters 2147483648 > 2^31 - 1");
  refused({.n_init = 0}, "n_init 0 < 1");
  refused({.max_iter = -1}, "max_iter -1 < 0");
  refused({.tol = -1}, "tol -1");
  refused({.tol = std::nan("")}, "tol ");
  refused({.tol = std::numeric_limits<double>::infinity()}, "tol inf");
  refused({.init = static_cast<Init>(9)}, "unknown init 9");
  refused({.init_size = -5}, "init_size -5 < 0");
  refused({.n_clusters = 8, .init_size = 7}, "init_size 7 < n_clusters 8");
  refused({.n_local_trials = -1}, "n_local_trials -1 < 0");
  refused({.init_rounds = -1}, "init_rounds -1 < 0");
  refused({.oversampling_factor = 0}, "oversampling_factor 0");
  refused({.oversampling_factor = std::nan("")}, "oversampling_factor ");
  refused({.empty_clusters = static_cast<EmptyClusters>(7)}, "unknown empty_clusters 7");
  refused({.update = static_cast<CentroidUpdate>(7)}, "unknown update 7");
  refused({.assignment = static_cast<Assignment>(7)}, "unknown assignment 7");
  refused({.memory_budget = 0}, "memory_budget 0");
  refused({.batch_rows = -1}, "batch_rows -1 < 0");
  refused({.batch_centroids = -1}, "batch_centroids -1 < 0");
}

// 0 threads take OpenMP's default; fewer are refused.
TEST(HandedOnce, H16_5_threads) {
  const auto message = refusal_of([] { (void)KMeans<Cpu>({}, backend<Cpu>(-1)); });
  EXPECT_NE(message.find("n_threads -1"), std::string::npos) << message;
  EXPECT_GE(backend<Cpu>(0).workers(), 1);
  EXPECT_EQ(fit_input(KMeans<Cpu>({.n_clusters = 2}, backend<Cpu>(0)), Input<float>{blobs<float>(9, 2, 2, 1)}).n_empty,
            0);
}

}  // namespace
}  // namespace lloyd::test
