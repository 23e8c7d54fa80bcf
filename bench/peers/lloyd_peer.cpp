// SPDX-License-Identifier: MIT
// lloyd as one of the engines that bench/run.py --peers compares: the same files in, the same lines out.
//   lloyd-peer --data=X.npy [--starts=C.npy | --seed=S --k=K] --iterations=12 [--shift=0] [--save=PREFIX]
//              [--threads=0] [--engine=cpu] [--reps=5] [--budget=10] [--limit=0] [--raw=FILE]
#include <iostream>
#include <optional>
#include <string>

#include "lloyd/npy.hpp"
#include "support/measure.hpp"

namespace bench {
namespace {

struct Arguments {
  Settings settings;
  std::string data, starts, save;
  lloyd::Options options{.tol = 0};
  float shift = 0;
};

Arguments take_arguments(int argc, char** argv) {
  Arguments all;
  all.settings = take_settings(argc, argv);
  for (int i = 1; i < argc; ++i) {
    std::string value;
    if (value_of(argv[i], "data", all.data) || value_of(argv[i], "starts", all.starts)) continue;
    if (value_of(argv[i], "save", all.save)) continue;
    if (value_of(argv[i], "iterations", value)) {
      all.options.max_iter = std::stoll(value);
    } else if (value_of(argv[i], "seed", value)) {
      all.options.seed = std::stoull(value);
    } else if (value_of(argv[i], "k", value)) {
      all.options.n_clusters = std::stoll(value);
    } else if (value_of(argv[i], "shift", value)) {
      all.shift = std::stof(value);
    } else {
      throw std::invalid_argument(std::string("unknown argument ") + argv[i]);
    }
  }
  return all;
}

void move_by(lloyd::Matrix<float>& x, float shift) {
  for (Index i = 0; i < x.rows(); ++i)
    for (Index q = 0; q < x.cols(); ++q) x(i, q) += shift;
}

int run(int argc, char** argv) {
  Arguments all = take_arguments(argc, argv);
  auto x = lloyd::read_npy<float>(all.data);
  std::optional<lloyd::Matrix<float>> starts;
  if (!all.starts.empty()) starts = lloyd::read_npy<float>(all.starts);
  if (starts) all.options.n_clusters = starts->rows();
  if (all.shift != 0) move_by(x, all.shift);
  if (all.shift != 0 && starts) move_by(*starts, all.shift);

  const Engine engine = find_engine(all.settings.engine);
  Journal journal(all.settings.raw);
  Watchdog watchdog(all.settings.limit, journal);
  const Fit fit{x.view(), all.options, starts ? &*starts : nullptr};
  const Way way{describe(all.settings, engine), [&] {
                  return with_engine(engine, all.settings.threads,
                                     [&](const auto& backend) { return whole_fit(fit, backend); });
                }};
  (void)measure({way}, all.settings, journal, watchdog);
  if (all.save.empty()) return 0;
  with_engine(engine, all.settings.threads, [&](const auto& backend) {
    const lloyd::KMeans kmeans(all.options, backend);
    const auto result = starts ? kmeans.fit_from(*starts, x) : kmeans.fit(x);
    lloyd::write_npy(all.save + ".centroids.npy", result.centroids);
    lloyd::write_npy(all.save + ".labels.npy", std::span<const lloyd::Label>(result.labels));
  });
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    return bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "lloyd-peer: " << error.what() << '\n';
    return 1;
  }
}
