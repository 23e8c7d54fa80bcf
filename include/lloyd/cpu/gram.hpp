// SPDX-License-Identifier: MIT
/// @file
/// Matrix products, by Eigen. The only room that includes it.
#pragma once

#if !__has_include(<Eigen/Core>)
#error "lloyd: Cpu needs Eigen 3 (Debian: libeigen3-dev, -I /usr/include/eigen3); lloyd/reference.hpp needs none"
#include <Eigen 3>  // ends the unit here
#endif
#include <Eigen/Core>
#include <algorithm>

#include "lloyd/cpu/kernel.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// out = a b over d features: rows x d times d x cols, row-major; chains of additions are begun anew as in kernels.
///
/// Products are taken 32 rows at a time: below that bound, known to the compiler, Eigen starts no threads of its own.
template <Real F>
void gram(const F* a, const F* b, Index rows, Index cols, Index d, F* out) {
  using Dense = Eigen::Matrix<F, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  constexpr int rows_a_call = 32;
  using Block = Eigen::Matrix<F, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, rows_a_call, Eigen::Dynamic>;
  const Eigen::Map<const Dense> right(b, d, cols);
  for (Index i = 0; i < rows; i += rows_a_call) {
    const Index count = (std::min)(Index{rows_a_call}, rows - i);
    const Eigen::Map<const Dense> left(a + i * d, count, d);
    Eigen::Map<Block> product(out + i * cols, count, cols);
    for (Index q = 0; q < d; q += features_per_chain) {
      const Index width = (std::min)(features_per_chain, d - q);
      if (q == 0) product.noalias() = left.middleCols(q, width) * right.middleRows(q, width);
      if (q != 0) product.noalias() += left.middleCols(q, width) * right.middleRows(q, width);
    }
  }
}

/// out = a b: rows x inner times inner x cols, row-major, without padding.
inline void product(const double* a, const double* b, Index rows, Index inner, Index cols, double* out) {
  using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  constexpr int rows_a_call = 32;
  using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, rows_a_call, Eigen::Dynamic>;
  const Eigen::Map<const Dense> right(b, inner, cols);
  for (Index i = 0; i < rows; i += rows_a_call) {
    const Index count = (std::min)(Index{rows_a_call}, rows - i);
    Eigen::Map<Block>(out + i * cols, count, cols).noalias() =
        Eigen::Map<const Dense>(a + i * inner, count, inner) * right;
  }
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
