// SPDX-License-Identifier: MIT
// The task mix on a GPU: whole fits of rows that lie there, from given rows and with seeding, and both updates.
//   lloyd-gpu-mix [scale of the tasks' rows, 1] [repetitions, 5]
// Prints a line of JSON for each; the first call is apart ("cold"), the others give the median and the least.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "lloyd/cuda.cuh"
#include "support/record.hpp"
#include "support/tasks.hpp"

namespace bench {
namespace {

using lloyd::Cuda;
using lloyd::KMeans;

/// Updates are compared where one-hot's products are not absurd.
constexpr Index most_clusters_for_one_hot = 1000;

[[nodiscard]] std::string device_name() {
  cudaDeviceProp properties{};
  LLOYD_CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
  return properties.name;
}

/// Seconds of each call, in order.
template <class Call>
[[nodiscard]] std::vector<double> timed(int repetitions, const Call& call) {
  std::vector<double> seconds;
  for (int i = 0; i <= repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return seconds;
}

/// A way to cluster a task's rows.
struct Way {
  const char* name;
  bool seeded;
  lloyd::CentroidUpdate update = lloyd::CentroidUpdate::automatic;
};
constexpr Way ways[] = {{"rows", false},
                        {"greedy", true},
                        {"update:scatter-add", false, lloyd::CentroidUpdate::scatter_add},
                        {"update:one-hot", false, lloyd::CentroidUpdate::one_hot}};

void run(const Task& task, int repetitions, const std::string& device) {
  const Rows rows(task.recipe, task.n, task.d, lloyd::cpu::threads_of(0));
  const auto starts = gather(rows.view(), start_rows(task.n, task.k, 0));
  const auto there = lloyd::detail::placed(Cuda().open(), rows.view());
  for (const Way& way : ways) {
    if (way.seeded && !task.seeded) continue;
    if (way.update == lloyd::CentroidUpdate::one_hot && task.k > most_clusters_for_one_hot) continue;
    const KMeans<Cuda> kmeans({.n_clusters = task.k, .max_iter = task.iterations, .tol = 0, .update = way.update});
    lloyd::Clustering<float, Cuda> result;
    auto seconds =
        timed(repetitions, [&] { result = way.seeded ? kmeans.fit(there) : kmeans.fit_from(starts, there); });
    Record record;
    record.add("device", device).add("task", task.name).add("way", way.name);
    record.add("n", task.n).add("d", task.d).add("k", task.k).add("n_iter", result.n_iter);
    record.add("cold_s", seconds.front());
    std::sort(seconds.begin() + 1, seconds.end());
    record.add("median_s", seconds[1 + (seconds.size() - 1) / 2]).add("least_s", seconds[1]);
    record.add("inertia", result.inertia).add("rechecked", result.n_rechecked);
    std::fputs(record.line().c_str(), stdout);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
  try {
    const double scale = count > 1 ? std::atof(words[1]) : 1;
    const int repetitions = count > 2 ? std::max(1, std::atoi(words[2])) : 5;
    for (const bench::Task& task : bench::all_tasks())
      bench::run(bench::scaled(task, scale), repetitions, bench::device_name());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lloyd-gpu-mix: %s\n", error.what());
    return 1;
  }
}
