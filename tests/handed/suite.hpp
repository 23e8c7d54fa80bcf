// SPDX-License-Identifier: MIT
/// @file
/// The cases that other implementations got wrong: one typed suite, one test a case, named by its id (docs/handed.md).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/checked.hpp"
#include "support/data.hpp"

namespace lloyd::test {

template <class Entry>
class Handed : public testing::Test {};

TYPED_TEST_SUITE(Handed, EveryBackend, BackendNames);

/// |value - right| <= relative * |right|
inline void expect_close(double value, double right, double relative) {
  EXPECT_LE(std::fabs(value - right), relative * std::fabs(right)) << value << ", right is " << right;
}

// A fit is much code: it is compiled once for each backend and type, in checked_test.cpp.
#define LLOYD_TEST_FITS(instantiate, B, T)                                                            \
  instantiate Clustering<T, B> checked_fit<On<B, T>>(const Options&, const Input<T>&);                \
  instantiate Clustering<T, B> fit_input<B, T>(const KMeans<B>&, const Input<T>&);                    \
  instantiate Clustering<T, B> fit_source<B, T, TiledSource<T>>(const KMeans<B>&, const Input<T>&,    \
                                                                const TiledSource<T>&);               \
  instantiate std::vector<Label> predict<B, T>(const KMeans<B>&, const Matrix<T>&, const Matrix<T>&); \
  instantiate void expect_right<On<B, T>, T>(const Options&, const Input<T>&, const Clustering<T, B>&)
LLOYD_TEST_FITS(extern template, Reference, float);
LLOYD_TEST_FITS(extern template, Reference, double);
LLOYD_TEST_FITS(extern template, Cpu, float);
LLOYD_TEST_FITS(extern template, Cpu, double);

}  // namespace lloyd::test
