// SPDX-License-Identifier: MIT
/// @file
/// The numbers of rows among those of all ranks: draws and ties go by them, so each must be there once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lloyd/communicator.hpp"
#include "lloyd/error.hpp"
#include "lloyd/kmeans/random.hpp"
#include "lloyd/kmeans/tiles.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// sum_i (first + step i) and sum_i (first + step i)^2 over i < count, modulo 2^64.
[[nodiscard]] constexpr std::array<std::uint64_t, 2> power_sums(Index first, Index step, Index count) {
  const auto a = static_cast<std::uint64_t>(first), s = static_cast<std::uint64_t>(step),
             m = static_cast<std::uint64_t>(count);
  // sum i = m (m - 1) / 2;  sum i^2 = m (m - 1) / 2 (2 m - 1) / 3, where 3 divides one of the factors
  const UInt128 numbers = UInt128{m} * (m - 1) / 2;
  const auto i = static_cast<std::uint64_t>(numbers);
  const std::uint64_t last = 2 * m - 1;
  const std::uint64_t squares = numbers % 3 == 0 ? static_cast<std::uint64_t>(numbers / 3) * last : i * (last / 3);
  return {m * a + s * i, m * a * a + 2 * a * s * i + s * s * squares};
}

/// Refuses numbers outside 0 .. n - 1, without computing one that overflows.
inline void require_numbers_within(Index first, Index step, Index count, Index n, const char* who) {
  const bool within = count == 0 || (first < n && (count == 1 || step <= (n - 1 - first) / (count - 1)));
  demand(within, who, ": the source numbers its ", count, " rows from ", first, " on in steps of ", step,
         ", expected numbers within 0 .. ", n - 1, " (the rows of all ranks)");
}

/// Refuses, on all ranks, numbers of which some are there twice and others are missing, as far as the sum of them and
/// that of their squares tell. `before` is the number of rows on the ranks before this one. Collective.
template <class P>
void require_every_number(const P& p, Index before) {
  const auto given = power_sums(p.rows.first, p.rows.step, p.rows.local),
             expected = power_sums(before, 1, p.rows.local);
  std::int64_t excess[2];
  for (std::size_t i = 0; i < 2; ++i) excess[i] = static_cast<std::int64_t>(given[i] - expected[i]);
  p.ranks.sum(excess);
  demand(excess[0] == 0 && excess[1] == 0, p.who,
         ": the sources of the ranks give some row numbers twice and others not at all, expected each of 0 .. ",
         p.rows.n - 1, " once");
}

/// Counts the rows of all ranks and numbers those of this one. Collective; throws InvalidArgument for numbers that are
/// not 0 .. n - 1.
template <class P>
void number_rows(P& p) {
  const auto mine = static_cast<std::size_t>(p.ranks.rank());
  std::vector<std::int64_t> counts;
  together(p.ranks, [&] {
    const Announced announced = announced_by(p.source, p.who);
    p.rows.local = announced.rows;
    p.rows.d = announced.cols;
    p.rows.weighted = announced.weighted;
    p.rows.step = p.source.step();
    demand(p.rows.step >= 1, p.who, ": the source numbers its rows in steps of ", p.rows.step, ", expected 1 or more");
    counts.assign(static_cast<std::size_t>(p.ranks.size()), 0);
    counts[mine] = p.rows.local;
  });
  p.ranks.sum(counts);
  Index before = 0;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    if (rank == mine) before = p.rows.n;
    demand(counts[rank] <= (std::numeric_limits<Index>::max)() - p.rows.n, p.who, ": more than 2^63 - 1 rows");
    p.rows.n += counts[rank];
  }
  std::uint64_t columns[2] = {static_cast<std::uint64_t>(p.rows.d), ~static_cast<std::uint64_t>(p.rows.d)};
  (p.ranks.max)(columns);
  demand(columns[0] == ~columns[1], p.who, ": ranks have rows of ", ~columns[1], " to ", columns[0], " columns");
  together(p.ranks, [&] {
    const Index first = p.source.first();
    p.rows.first = first < 0 ? before : first;
    require_numbers_within(p.rows.first, p.rows.step, p.rows.local, p.rows.n, p.who);
    // The step of fewer than two rows says nothing, and may be anything.
    if (p.rows.local < 2) p.rows.step = 1;
    if (p.rows.local == 0) p.rows.first = before;
  });
  if (p.ranks.size() > 1) require_every_number(p, before);
}

}  // namespace lloyd::inline LLOYD_ABI::detail
