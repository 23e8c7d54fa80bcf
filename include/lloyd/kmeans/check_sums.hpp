// SPDX-License-Identifier: MIT
/// @file
/// For debugging: with LLOYD_CHECK_SUMS defined, every iteration adds all rows up anew and compares with the sums that
/// were carried along by moved rows alone.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "lloyd/kmeans/workspace.hpp"

namespace lloyd::detail {

#ifdef LLOYD_CHECK_SUMS
inline constexpr bool checks_sums = true;
#else
inline constexpr bool checks_sums = false;
#endif

/// @throws std::logic_error where the sums are not those of the labels. Reads x once.
template <class P, class W>
void check_sums(const P& problem, W& work) {
  std::vector<std::int64_t> values(work.sum_values.size(), 0);
  const SumsView anew(values, work.shape);
  problem.pass([&](const auto& tile) {
    problem.backend.accumulate(tile, problem.options, std::span<const Label>(W::of(work.labels, tile)), problem.quanta,
                               anew);
  });
  problem.ranks.sum(values);
  anew.changed() = work.sums().changed();  // counters of the iterations, not of the labels
  anew.rechecked() = work.sums().rechecked();
  anew.skipped() = work.sums().skipped();
  if (values != work.sum_values) throw std::logic_error("lloyd: the sums are not those of the labels");
}

}  // namespace lloyd::detail
