// SPDX-License-Identifier: MIT
/// @file
/// What the tests of single primitives share: rows, centroids, labels and sums of every hostile kind.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "lloyd/kmeans.hpp"
#include "lloyd/reference.hpp"
#include "support/data.hpp"
#include "support/verify.hpp"

namespace lloyd::test {

/// For TYPED_TEST_SUITE of the scalars that rows are made of.
using Scalars = testing::Types<float, double>;

/// Rows of what nature.
enum class Kind { blobs, grid, duplicates, offset, mixed, bisectors, far };
inline constexpr Kind every_kind[] = {Kind::blobs, Kind::grid,      Kind::duplicates, Kind::offset,
                                      Kind::mixed, Kind::bisectors, Kind::far};

/// Rows of this size lie so far from centroids of its inverse that no filter in T can hold both.
template <Real T>
inline constexpr double far_scale = std::is_same_v<T, float> ? 0x1p100 : 0x1p250;

template <Real T>
[[nodiscard]] Matrix<T> rows_of_kind(Kind kind, Index n, Index d, std::uint64_t seed) {
  switch (kind) {
    case Kind::blobs:
      return blobs<T>(n, d, 4, seed);
    case Kind::grid:
      return grid_rows<T>(n, d, seed);
    case Kind::duplicates:
      return duplicated_rows<T>(n, d, 5, seed);
    case Kind::offset:
      return shifted(normal_rows<T>(n, d, seed), 1e6);
    case Kind::mixed:
      return mixed_scales<T>(n, d, seed, 40);
    case Kind::far:
      return scaled(normal_rows<T>(n, d, seed), far_scale<T>);
    case Kind::bisectors:
      break;
  }
  return mirrored_rows<T>(n, d, seed);
}

/// How rows are weighted.
enum class Weighting { none, in_float, in_double };

struct Shape {
  Index n, d, k;
  Index padding = 0;  // values between one row and the next
};

/// What a primitive works on. Views look into the vectors beside them, which keep their places when this is moved.
template <Real T>
class Given {
 public:
  Given(Kind kind, const Shape& of, Weighting weighting, std::uint64_t seed)
      : shape(of), random_(seed), x_(padded(rows_of_kind<T>(kind, shape.n, shape.d, seed))), c_(make_centroids(kind)) {
    make_weights(weighting);
    const auto n = static_cast<std::size_t>(shape.n);
    for (std::size_t i = 0; i < n; ++i) {
      labels.push_back(static_cast<Label>(random_.below(shape.k)));
      d2.push_back(random_.below(6) == 0 ? 0 : random_.uniform(0, 4 * static_cast<double>(shape.d)));
      if (kind == Kind::far) d2.back() *= far_scale<T> * far_scale<T>;
    }
    origin = detail::mean_of(c());
    detail::Survey survey(shape.d);
    Reference().survey(tile(), survey.maxima());
    w_scale_ = std::ldexp(1.0, -survey.weight_exponent());
    quanta = detail::choose_quanta(shape.n, survey.columns(std::numeric_limits<T>::digits, detail::lowest_bit<T>));
  }

