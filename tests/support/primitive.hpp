// SPDX-License-Identifier: MIT
/// @file
/// The ways in which Cpu can be made to do the work of a primitive.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "lloyd/lloyd.hpp"
#include "support/given.hpp"

namespace lloyd::test {

/// A way to do the work.
struct Variant {
  std::string name;
  Cpu cpu;
  detail::Batching batching;
  Options options;
};

/// Threads, instruction sets, tiles, and both forms of the filter and of the update. An instruction set that the
/// machine lacks is left out and recorded, so that the reports say so.
[[nodiscard]] inline std::vector<Variant> variants() {
  std::vector<Variant> all;
  const auto add = [&](int threads, Isa isa, Index rows, Index centroids, std::size_t sums_budget,
                       Assignment assignment, CentroidUpdate update) {
    Options options;
    options.assignment = assignment;
    options.update = update;
    all.push_back({"threads " + std::to_string(threads) + ", isa " + std::to_string(static_cast<int>(isa)) + ", tile " +
                       std::to_string(rows) + " x " + std::to_string(centroids) + ", sums " +
                       std::to_string(sums_budget) + (assignment == Assignment::fused ? ", fused" : ", gram") +
                       (update == CentroidUpdate::one_hot ? ", one-hot" : ", scatter-add"),
                   Cpu{threads, isa},
                   {rows, centroids, sums_budget},
                   std::move(options)});
  };
  constexpr std::size_t much = std::size_t{1} << 24;
  using enum CentroidUpdate;
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512, Isa::amx}) {
    if (cpu::usable_isa(isa) != isa) {
      testing::Test::RecordProperty("skipped_isa_" + std::to_string(static_cast<int>(isa)), "this machine lacks it");
      continue;
    }
    add(1, isa, 32, 16, much, Assignment::fused, scatter_add);
    add(1, isa, 32, 16, much, Assignment::gram, one_hot);
    add(3, isa, 16, 5, much, Assignment::gram, scatter_add);
  }
  add(1, Isa::amx, 2048, 512, much, Assignment::automatic, automatic);
  add(1, Isa::avx512, 1, 1, 0, Assignment::gram, scatter_add);
  add(2, Isa::avx512, 32, 512, 0, Assignment::fused, one_hot);  // all threads add to the same sums
  add(2, Isa::avx512, 7, 16, much, Assignment::fused, scatter_add);
  add(8, Isa::portable, 3, 4, 0, Assignment::gram, scatter_add);
  return all;
}

/// Calls use(variant) for every way, and says which one failed.
template <class Use>
void for_each_variant(const Use& use) {
  for (const Variant& variant : variants()) {
    SCOPED_TRACE(variant.name);
    use(variant);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace lloyd::test
