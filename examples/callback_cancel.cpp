// SPDX-License-Identifier: MIT
// Watching a fit, and stopping it: what comes back is consistent wherever it stops.
#include <iostream>
#include <lloyd/lloyd.hpp>
#include <vector>

int main() {
  std::vector<float> values;
  for (int i = 0; i < 20000; ++i) values.push_back(static_cast<float>((i * 7919) % 10007) / 100);
  const lloyd::MatrixView points(values, 10000, 2);

  lloyd::Options options{.n_clusters = 40, .tol = 0};
  options.callback = [](const lloyd::Iteration& it) {
    switch (it.phase) {
      case lloyd::Iteration::Phase::survey:
        std::cout << "looked at every row\n";
        break;
      case lloyd::Iteration::Phase::seeding:
        if (it.done % 10 == 0) std::cout << "seeding, " << it.done << " of " << it.total << '\n';
        break;
      case lloyd::Iteration::Phase::lloyd:
        std::cout << "iteration " << it.number << ": " << it.n_changed << " rows moved\n";
        return it.number < 5 && it.seconds < 60;  // false stops
      case lloyd::Iteration::Phase::finish:
        std::cout << "done, inertia " << it.inertia << '\n';
    }
    return true;
  };
  const lloyd::KMeans kmeans(options);
  const auto result = kmeans.fit(points);

  const bool consistent = kmeans.predict(result.centroids, points) == result.labels;
  std::cout << (result.stop_reason == lloyd::StopReason::cancelled ? "cancelled" : "not cancelled") << " after "
            << result.n_iter << " iterations, " << (consistent ? "consistent\n" : "broken\n");
  return consistent && result.stop_reason == lloyd::StopReason::cancelled ? 0 : 1;
}