  [[nodiscard]] MatrixView<const T> x() const { return {x_.data(), shape.n, shape.d, shape.d + shape.padding}; }
  [[nodiscard]] MatrixView<const T> c() const { return {c_.data(), shape.k, shape.d, shape.d + shape.padding}; }
  /// The rows as a tile that begins at global row 1000 and takes every third one.
  [[nodiscard]] Tile<T> tile() const { return {x(), weights_.scaled(w_scale_), 0, 1000, 3}; }
  [[nodiscard]] bool weighted() const { return !weights_.empty(); }
  /// The weights before they are scaled; one of the two is empty, or both.
  [[nodiscard]] std::span<const float> w_float() const {
    return weights_are_float_ ? std::span(w_float_) : std::span<const float>();
  }
  [[nodiscard]] std::span<const double> w_double() const {
    return weights_are_float_ ? std::span<const double>() : std::span(w_double_);
  }
  [[nodiscard]] double w_scale() const { return w_scale_; }
  [[nodiscard]] detail::SumsShape sums_shape() const { return {shape.k, shape.d, quanta}; }
  /// Sums in which something stands already: primitives add.
  [[nodiscard]] std::vector<std::int64_t> some_sums() const {
    std::vector<std::int64_t> values(static_cast<std::size_t>(sums_shape().size()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i) * 1000003 - 77;
    return values;
  }
  [[nodiscard]] detail::MassScale mass_scale() const {
    double largest = 0;
    for (Index i = 0; i < shape.n; ++i) largest = std::max(largest, tile().w(i) * d2[static_cast<std::size_t>(i)]);
    return detail::MassScale::for_largest(largest, std::max<Index>(shape.n, 1));
  }
  template <class B>
  [[nodiscard]] auto prepare(const B& backend, const detail::Batching& batching, const Options& options) const {
    return backend.prepare(c(), std::span<const T>(origin), batching, options);
  }

  Shape shape;
  std::vector<Label> labels;
  std::vector<double> d2;
  std::vector<T> origin;
  detail::Quanta quanta;

 private:
  /// The same rows with NaN between them, which nobody may read.
  [[nodiscard]] std::vector<T> padded(const Matrix<T>& rows) const {
    std::vector<T> values(static_cast<std::size_t>(rows.rows() * (shape.d + shape.padding)),
                          std::numeric_limits<T>::quiet_NaN());
    for (Index i = 0; i < rows.rows(); ++i)
      std::copy_n(rows.row(i), shape.d, values.begin() + i * (shape.d + shape.padding));
    return values;
  }
  /// Rows and points between rows, some of them twice: labels tie.
  [[nodiscard]] std::vector<T> make_centroids(Kind kind) {
    if (kind == Kind::far) return padded(scaled(normal_rows<T>(shape.k, shape.d, random_.bits()), 1 / far_scale<T>));
    Matrix<T> centroids = rows_of_kind<T>(kind, shape.k, shape.d, random_.bits());
    for (Index j = 0; j < shape.k && shape.n > 0; ++j) {
      const Index i = random_.below(shape.n);
      if (random_.flip()) std::copy_n(x_.begin() + i * (shape.d + shape.padding), shape.d, centroids.row(j));
      if (j > 0 && random_.below(4) == 0) std::copy_n(centroids.row(random_.below(j)), shape.d, centroids.row(j));
    }
    return padded(centroids);
  }
  void make_weights(Weighting weighting) {
    if (weighting == Weighting::none || shape.n == 0) return;
    for (Index i = 0; i < shape.n; ++i) {
      const double w = i % 7 == 3 ? 0 : random_.uniform(0.1, 30);
      w_double_.push_back(w);
      w_float_.push_back(static_cast<float>(w));
    }
    weights_are_float_ = weighting == Weighting::in_float;
    weights_ = weights_are_float_ ? Weights<>(VectorView<const float>(w_float_))
                                  : Weights<>(VectorView<const double>(w_double_));
  }

  Random random_;
  std::vector<T> x_, c_;
  std::vector<float> w_float_;
  std::vector<double> w_double_;
  Weights<> weights_;
  bool weights_are_float_ = false;
  double w_scale_ = 1;
};

/// Shapes around tiles of 16 and 32 rows and of 16 centroids, odd ones, and rows longer than they are wide.
inline const std::vector<Shape>& small_shapes() {
  static const std::vector<Shape> shapes = {
      {0, 3, 2},       {1, 1, 1},    {1, 9, 3, 2},   {15, 2, 5},     {16, 2, 4, 1}, {17, 3, 15},      {31, 3, 16},
      {32, 5, 17, 3},  {33, 7, 1},   {65, 8, 33},    {64, 12, 5, 4}, {63, 13, 7},   {100, 17, 31},    {40, 33, 6, 5},
      {37, 129, 5},    {50, 300, 3}, {97, 1, 40, 1}, {35, 513, 9},   {90, 70, 40},  {49, 131, 33, 3}, {45, 1, 170},
      {40, 2, 330, 1}, {33, 64, 3},  {50, 77, 2, 5}, {100, 263, 1}};
  return shapes;
}

/// Calls use(given) for every shape and kind; weights take turns.
template <Real T, class Use>
void for_each_given(const std::vector<Shape>& shapes, const Use& use) {
  std::uint64_t seed = 0;
  for (const Shape& shape : shapes)
    for (const Kind kind : every_kind) {
      const auto weighting = static_cast<Weighting>(seed % 3);
      SCOPED_TRACE(testing::Message() << "n " << shape.n << ", d " << shape.d << ", k " << shape.k << ", kind "
                                      << static_cast<int>(kind) << ", weighting " << static_cast<int>(weighting));
      use(Given<T>(kind, shape, weighting, ++seed));
      if (testing::Test::HasFatalFailure()) return;
    }
}

/// The same value, integer by integer: after carrying it has one form.
[[nodiscard]] inline bool same(detail::ExactSum a, detail::ExactSum b) {
  const auto x = a.exchange(), y = b.exchange();
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}

/// A sum in which something stands already.
[[nodiscard]] inline detail::ExactSum some_sum() {
  detail::ExactSum sum;
  sum.add(-12.375);
  return sum;
}

}  // namespace lloyd::test
