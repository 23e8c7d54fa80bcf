// SPDX-License-Identifier: MIT
/// @file
/// The reference backend: every primitive as plain loops, without a dependency, a filter or a thread. It is the oracle
/// of the tests and the shortest statement of what the other backends compute. READ SECOND, after kmeans.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lloyd/backend.hpp"
#include "lloyd/kmeans/distance.hpp"

namespace lloyd::inline LLOYD_ABI {

/// Runs on one thread of the processor and needs neither Eigen nor OpenMP. Slow: k n d operations in double.
struct Reference {
  /// Part of every backend: see lloyd/backend.hpp.
  ///@{
  using Space = Host;
  template <class V>
  using Buffer = std::vector<V>;
  template <class T>
  using Dense = Matrix<T>;
  /// Centroids as they are.
  template <class T>
  struct Prepared {
    MatrixView<const T> c;  ///< the centroids
    std::span<const T> o;   ///< a point near them
  };

  [[nodiscard]] int workers() const { return 1; }

  template <Real T>
  void survey(const Tile<T>& tile, std::span<std::uint64_t> maxima) const {
    const Index d = tile.x.cols();
    for (Index i = 0; i < tile.x.rows(); ++i) {
      for (Index q = 0; q < d; ++q) detail::Survey::see(maxima, d, q, static_cast<double>(tile.x(i, q)));
      if (!tile.w.empty()) detail::Survey::see_weight(maxima, tile.w(i));
    }
  }

  template <Real T>
  [[nodiscard]] Prepared<T> prepare(MatrixView<const T> c, std::span<const T> o, const detail::Batching& /*batching*/,
                                    const Options& /*options*/, MatrixView<const T> /*before*/ = {}) const {
    return {c, o};
  }

  template <Real T>
  Index assign(const Tile<T>& tile, const Prepared<T>& prepared, std::span<Label> labels, std::span<double> d2,
               detail::ExactSum* phi) const {
    for (Index i = 0; i < tile.x.rows(); ++i) {
      const Nearest nearest = nearest_of(tile.x.row(i), prepared.c);
      if (!labels.empty()) labels[at(i)] = nearest.label;
      if (!d2.empty()) d2[at(i)] = nearest.d2;
      if (phi != nullptr) phi->add_product(tile.w(i), nearest.d2);
    }
    return 0;  // nothing was rechecked: there is no filter
  }

  template <Real T>
  void assign_accumulate(const Tile<T>& tile, const Prepared<T>& prepared, const detail::RowState& rows,
                         const detail::Quanta& quanta, const detail::SumsView& sums, detail::ExactSum* scatter,
                         detail::ExactSum* inertia) const {
    for (Index i = 0; i < tile.x.rows(); ++i) {
      const T* x = tile.x.row(i);
      const Nearest nearest = nearest_of(x, prepared.c);
      Label& label = rows.labels[at(i)];
      if (nearest.label != label) detail::move_row(x, tile.w(i), label, nearest.label, quanta, sums);
      label = nearest.label;
      if (scatter != nullptr) scatter->add_product(tile.w(i), detail::distance(x, prepared.o.data(), tile.x.cols()));
      if (inertia != nullptr) inertia->add_product(tile.w(i), nearest.d2);
    }
  }

  template <Real T>
  void accumulate(const Tile<T>& tile, const Options& /*options*/, std::span<const Label> labels,
                  const detail::Quanta& quanta, const detail::SumsView& sums) const {
    for (Index i = 0; i < tile.x.rows(); ++i) detail::add_row(tile.x.row(i), tile.w(i), 1, labels[at(i)], quanta, sums);
  }

  template <Real T>
  void distance(const Tile<T>& tile, MatrixView<const T> c, std::span<const Label> labels, std::span<double> d2,
                detail::ExactSum* phi) const {
    for (Index i = 0; i < tile.x.rows(); ++i) {
      const double own = detail::distance(tile.x.row(i), c.row(labels[at(i)]), tile.x.cols());
      if (!d2.empty()) d2[at(i)] = own;
      if (phi != nullptr) phi->add_product(tile.w(i), own);
    }
  }

