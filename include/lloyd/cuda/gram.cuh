// SPDX-License-Identifier: MIT
/// @file
/// Matrix products, by cuBLAS. The only room that multiplies matrices.
#pragma once

#include <cublas_v2.h>

#include "lloyd/cuda/bound.cuh"
#include "lloyd/cuda/engine.cuh"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// out = a b^T: rows x inner by cols x inner, row-major, `a_stride`, `b_stride` and cols values from row to row.
struct ProductShape {
  Index rows, cols, inner, a_stride, b_stride;
};

inline void product(Engine& engine, const ProductShape& of, const float* a, const float* b, float* out) {
  const float one = 1, zero = 0;
  // Column by column, as the library sees it, this is the transpose: out^T = b a^T.
  LLOYD_CUDA_CHECK(cublasSgemm_64(engine.blas(), CUBLAS_OP_T, CUBLAS_OP_N, of.cols, of.rows, of.inner, &one, b,
                                  of.b_stride, a, of.a_stride, &zero, out, of.cols));
}
inline void product(Engine& engine, const ProductShape& of, const double* a, const double* b, double* out) {
  const double one = 1, zero = 0;
  LLOYD_CUDA_CHECK(cublasDgemm_64(engine.blas(), CUBLAS_OP_T, CUBLAS_OP_N, of.cols, of.rows, of.inner, &one, b,
                                  of.b_stride, a, of.a_stride, &zero, out, of.cols));
}

/// Products of rows and centroids over features_per_product features at a time, one after another in `out`: whatever
/// the order in which the library adds, no chain is longer.
template <Real F>
void gram(Engine& engine, const F* rows, const F* centroids, Index n, Index k, Index d, F* out) {
  for (Index q = 0; q < d; q += features_per_product) {
    const Index width = d - q < features_per_product ? d - q : features_per_product;
    product(engine, {n, k, width, d, d}, rows + q, centroids + q, out);
    out += n * k;
  }
}

}  // namespace lloyd::inline LLOYD_ABI::cuda
