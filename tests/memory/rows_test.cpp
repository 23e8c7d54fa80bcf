// SPDX-License-Identifier: MIT
// The memory promise: above the input at most 16 bytes a row, O(k d), and tiles within the budget. Never n x k, never a
// copy of the rows. Peaks are of live bytes by operator new.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "lloyd/lloyd.hpp"
#include "memory/ledger.hpp"
#include "support/data.hpp"
#include "support/tiled_source.hpp"

namespace lloyd::test {
namespace {

/// The most that a fit may take: labels and distances of the rows; centroids (the current, the next, the best, the
/// returned, and shifted ones for the filter in T and in double), sums and their change of `limbs` integers a value;
/// the tiles.
[[nodiscard]] std::int64_t allowed(Index n, Index d, Index k, std::size_t scalar, int limbs, std::size_t budget) {
  const auto value = static_cast<Index>(6 * scalar + 2 * sizeof(double)) + 16 * limbs;
  constexpr Index of_a_cluster = 512, fixed = 1 << 18;
  return 16 * n + k * (d + 8) * value + of_a_cluster * k + static_cast<Index>(budget) + fixed;
}

/// Kilobytes of a line of /proc/self/status; -1 where there is no such file.
[[nodiscard]] std::int64_t status_of(const std::string& name) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.rfind(name + ":", 0) == 0) return std::stoll(line.substr(name.size() + 1));
  return -1;
}

/// The peak of the process' resident bytes above those before, while `work` runs; -1 where it cannot be asked.
template <class Work>
[[nodiscard]] std::int64_t resident_peak_of(const Work& work) {
  std::ofstream("/proc/self/clear_refs") << 5;  // the high-water mark starts again from here
  const std::int64_t before = status_of("VmRSS");
  work();
  const std::int64_t peak = status_of("VmHWM");
  return before < 0 || peak < 0 ? -1 : (peak - before) * 1024;
}

template <Real T>
void expect_bounded(const Matrix<T>& x, const Options& options, int limbs, int threads = 2) {
  const KMeans<Cpu> kmeans(options, {.n_threads = threads});
  const auto most = allowed(x.rows(), x.cols(), options.n_clusters, sizeof(T), limbs, options.memory_budget);
  Clustering<T> result;
  const auto fit = peak_of([&] { result = kmeans.fit(x); });
  EXPECT_LE(fit, most) << "fit";
  std::vector<Label> labels;
  const auto predict = peak_of([&] { labels = kmeans.predict(result.centroids, x); });
  EXPECT_LE(predict, most) << "predict";
  EXPECT_EQ(labels, result.labels);
  std::cout << "n " << x.rows() << ", d " << x.cols() << ", k " << options.n_clusters << ", budget "
            << options.memory_budget << ", threads " << threads << ": fit " << fit << ", predict " << predict
            << ", allowed " << most << " bytes\n";
}

// Promise 5 at d = 2. One limb holds a column of floats between 2^-24 and 1 as 61 - 20 bits: two are needed.
TEST(Memory, Promise_many_rows_of_two_features) {
  const auto x = uniform_rows<float>(1000000, 2, 1);
  Options options{.n_clusters = 2000, .max_iter = 1, .init = Init::random};
  expect_bounded(x, options, 2);
  options.max_iter = 0;
  options.memory_budget = std::size_t{1} << 20;
  expect_bounded(x, options, 2);
}

TEST(Memory, Promise_thousand_features) {
  const auto x = uniform_rows<float>(100000, 1000, 2);
  Options options{.n_clusters = 3, .max_iter = 2};
  expect_bounded(x, options, 2);
  options.memory_budget = std::size_t{1} << 20;
  expect_bounded(x, options, 2);
}

// Rows are packed by whole chunks, by as many threads as there is room for.
TEST(Memory, Promise_many_threads_and_features) {
  const auto x = uniform_rows<float>(3000, 20000, 5);
  for (const int threads : {32, 60}) expect_bounded(x, {.n_clusters = 2, .max_iter = 2}, 2, threads);
  expect_bounded(uniform_rows<double>(1000, 9000, 5), {.n_clusters = 5, .max_iter = 2}, 3, 120);
}

// Products of the one-hot update are taken by panels of clusters.
TEST(Memory, Promise_one_hot) {
  const auto x = uniform_rows<float>(20000, 500, 6);
  for (const int threads : {2, 16})
    expect_bounded(x, {.n_clusters = 2000, .max_iter = 1, .init = Init::random, .update = CentroidUpdate::one_hot}, 2,
                   threads);
}

