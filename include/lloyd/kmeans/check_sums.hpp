// SPDX-License-Identifier: MIT
/// @file
/// For debugging: with LLOYD_CHECK_SUMS defined, every iteration adds all rows up anew and compares with the sums that
/// were carried along by moved rows alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "lloyd/kmeans/workspace.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

#ifdef LLOYD_CHECK_SUMS
inline constexpr bool checks_sums = true;
#else
inline constexpr bool checks_sums = false;
#endif

/// @throws std::logic_error where the sums are not those of the labels. Reads x once.
template <class P, class W>
void check_sums(const P& problem, W& work) {
  auto values = make_buffer<std::int64_t>(problem.backend, work.shape.size());
  fill(problem.backend, span_of(values), 0);
  const SumsView anew(span_of(values), work.shape);
  problem.pass([&](const auto& tile) {
    problem.backend.accumulate(tile, problem.options, std::span<const Label>(W::of(work.labels, tile)), problem.quanta,
                               anew);
  });
  problem.sum(span_of(values));
  HostSums found(problem.backend, anew), carried(problem.backend, work.sums());
  const auto of_labels = [](const SumsView& sums) {
    return sums.values().first(sums.values().size() - SumsShape::counters);
  };
  const auto a = of_labels(found.view()), b = of_labels(carried.view());  // without the counters of the iterations
  if (!std::equal(a.begin(), a.end(), b.begin())) throw std::logic_error("lloyd: the sums are not those of the labels");
}

}  // namespace lloyd::inline LLOYD_ABI::detail
