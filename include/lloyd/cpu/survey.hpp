// SPDX-License-Identifier: MIT
/// @file
/// Maxima of bit patterns by column, each thread its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "lloyd/cpu/parallel.hpp"
#include "lloyd/kmeans/survey.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// Patterns of some columns' values so far, as signed integers in the order of |x|.
template <Real T>
class ColumnPatterns {
 public:
  using Bits = std::conditional_t<std::same_as<T, float>, std::int32_t, std::int64_t>;
  static constexpr Index lanes = 16 / static_cast<Index>(sizeof(T));

  explicit ColumnPatterns(Index columns)
      : largest_(static_cast<std::size_t>(columns), 0),
        smallest_(static_cast<std::size_t>(columns), (std::numeric_limits<Bits>::max)()) {}

  /// Sees a value of each column, `lanes` at a time where these divide the columns.
  void see(const T* x) {
    const auto columns = static_cast<Index>(largest_.size());
    Index q = 0;
    for (; q + lanes <= columns; q += lanes) {
      Vector value = load(x + q), largest = load(largest_.data() + q), smallest = load(smallest_.data() + q);
      value &= magnitude;
      const Vector below = (value - 1) ^ lowest;  // a zero's is above all
      largest = select(value > largest, value, largest);
      smallest = select(below < smallest, below, smallest);
      __builtin_memcpy(largest_.data() + q, &largest, sizeof(Vector));
      __builtin_memcpy(smallest_.data() + q, &smallest, sizeof(Vector));
    }
    for (; q < columns; ++q) {
      const auto column = static_cast<std::size_t>(q);
      const Bits value = std::bit_cast<Bits>(x[q]) & magnitude;
      largest_[column] = (std::max)(largest_[column], value);
      smallest_[column] = (std::min)(smallest_[column], static_cast<Bits>((value - 1) ^ lowest));
    }
  }

  /// The values of largest and smallest pattern in a column; the latter is 0 where all are.
  [[nodiscard]] T largest(std::size_t q) const { return std::bit_cast<T>(largest_[q]); }
  [[nodiscard]] T smallest(std::size_t q) const {
    return std::bit_cast<T>(static_cast<Bits>(smallest_[q] == magnitude ? 0 : (smallest_[q] ^ lowest) + 1));
  }

 private:
  using Vector [[gnu::vector_size(16)]] = Bits;
  static constexpr Bits magnitude = (std::numeric_limits<Bits>::max)(), lowest = (std::numeric_limits<Bits>::min)();

  static Vector load(const void* from) {
    Vector out;
    __builtin_memcpy(&out, from, sizeof(Vector));
    return out;
  }
  static Vector select(Vector mask, Vector a, Vector b) { return (mask & a) | (~mask & b); }

  std::vector<Bits> largest_, smallest_;
};

template <Real T>
void survey(const Tile<T>& tile, std::span<std::uint64_t> maxima, int n_threads) {
  using Patterns = ColumnPatterns<T>;
  const Index d = tile.x.cols(), stride = tile.x.row_stride();
  // Rows that lie close are seen some at a time, so that vectors divide them.
  const Index together = stride == d && d % Patterns::lanes != 0 ? Patterns::lanes : 1;
  struct Worker {
    Patterns several, one;  // of so many rows, and of one
    std::vector<std::uint64_t> weights;
  };
  for_each_batch(
      n_threads, tile.x.rows(), (std::max)(together, 65536 / d),
      [&] {
        return Worker{Patterns(together * d), Patterns(d),
                      std::vector<std::uint64_t>(detail::Survey::weight_maxima, 0)};
      },
      [&](Worker& worker, Index begin, Index count) {
        Index i = begin;
        for (; i + together <= begin + count; i += together) worker.several.see(tile.x.row(i));
        for (; i < begin + count; ++i) worker.one.see(tile.x.row(i));
        for (i = begin; i < begin + count && !tile.w.empty(); ++i)
          detail::Survey::see_weight(worker.weights, tile.w(i));
      },
      [&](const Worker& worker) {
        const auto see = [&](const Patterns& patterns, Index columns) {
          for (Index at = 0; at < columns; ++at) {
            const auto column = static_cast<std::size_t>(at);
            detail::Survey::see(maxima, d, at % d, static_cast<double>(patterns.largest(column)));
            detail::Survey::see(maxima, d, at % d, static_cast<double>(patterns.smallest(column)));
          }
        };
        see(worker.several, together * d);
        see(worker.one, d);
        const auto weights = maxima.last(detail::Survey::weight_maxima);
        for (std::size_t w = 0; w < weights.size(); ++w) weights[w] = (std::max)(weights[w], worker.weights[w]);
      });
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
