// SPDX-License-Identifier: MIT
#include "scaling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <system_error>
#include <thread>
#include <utility>

#include "errors.hpp"
#include "format.hpp"
#include "lloyd/kmeans/exact_sum.hpp"

namespace program {
namespace {

using lloyd::Index;

/// The parts that for_parts makes: no more than are worth a thread, however many threads are allowed.
std::size_t parts_of(Index rows, int threads) {
  return static_cast<std::size_t>(std::clamp<Index>(rows / 4096, 1, threads));
}

/// Calls part(number, first, last) for parts of the rows, each on a thread of its own as far as there are threads.
template <class Part>
void for_parts(Index rows, int threads, const Part& part) {
  const auto count = static_cast<Index>(parts_of(rows, threads));
  const auto first = [&](Index number) { return rows / count * number + (std::min)(number, rows % count); };
  const auto run = [&](Index number) { part(static_cast<std::size_t>(number), first(number), first(number + 1)); };
  std::vector<std::thread> others;
  others.reserve(static_cast<std::size_t>(count));
  Index started = 1;
  try {
    for (; started < count; ++started) others.emplace_back(run, started);
  } catch (const std::system_error&) {  // there are no more: the rest is done here
  }
  run(0);
  for (; started < count; ++started) run(started);
  for (auto& other : others) other.join();
}

/// The exact sum of one column. Terms up to a known size are cut into three pieces on fixed grids, whose sums as
/// doubles are exact; what is left of a term is rarely not 0 and goes where any double can be added, at several times
/// the cost.
class ColumnSum {
 public:
  /// @param largest  no less than the size of any of at most n terms
  ColumnSum(double largest, double n) {
    constexpr double least = 0x1p-700, most = 0x1p900;
    if (!(largest >= least && largest * n <= most)) return;
    const int terms = std::ilogb(n) + 1;                           // n < 2^terms
    double grid = std::ldexp(1, std::ilogb(largest) + terms + 2);  // over twice the sum of all sizes
    for (Piece& piece : pieces_) {
      piece.grid = grid;
      grid = std::ldexp(grid, terms + 2 - 52);  // the piece leaves at most 2^-53 of its grid of a term
    }
  }

  /// Adds term(i) for rows first .. last - 1.
  template <class Term>
  void add(Index first, Index last, const Term& term) {
    if (pieces_[0].grid == 0) {
      for (Index i = first; i < last; ++i) rest_.add(term(i));
      return;
    }
    auto [a, b, c] = pieces_;  // in registers
    for (Index i = first; i < last; ++i) {
      const double left = c.take(b.take(a.take(term(i))));
      if (left != 0) rest_.add(left);
    }
    pieces_ = {a, b, c};
  }
  /// What the product of a weight and a term lost when it was rounded.
  void add_lost(double lost) {
    if (lost != 0) rest_.add(lost);
  }

  void merge(const ColumnSum& other) {
    rest_.merge(other.rest_);
    for (const Piece& piece : other.pieces_) rest_.add(piece.sum);
  }

  /// Rounded once.
  [[nodiscard]] double value() const {
    lloyd::detail::ExactSum all = rest_;
    for (const Piece& piece : pieces_) all.add(piece.sum);
    return all.value();
  }

 private:
  struct Piece {
    double grid = 0, sum = 0;  // no grid: terms of such sizes have none

