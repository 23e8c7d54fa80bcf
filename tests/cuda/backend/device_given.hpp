// SPDX-License-Identifier: MIT
/// @file
/// What a primitive works on, in a device's memory, and its results for the host to look at.
#pragma once

#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "lloyd/cuda.cuh"
#include "support/given.hpp"

namespace lloyd::test {

/// Values of the host on a device, and back.
template <class V>
class Twin {
 public:
  Twin(const Cuda& cuda, std::span<const V> values)
      : cuda_(cuda), there_(cuda.make<V>(static_cast<Index>(values.size()))) {
    cuda.write(values, span());
  }
  Twin(const Cuda& cuda, const std::vector<V>& values) : Twin(cuda, std::span<const V>(values)) {}

  [[nodiscard]] std::span<V> span() { return detail::span_of(there_); }
  [[nodiscard]] std::span<const V> span() const { return detail::span_of(there_); }
  [[nodiscard]] std::vector<V> values() const { return to_host(there_); }

 private:
  const Cuda& cuda_;
  cuda::Buffer<V> there_;
};

/// A Given on a device.
template <Real T>
class DeviceGiven {
 public:
  DeviceGiven(const Cuda& cuda, const Given<T>& given)
      : cuda_(cuda),
        given_(given),
        x_(cuda, values_of(given.x())),
        c_(cuda, values_of(given.c())),
        origin_(cuda, given.origin),
        labels_(cuda, given.labels),
        d2_(cuda, given.d2),
        w_float_(cuda, given.w_float()),
        w_double_(cuda, given.w_double()) {}

  [[nodiscard]] const Given<T>& on_host() const { return given_; }
  [[nodiscard]] MatrixView<const T, Device> x() const { return view(x_, given_.shape.n); }
  [[nodiscard]] MatrixView<const T, Device> c() const { return view(c_, given_.shape.k); }
  [[nodiscard]] std::span<const T> origin() const { return origin_.span(); }
  [[nodiscard]] std::span<const Label> labels() const { return labels_.span(); }
  [[nodiscard]] std::span<const double> d2() const { return d2_.span(); }
  [[nodiscard]] Tile<T, Device> tile() const {
    const auto weights = [](const auto& w) {
      return Weights<Device>(
          VectorView<const std::remove_cvref_t<decltype(w.span()[0])>, Device>(w.span().data(), w.span().size()));
    };
    const auto w = w_float_.span().empty() ? weights(w_double_) : weights(w_float_);
    return {x(), w.scaled(given_.w_scale()), 0, 1000, 3};
  }
  [[nodiscard]] auto prepare(const detail::Batching& batching, const Options& options) const {
    return cuda_.prepare(c(), origin(), batching, options);
  }

 private:
  [[nodiscard]] static std::span<const T> values_of(MatrixView<const T> x) {
    return {x.data(), static_cast<std::size_t>(x.rows() * x.row_stride())};
  }
  [[nodiscard]] MatrixView<const T, Device> view(const Twin<T>& values, Index rows) const {
    return {values.span().data(), rows, given_.shape.d, given_.shape.d + given_.shape.padding};
  }

  const Cuda& cuda_;
  const Given<T>& given_;
  Twin<T> x_, c_, origin_;
  Twin<Label> labels_;
  Twin<double> d2_;
  Twin<float> w_float_;
  Twin<double> w_double_;
};

/// A way in which a device does the work.
struct DeviceVariant {
  const char* name;
  detail::Batching batching;
  CentroidUpdate update;

  [[nodiscard]] Options options() const {
    Options options;
    options.update = update;
    return options;
  }
};
inline constexpr DeviceVariant device_variants[] = {
    {"tiles of 32 x 16, scatter-add", {32, 16, std::size_t{1} << 24}, CentroidUpdate::scatter_add},
    {"tiles of 7 x 5, one-hot within 4 KiB", {7, 5, std::size_t{1} << 12}, CentroidUpdate::one_hot},
    {"one tile, automatic", {2048, 512, std::size_t{1} << 24}, CentroidUpdate::automatic},
};

/// Around eight and 32 rows, tiles of 5 and 16 centroids, products of 256 features, rows longer than they are wide.
inline const std::vector<Shape>& device_shapes() {
  static const std::vector<Shape> shapes = {{0, 3, 2},      {1, 1, 1},      {1, 9, 3, 2}, {17, 3, 15},  {31, 2, 16},
                                            {33, 5, 17, 3}, {40, 33, 6, 5}, {20, 256, 4}, {12, 513, 9}, {64, 1, 40, 1}};
  return shapes;
}

/// Calls use(cuda, device_given) for every shape, with every third kind of rows; weights take turns.
template <Real T, class Use>
void for_each_on_device(const std::vector<Shape>& shapes, const Use& use) {
  std::uint64_t number = 0;
  for (const Shape& shape : shapes)
    for (std::size_t k = number % 3; k < std::size(every_kind); k += 3) {
      const auto weighting = static_cast<Weighting>(number % 3);
      SCOPED_TRACE(testing::Message() << "n " << shape.n << ", d " << shape.d << ", k " << shape.k << ", kind " << k
                                      << ", weighting " << static_cast<int>(weighting));
      const Cuda cuda = Cuda().open();
      const Given<T> given(every_kind[k], shape, weighting, ++number);
      use(cuda, DeviceGiven<T>(cuda, given));
      if (testing::Test::HasFatalFailure()) return;
    }
}

/// The same for every way.
template <Real T, class Use>
void for_each_way_on_device(const std::vector<Shape>& shapes, const Use& use) {
  for_each_on_device<T>(shapes, [&](const Cuda& cuda, const DeviceGiven<T>& given) {
    for (const DeviceVariant& variant : device_variants) {
      SCOPED_TRACE(variant.name);
      use(cuda, given, variant);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

}  // namespace lloyd::test
