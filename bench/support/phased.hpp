// SPDX-License-Identifier: MIT
/// @file
/// A fit with a clock between its phases: what KMeans::fit does, step by step. A callback would see passes only, would
/// make the fit sum what no one else asks for, and could not tell where seeding ends.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "lloyd/lloyd.hpp"
#include "support/meters.hpp"

namespace bench {

using lloyd::Index;

/// What one call gave.
struct Outcome {
  double seconds = 0;                                   ///< what the section times
  std::optional<double> survey, seeding, loop, finish;  ///< seconds, where they were told apart
  double inertia = 0, centroid_shift = 0;               ///< of the result
  std::optional<double> inertia_before;                 ///< of the starting centroids
  Index n_iter = 0, n_rechecked = 0, n_skipped = 0;
  Index assignments = 0;  ///< of all rows, that of the finish included
  lloyd::StopReason stop = lloyd::StopReason::max_iter;
};

[[nodiscard]] inline std::string_view stop_name(lloyd::StopReason stop) {
  if (stop == lloyd::StopReason::converged) return "converged";
  return stop == lloyd::StopReason::cancelled ? "cancelled" : "max_iter";
}

/// What a result says of itself. With tol 0 a fit converges only when no label changes, and then its finish assigns
/// nothing.
template <class B>
[[nodiscard]] Outcome outcome_of(const lloyd::Clustering<float, B>& result) {
  Outcome outcome;
  outcome.inertia = result.inertia;
  outcome.centroid_shift = result.centroid_shift;
  outcome.n_iter = result.n_iter;
  outcome.n_rechecked = result.n_rechecked;
  outcome.n_skipped = result.n_skipped;
  outcome.stop = result.stop_reason;
  outcome.assignments = result.n_iter + (result.stop_reason == lloyd::StopReason::converged ? 0 : 1);
  return outcome;
}

/// Rows, options, and starting centroids where they are given.
struct Fit {
  lloyd::MatrixView<const float> x;
  lloyd::Options options;
  const lloyd::Matrix<float>* starts = nullptr;
};

/// The fit in four timed phases; `centroids` takes the result's where it is not null.
template <class B>
[[nodiscard]] Outcome phased_fit(const Fit& fit, const B& backend, const Plant& plant,
                                 lloyd::Matrix<float>* centroids = nullptr) {
  namespace detail = lloyd::detail;
  using Source = lloyd::InMemory<float, typename B::Space>;
  const detail::DefaultEnvironment environment;
  const lloyd::SingleProcess ranks;
  const Source source(fit.x);
  detail::Progress progress({});
  detail::Problem<float, B, const lloyd::SingleProcess, Source> problem{fit.options, backend,  ranks,
                                                                        source,      progress, "bench"};
  const double survey = timed("survey", plant, [&] { (void)detail::survey(problem); });
  std::optional<detail::Workspace<float, B>> work;
  const double seeding = timed("seeding", plant, [&] {
    work.emplace(problem);
    if (fit.starts == nullptr) (void)detail::seed(problem, *work, 0);
  });
  if (fit.starts != nullptr)
    for (Index j = 0; j < fit.starts->rows(); ++j) std::copy_n(fit.starts->row(j), fit.x.cols(), work->c.row(j));
  detail::Outcome ended;
  const double loop = timed("loop", plant, [&] { ended = detail::lloyd(problem, *work); });
  lloyd::Clustering<float, B> result;
  const double finish = timed("finish", plant, [&] { result = detail::finish(problem, *work, ended); });

  Outcome outcome = outcome_of(result);
  outcome.survey = survey;
  if (fit.starts == nullptr) outcome.seeding = seeding;
  if (fit.options.max_iter > 0) outcome.loop = loop;
  outcome.finish = finish;
  outcome.seconds = survey + seeding + loop + finish;
  if (centroids != nullptr) *centroids = std::move(result.centroids);
  return outcome;
}

/// The same by the front door, timed as a whole.
template <class B>
[[nodiscard]] Outcome whole_fit(const Fit& fit, const B& backend, lloyd::Clustering<float>* kept = nullptr) {
  const auto start = Clock::now();
  const lloyd::KMeans kmeans(fit.options, backend);
  auto result = fit.starts == nullptr ? kmeans.fit(fit.x) : kmeans.fit_from(*fit.starts, fit.x);
  const double seconds = seconds_since(start);
  Outcome outcome = outcome_of(result);
  outcome.seconds = seconds;
  if (kept != nullptr) *kept = std::move(result);
  return outcome;
}

}  // namespace bench