// Seeding, relocation, several starts and a sample of rows stay within the same bound.
TEST(Memory, Promise_every_way_of_seeding) {
  const auto x = uniform_rows<double>(200000, 2, 3);
  for (const Init init : {Init::kmeans_plus_plus, Init::random}) {
    Options options{.n_clusters = 20, .n_init = 2, .max_iter = 2, .init = init};
    options.memory_budget = std::size_t{1} << 20;
    expect_bounded(x, options, 3);
  }
}

// An n x k matrix would take 12 GB.
TEST(Memory, H11_1_peak_memory_with_many_centres) {
  const auto x = uniform_rows<double>(250000, 2, 9);
  const KMeans<Cpu> kmeans({.n_clusters = 6000, .max_iter = 2, .init = Init::random}, {.n_threads = 2});
  std::int64_t peak = 0;
  const auto resident = resident_peak_of([&] { peak = peak_of([&] { (void)kmeans.fit(x); }); });
  EXPECT_LT(peak, 500000000);
  EXPECT_LT(resident, 500000000);
  EXPECT_LE(peak, allowed(250000, 2, 6000, sizeof(double), 3, Options{}.memory_budget));
}

// An n x k matrix would take 8 GB.
TEST(Memory, H11_2_peak_memory_of_predict_and_fit_predict) {
  const auto x = uniform_rows<float>(1000000, 2, 4);
  const KMeans<Cpu> kmeans({.n_clusters = 2000, .max_iter = 1, .init = Init::random}, {.n_threads = 2});
  Clustering<float> result;
  std::vector<Label> labels;
  std::int64_t peak = 0;
  const auto resident = resident_peak_of([&] {
    peak = peak_of([&] {
      result = kmeans.fit(x);
      labels = kmeans.predict(result.centroids, x);
    });
  });
  EXPECT_LT(peak, 300000000);
  EXPECT_LT(resident, 300000000);
  EXPECT_EQ(labels, result.labels);
  EXPECT_EQ(labels.size(), 1000000U);
}

// Rows 1, 3, 1, 3, ...: the mean is 2, every distance 1. A float that counts stops at 16 777 216.
TEST(Memory, H2_2_more_than_2_to_the_24_rows_in_one_cluster) {
  const Index n = 20000000;
  const auto expect_right = [&](const auto& result) {
    EXPECT_EQ(result.centroids(0, 0), 2.0F);
    EXPECT_EQ(result.inertia, 20000000.0);
    EXPECT_EQ(result.cluster_sizes, std::vector<Index>{n});
    EXPECT_EQ(result.cluster_weights, std::vector<double>{20000000.0});
  };
  const KMeans<Cpu> kmeans({.n_clusters = 1, .max_iter = 2}, {.n_threads = 2});
  const auto x = generate<float>(n, 1, [](Index i, Index) { return i % 2 == 0 ? 1 : 3; });
  const auto peak = peak_of([&] { expect_right(kmeans.fit(x)); });
  EXPECT_LE(peak, allowed(n, 1, 1, sizeof(float), 1, Options{}.memory_budget));
  const GeneratedSource<float> source(n, 1, 1000003,
                                      [](Index i, std::span<float> row) { row[0] = i % 2 == 0 ? 1.0F : 3.0F; });
  expect_right(kmeans.fit(source));
}

// k-means|| with k = 10 000: n times the candidates would be 8 GB and more.
TEST(Memory, H6_5_memory_of_scalable_seeding) {
  const auto x = uniform_rows<float>(100000, 64, 6);
  Options options{.n_clusters = 10000, .max_iter = 0, .init = Init::scalable_kmeans_plus_plus};
  options.init_rounds = 1;
  options.oversampling_factor = 1.1;
  options.n_local_trials = 1;
  std::int64_t peak = 0;
  const auto resident =
      resident_peak_of([&] { peak = peak_of([&] { (void)KMeans<Cpu>(options, {.n_threads = 2}).fit(x); }); });
  EXPECT_LT(peak, std::int64_t{1} << 30);
  EXPECT_LT(resident, std::int64_t{1} << 30);
  std::cout << "peak " << peak << " bytes by operator new, " << resident << " resident\n";
}

}  // namespace
}  // namespace lloyd::test
