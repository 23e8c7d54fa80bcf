// SPDX-License-Identifier: MIT
// lloyd as one of the engines that bench/run.py --peers compares: the same files in, the same lines out.
//   lloyd-peer --data=X.npy [--starts=C.npy | --seed=S --k=K] --iterations=12 [--shift=0] [--save=PREFIX]
//              [--threads=0] [--engine=cpu] [--reps=5] [--budget=10] [--limit=0] [--raw=FILE]
#include <iostream>
#include <optional>
#include <string>

#include "lloyd/npy.hpp"
#include "support/generator.hpp"
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

/// The rows of a file, moved by `shift`.
lloyd::Matrix<float> read_moved(const std::string& path, float shift) {
  auto x = lloyd::read_npy<float>(path);
  for (Index i = 0; shift != 0 && i < x.rows(); ++i)
    for (Index q = 0; q < x.cols(); ++q) x(i, q) += shift;
  return x;
}

int run(int argc, char** argv) {
  Arguments all = take_arguments(argc, argv);
  const Rows x(read_moved(all.data, all.shift));
  std::optional<lloyd::Matrix<float>> starts;
  if (!all.starts.empty()) starts = read_moved(all.starts, all.shift);
  if (starts) all.options.n_clusters = starts->rows();

  const Engine engine = find_engine(all.settings.engine);
  Journal journal(all.settings.raw);
  Watchdog watchdog(all.settings.limit, journal);
  const Fit fit{x.view(), all.options, starts ? &*starts : nullptr};
  lloyd::Clustering<float> found;
  const Way way{describe(all.settings, engine), [&] {
                  return with_engine(engine, all.settings.threads,
                                     [&](const auto& backend) { return whole_fit(fit, backend, &found); });
                }};
  (void)measure({way}, all.settings, journal, watchdog);
  if (all.save.empty()) return 0;
  lloyd::write_npy(all.save + ".centroids.npy", found.centroids);
  lloyd::write_npy(all.save + ".labels.npy", std::span<const lloyd::Label>(found.labels));
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