  template <Real T>
  double lower(const Tile<T>& tile, const Prepared<T>& prepared, MatrixView<const T> /*seeds*/, Label first,
               std::span<double> d2, std::span<Label> labels, detail::ExactSum* phi) const {
    double largest = 0;
    for (Index i = 0; i < tile.x.rows(); ++i) {
      const Nearest nearest = nearest_of(tile.x.row(i), prepared.c);
      double& own = d2[at(i)];
      if (nearest.d2 < own) {
        own = nearest.d2;
        if (!labels.empty()) labels[at(i)] = first + nearest.label;
      }
      if (phi != nullptr) phi->add_product(tile.w(i), own);
      largest = (std::max)(largest, tile.w(i) * own);
    }
    return largest;
  }

  template <Real T>
  void gain(const Tile<T>& tile, const Prepared<T>& prepared, MatrixView<const T> /*seeds*/,
            std::span<const Label> /*labels*/, std::span<const double> d2, std::span<detail::ExactSum> gains) const {
    for (Index i = 0; i < tile.x.rows(); ++i) {
      for (Index t = 0; t < prepared.c.rows(); ++t) {
        const double candidate = detail::distance(tile.x.row(i), prepared.c.row(t), tile.x.cols());
        if (!(candidate < d2[at(i)])) continue;
        gains[at(t)].add_product(tile.w(i), d2[at(i)]);
        gains[at(t)].add_product(tile.w(i), candidate, -1);
      }
    }
  }

  template <Real T>
  void pick(const Tile<T>& tile, std::span<const double> d2, const detail::MassScale& scale, Index block,
            std::span<std::int64_t> masses) const {
    const auto rows = block < 0 ? detail::BlockRows{0, tile.x.rows()} : detail::rows_of_block(tile, block);
    for (Index i = rows.begin; i < rows.end; ++i) {
      const Index row = tile.global(i);
      const auto mass = static_cast<std::int64_t>(scale(tile.w(i), d2[at(i)]));
      masses[at(block < 0 ? row / detail::rows_per_block : row % detail::rows_per_block)] += mass;
    }
  }

  template <Real T>
  void sample(const Tile<T>& tile, std::span<const double> d2, const detail::MassScale& scale,
              const detail::BernoulliTrial& trial, std::vector<Index>& rows) const {
    for (Index i = 0; i < tile.x.rows(); ++i)
      if (trial(tile.global(i), scale(tile.w(i), d2[at(i)]))) rows.push_back(tile.global(i));
  }

  template <Real T>
  void farthest(const Tile<T>& tile, std::span<const double> d2, std::span<const Label> labels, Index m,
                std::vector<detail::FarRow>& far_rows) const {
    for (Index i = 0; i < tile.x.rows(); ++i)
      if (d2[at(i)] > 0 && tile.w(i) > 0)
        detail::keep_farthest(far_rows, {d2[at(i)], tile.global(i), tile.w(i), labels[at(i)]}, m);
  }

  template <Real T>
  void move(const Tile<T>& tile, Index i, Label to, std::span<Label> labels, const detail::Quanta& quanta,
            const detail::SumsView& sums) const {
    detail::move_row(tile.x.row(i), tile.w(i), labels[at(i)], to, quanta, sums);
    labels[at(i)] = to;
  }

  template <Real T>
  void divide(const detail::SumsView& sums, const detail::Quanta& quanta, MatrixView<const T> c,
              MatrixView<T> next) const {
    for (Index j = 0; j < c.rows(); ++j)
      for (Index q = 0; q < c.cols(); ++q)
        next(j, q) = sums.occupancy(j) == 0 ? c(j, q)
                                            : detail::exact_quotient<T>(sums.sum(quanta, j, q), sums.weight(quanta, j));
  }

  template <Real T>
  [[nodiscard]] double converge(MatrixView<const T> next, MatrixView<const T> c) const {
    detail::ExactSum shift;
    for (Index j = 0; j < c.rows(); ++j) shift.add(detail::distance(next.row(j), c.row(j), c.cols()));
    return shift.value();
  }
  ///@}

 private:
  struct Nearest {
    Label label;
    double d2;
  };

  [[nodiscard]] static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  /// argmin_j D(x, c_j), ties to the lowest j, and the minimum.
  template <Real T>
  [[nodiscard]] static Nearest nearest_of(const T* x, MatrixView<const T> c) {
    Nearest nearest{0, detail::distance(x, c.row(0), c.cols())};
    for (Index j = 1; j < c.rows(); ++j) {
      const double d2 = detail::distance(x, c.row(j), c.cols());
      if (d2 < nearest.d2) nearest = {static_cast<Label>(j), d2};
    }
    return nearest;
  }
};

}  // namespace lloyd::inline LLOYD_ABI