    /// Adds what of a term lies on the grid. @return the rest of it
    double take(double term) {
      const double on_grid = (term + grid) - grid;
      sum += on_grid;
      return term - on_grid;
    }
  };
  std::array<Piece, 3> pieces_;
  lloyd::detail::ExactSum rest_;
};

/// Calls block(part, column, first, last) for every column of blocks of rows that a cache holds.
template <class T, class Block>
void for_columns(const Table<T>& table, int threads, const Block& block) {
  constexpr Index most = 128;
  for_parts(table.x.rows(), threads, [&](std::size_t part, Index first, Index last) {
    for (Index i = first; i < last; i += most)
      for (Index j = 0; j < table.x.cols(); ++j)
        block(part, static_cast<std::size_t>(j), i, (std::min)(i + most, last));
  });
}

/// sum_i w_i term(x_ij) of each column j, rounded once.
/// @param largest  for each column, no less than the size of any term
/// @param term_of  gives the function of a column
template <class T, class TermOf>
std::vector<double> column_sums(const Table<T>& table, int threads, const std::vector<double>& largest,
                                const TermOf& term_of) {
  std::vector<ColumnSum> sums;
  for (const double each : largest) sums.emplace_back(each, static_cast<double>(table.x.rows()));
  std::vector<std::vector<ColumnSum>> parts(parts_of(table.x.rows(), threads), sums);
  const Index stride = table.x.cols();
  const double* const w = table.weights.data();
  for_columns(table, threads, [&](std::size_t part, std::size_t j, Index first, Index last) {
    ColumnSum& sum = parts[part][j];
    const T* const column = table.x.data() + j;
    const auto term = term_of(j);
    const auto value = [&](Index i) { return term(static_cast<double>(column[i * stride])); };
    if (table.weights.empty()) return sum.add(first, last, value);
    sum.add(first, last, [&](Index i) { return w[i] * value(i); });
    for (Index i = first; i < last; ++i) sum.add_lost(std::fma(w[i], value(i), -(w[i] * value(i))));
  });
  std::vector<double> values;
  for (std::size_t j = 0; j < largest.size(); ++j) {
    for (const auto& part : parts) sums[j].merge(part[j]);
    values.push_back(sums[j].value());
  }
  return values;
}

}  // namespace

template <class T>
std::vector<Extent> extents(const Table<T>& table, int threads) {
  const auto cols = static_cast<std::size_t>(table.x.cols());
  std::vector<std::vector<Extent>> parts(parts_of(table.x.rows(), threads), std::vector<Extent>(cols));
  for_columns(table, threads, [&](std::size_t part, std::size_t j, Index first, Index last) {
    Extent extent = parts[part][j];
    for (Index i = first; i < last; ++i) {
      const auto x = static_cast<double>(table.x.row(i)[j]);
      if (table.weights.empty() || table.weights[static_cast<std::size_t>(i)] != 0) extent.include(x, x);
    }
    parts[part][j] = extent;
  });
  for (const auto& part : parts)
    for (std::size_t j = 0; j < cols; ++j) parts[0][j].include(part[j].least, part[j].most);
  return std::move(parts[0]);
}

template <class T>
Scaling scaling_of(const Table<T>& table, int threads) {
  double heaviest = table.weights.empty() ? 1 : 0;
  lloyd::detail::ExactSum weight;
  for (const double w : table.weights) {
    weight.add(w);
    heaviest = (std::max)(heaviest, w);
  }
  if (heaviest == 0) refuse("--weights: all are 0");
  const double n = table.weights.empty() ? static_cast<double>(table.x.rows()) : weight.value();
  const auto columns = extents(table, threads);
  std::vector<double> largest;

  Scaling scaling;
  for (const auto& [least, most] : columns) largest.push_back(heaviest * (std::max)(std::abs(least), std::abs(most)));
  scaling.mean = column_sums(table, threads, largest, [](std::size_t) { return [](double x) { return x; }; });
  for (double& value : scaling.mean) value /= n;

  // A double alone loses the mean of a column far from zero, where doubles are far apart; floats there are farther.
  for (std::size_t j = 0; j < largest.size(); ++j) largest[j] = heaviest * (columns[j].most - columns[j].least);
  scaling.rest.assign(largest.size(), 0);
  if (sizeof(T) == sizeof(double)) {
    scaling.rest = column_sums(table, threads, largest,
                               [&](std::size_t j) { return [mean = scaling.mean[j]](double x) { return x - mean; }; });
    for (double& value : scaling.rest) value /= n;
  }
  for (double& value : largest) value *= 1.01 * value / heaviest;
  scaling.scale = column_sums(table, threads, largest, [&](std::size_t j) {
    return [mean = scaling.mean[j], rest = scaling.rest[j]](double x) {
      const double difference = (x - mean) - rest;
      return difference * difference;
    };
  });
  for (std::size_t j = 0; j < largest.size(); ++j) {
    const bool constant = columns[j].least == columns[j].most;
    const double variance = scaling.scale[j] / n;
    scaling.scale[j] = constant ? 1 : std::sqrt(variance);
    if (constant) scaling.mean[j] = columns[j].least, scaling.rest[j] = 0;
    if (!constant && (!(variance > 0) || !std::isfinite(variance)))
      refuse("column ", column_name(table, static_cast<Index>(j)), " cannot be standardised in double");
  }
  return scaling;
}

template <class T>
std::optional<OutOfRange> standardize(lloyd::Matrix<T>& x, const Scaling& scaling, int threads) {
  std::vector<std::optional<OutOfRange>> lost(parts_of(x.rows(), threads));
  for_parts(x.rows(), threads, [&](std::size_t part, Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      for (std::size_t j = 0; j < scaling.mean.size(); ++j) {
        T& value = x.row(i)[j];
        const auto given = static_cast<double>(value);
        value = static_cast<T>(((given - scaling.mean[j]) - scaling.rest[j]) / scaling.scale[j]);
        if (!is_usable(value) && !lost[part])
          lost[part] = {i, static_cast<Index>(j), given, static_cast<double>(value)};
      }
    }
  });
  const auto found = std::find_if(lost.begin(), lost.end(), [](const auto& each) { return each.has_value(); });
  return found == lost.end() ? std::nullopt : *found;
}

template <class T>
void standardize(Table<T>& table, const fs::path& file, const Scaling& scaling, int threads, bool checked) {
  const auto lost = standardize(table.x, scaling, threads);
  if (!lost || !checked) return;
  refuse(place_of(file, table.first_line, lost->row, table.columns[static_cast<std::size_t>(lost->column)]), " is ",
         shown(lost->value), ", standardised ", shown(lost->standardized), ", expected ",
         expected_instead_of<T>(lost->value));
}

template <class T>
void restore(lloyd::Matrix<T>& x, const Scaling& scaling) {
  for (Index i = 0; i < x.rows(); ++i) {
    for (std::size_t j = 0; j < scaling.mean.size(); ++j) {
      T& value = x.row(i)[j];
      value = static_cast<T>(scaling.mean[j] + (scaling.rest[j] + scaling.scale[j] * static_cast<double>(value)));
    }
  }
}

template std::vector<Extent> extents(const Table<float>& table, int threads);
template std::vector<Extent> extents(const Table<double>& table, int threads);
template Scaling scaling_of(const Table<float>& table, int threads);
template Scaling scaling_of(const Table<double>& table, int threads);
template std::optional<OutOfRange> standardize(lloyd::Matrix<float>& x, const Scaling& scaling, int threads);
template std::optional<OutOfRange> standardize(lloyd::Matrix<double>& x, const Scaling& scaling, int threads);
template void standardize(Table<float>&, const fs::path&, const Scaling&, int threads, bool checked);
template void standardize(Table<double>&, const fs::path&, const Scaling&, int threads, bool checked);
template void restore(lloyd::Matrix<float>& x, const Scaling& scaling);
template void restore(lloyd::Matrix<double>& x, const Scaling& scaling);

}  // namespace program
