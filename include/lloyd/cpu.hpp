// SPDX-License-Identifier: MIT
/// @file
/// The CPU backend: table of contents of cpu/. Threads by OpenMP, products by Eigen, instruction sets at run time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lloyd/backend.hpp"
#include "lloyd/cpu/accumulate.hpp"
#include "lloyd/cpu/assign.hpp"
#include "lloyd/cpu/assign_accumulate.hpp"
#include "lloyd/cpu/converge.hpp"
#include "lloyd/cpu/distance.hpp"
#include "lloyd/cpu/divide.hpp"
#include "lloyd/cpu/farthest.hpp"
#include "lloyd/cpu/gain.hpp"
#include "lloyd/cpu/lower.hpp"
#include "lloyd/cpu/move.hpp"
#include "lloyd/cpu/pick.hpp"
#include "lloyd/cpu/prepare.hpp"
#include "lloyd/cpu/sample.hpp"
#include "lloyd/cpu/survey.hpp"
#include "lloyd/error.hpp"

namespace lloyd::inline LLOYD_ABI {

/// Runs on the threads of this process, over rows in its memory. What each member computes stands in backend.hpp.
struct Cpu {
  int n_threads = 0;      ///< 0: OpenMP's default; negative is refused; more than 1024 are 1024
  Isa widest = Isa::amx;  ///< the most that is used of what the machine has; every choice gives the same bits

  /// Part of every backend: see lloyd/backend.hpp.
  ///@{
  using Space = Host;
  template <class V>
  using Buffer = std::vector<V>;
  template <class T>
  using Dense = Matrix<T>;
  template <class T>
  using Prepared = cpu::Prepared<T>;

  [[nodiscard]] int workers() const {
    detail::demand(n_threads >= 0, "Cpu: n_threads ", n_threads, " < 0 (0 takes OpenMP's default)");
    return cpu::threads_of(n_threads);
  }

  template <Real T>
  void survey(const Tile<T>& tile, std::span<std::uint64_t> maxima) const {
    cpu::survey(tile, maxima, workers());
  }
  template <Real T>
  [[nodiscard]] Prepared<T> prepare(MatrixView<const T> c, std::span<const T> o, const detail::Batching& batching,
                                    const Options& options, MatrixView<const T> before = {}) const {
    return cpu::prepare(c, o, batching, options, before, workers(), isa());
  }
  template <Real T>
  Index assign(const Tile<T>& tile, const Prepared<T>& prepared, std::span<Label> labels, std::span<double> d2,
               detail::ExactSum* phi) const {
    return cpu::assign(tile, prepared, labels, d2, phi);
  }
  template <Real T>
  void assign_accumulate(const Tile<T>& tile, const Prepared<T>& prepared, const detail::RowState& rows,
                         const detail::Quanta& quanta, const detail::SumsView& sums, detail::ExactSum* scatter,
                         detail::ExactSum* inertia) const {
    cpu::assign_accumulate(tile, prepared, rows, quanta, sums, scatter, inertia);
  }
  template <Real T>
  void accumulate(const Tile<T>& tile, const Options& options, std::span<const Label> labels,
                  const detail::Quanta& quanta, const detail::SumsView& sums) const {
    cpu::accumulate(tile, options, labels, quanta, sums, cpu::move_row_function<T>(isa()), workers());
  }
  template <Real T>
  void distance(const Tile<T>& tile, MatrixView<const T> c, std::span<const Label> labels, std::span<double> d2,
                detail::ExactSum* phi) const {
    cpu::distance(tile, c, labels, d2, phi, cpu::distance_function<T>(isa()), workers());
  }
  template <Real T>
  double lower(const Tile<T>& tile, const Prepared<T>& prepared, MatrixView<const T> seeds, Label first,
               std::span<double> d2, std::span<Label> labels, detail::ExactSum* phi) const {
    return cpu::lower(tile, prepared, seeds, first, d2, labels, phi);
  }
  template <Real T>
  void gain(const Tile<T>& tile, const Prepared<T>& prepared, MatrixView<const T> seeds, std::span<const Label> labels,
            std::span<const double> d2, std::span<detail::ExactSum> gains) const {
    cpu::gain(tile, prepared, seeds, labels, d2, gains, nullptr);
  }
  /// The same, and notes whom each candidate improves.
  template <Real T>
  void gain(const Tile<T>& tile, const Prepared<T>& prepared, MatrixView<const T> seeds, std::span<const Label> labels,
            std::span<const double> d2, std::span<detail::ExactSum> gains, detail::Improvements& notes) const {
    cpu::gain(tile, prepared, seeds, labels, d2, gains, &notes);
  }
  /// Lowers d2 of noted rows, by index.
  void lower(std::span<const detail::Improvements::Run* const> noted, Label label, std::span<double> d2,
             std::span<Label> labels) const {
    cpu::lower(noted, label, d2, labels);
  }
  /// phi += w_i d2_i; max_i w_i d2_i
  [[nodiscard]] double largest(const Weights<>& w, std::span<const double> d2, detail::ExactSum* phi) const {
    return cpu::largest_of(w, d2, phi, workers());
  }
  template <Real T>
  void pick(const Tile<T>& tile, std::span<const double> d2, const detail::MassScale& scale, Index block,
            std::span<std::int64_t> masses) const {
    cpu::pick(tile, d2, scale, block, masses, workers());
  }
  template <Real T>
  void sample(const Tile<T>& tile, std::span<const double> d2, const detail::MassScale& scale,
              const detail::BernoulliTrial& trial, std::vector<Index>& rows) const {
    cpu::sample(tile, d2, scale, trial, rows, workers());
  }
  template <Real T>
  void farthest(const Tile<T>& tile, std::span<const double> d2, std::span<const Label> labels, Index m,
                std::vector<detail::FarRow>& far_rows) const {
    cpu::farthest(tile, d2, labels, m, far_rows, workers());
  }
  template <Real T>
  void move(const Tile<T>& tile, Index i, Label to, std::span<Label> labels, const detail::Quanta& quanta,
            const detail::SumsView& sums) const {
    cpu::move(tile, i, to, labels, quanta, sums);
  }
  template <Real T>
  void divide(const detail::SumsView& sums, const detail::Quanta& quanta, MatrixView<const T> c,
              MatrixView<T> next) const {
    cpu::divide(sums, quanta, c, next, workers());
  }
  template <Real T>
  [[nodiscard]] double converge(MatrixView<const T> next, MatrixView<const T> c) const {
    return cpu::converge(next, c, cpu::distance_function<T>(isa()), workers());
  }
  ///@}

 private:
  [[nodiscard]] Isa isa() const { return cpu::usable_isa(widest); }
};

}  // namespace lloyd::inline LLOYD_ABI
