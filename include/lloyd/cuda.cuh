// SPDX-License-Identifier: MIT
/// @file
/// The CUDA backend: table of contents of cuda/. Rows in a device's memory, kernels of our own, products by cuBLAS.
///
/// For a unit that nvcc compiles, with -std=c++20 --expt-relaxed-constexpr, linked with cuBLAS.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lloyd/backend.hpp"
#include "lloyd/clustering.hpp"
#include "lloyd/cuda/accumulate.cuh"
#include "lloyd/cuda/assign.cuh"
#include "lloyd/cuda/assign_accumulate.cuh"
#include "lloyd/cuda/converge.cuh"
#include "lloyd/cuda/distance.cuh"
#include "lloyd/cuda/divide.cuh"
#include "lloyd/cuda/draw.cuh"
#include "lloyd/cuda/engine.cuh"
#include "lloyd/cuda/farthest.cuh"
#include "lloyd/cuda/gain.cuh"
#include "lloyd/cuda/loop.cuh"
#include "lloyd/cuda/lower.cuh"
#include "lloyd/cuda/move.cuh"
#include "lloyd/cuda/pick.cuh"
#include "lloyd/cuda/plus_plus.cuh"
#include "lloyd/cuda/prepare.cuh"
#include "lloyd/cuda/relocate.cuh"
#include "lloyd/cuda/reserve.cuh"
#include "lloyd/cuda/sample.cuh"
#include "lloyd/cuda/state.cuh"
#include "lloyd/cuda/survey.cuh"
#include "lloyd/kmeans.hpp"
#include "lloyd/reference.hpp"

namespace lloyd::inline LLOYD_ABI {

/// Runs on a GPU, over rows in its memory. What each member computes stands in backend.hpp. Spans and views are of the
/// device's memory where they are of rows, centroids, labels, d2 or sums, of the host's where they are results.
///
/// Everything that a call allocates comes from the pool, and everything it does goes to the stream, never to the
/// default stream. The caller's current device is the same afterwards. A call returns when the stream has finished.
struct Cuda {
  cudaStream_t stream = {};                   ///< null: one of its own, which waits for the caller's default stream
  int device = -1;                            ///< that of the rows and of the stream; negative: the current one
  cudaMemPool_t pool = {};                    ///< of the device; null: the device's own
  std::shared_ptr<cuda::Engine> engine = {};  ///< of a call while it runs; leave it empty

  /// Part of every backend: see lloyd/backend.hpp.
  ///@{
  using Space = Device;
  template <class V>
  using Buffer = cuda::Buffer<V>;
  template <class T>
  using Dense = cuda::DeviceMatrix<T>;
  template <class T>
  using Prepared = cuda::Prepared<T>;
  using Loop = cuda::Loop;
  ///@}

  /// The same, ready to work: what KMeans does for the length of a call.
  [[nodiscard]] Cuda open() const {
    Cuda opened = *this;
    opened.engine = std::make_shared<cuda::Engine>(device, stream, pool);
    return opened;
  }
  /// A primitive of lloyd/backend.hpp, or what a backend with memory of its own offers beside them.
  ///@{
  [[nodiscard]] int workers() const { return 1; }

  template <Real T>
  void survey(const Tile<T, Device>& tile, std::span<std::uint64_t> maxima) const {
    cuda::survey(*engine, tile, maxima);
  }
  template <Real T>
  [[nodiscard]] Prepared<T> prepare(MatrixView<const T, Device> c, std::span<const T> o,
                                    const detail::Batching& batching, const Options& options,
                                    MatrixView<const T, Device> /*before*/ = {}) const {
    return cuda::prepare(*engine, c, o, batching, options);
  }
  template <Real T>
  Index assign(const Tile<T, Device>& tile, const Prepared<T>& prepared, std::span<Label> labels, std::span<double> d2,
               detail::ExactSum* phi) const {
    return cuda::assign(*engine, tile, prepared, labels, d2, phi);
  }
  template <Real T>
  void assign_accumulate(const Tile<T, Device>& tile, const Prepared<T>& prepared, const detail::RowState& rows,
                         const detail::Quanta& quanta, const detail::SumsView& sums, detail::ExactSum* scatter,
                         detail::ExactSum* inertia) const {
    cuda::assign_accumulate(*engine, tile, prepared, rows.labels, quanta, sums, {scatter, inertia});
  }
  template <Real T>
  void accumulate(const Tile<T, Device>& tile, const Options& options, std::span<const Label> labels,
                  const detail::Quanta& quanta, const detail::SumsView& sums) const {
    cuda::accumulate(*engine, tile, options, labels, quanta, sums);
  }
  template <Real T>
  void distance(const Tile<T, Device>& tile, MatrixView<const T, Device> c, std::span<const Label> labels,
                std::span<double> d2, detail::ExactSum* phi) const {
    cuda::distance(*engine, tile, c, labels, d2, phi);
  }
  template <Real T>
  double lower(const Tile<T, Device>& tile, const Prepared<T>& prepared, MatrixView<const T, Device> /*seeds*/,
               Label first, std::span<double> d2, std::span<Label> labels, detail::ExactSum* phi) const {
    return cuda::lower(*engine, tile, prepared, first, d2, labels, phi);
  }
  template <Real T>
  void gain(const Tile<T, Device>& tile, const Prepared<T>& prepared, MatrixView<const T, Device> /*seeds*/,
            std::span<const Label> /*labels*/, std::span<const double> d2, std::span<detail::ExactSum> gains) const {
    cuda::gain(*engine, tile, prepared, d2, gains);
  }
  template <Real T>
  void pick(const Tile<T, Device>& tile, std::span<const double> d2, const detail::MassScale& scale, Index block,
            std::span<std::int64_t> masses) const {
    cuda::pick(*engine, tile, d2, scale, block, masses);
  }
  template <Real T>
  void sample(const Tile<T, Device>& tile, std::span<const double> d2, const detail::MassScale& scale,
              const detail::BernoulliTrial& trial, std::vector<Index>& rows) const {
    cuda::sample(*engine, tile, d2, scale, trial, rows);
  }
  template <Real T>
  void farthest(const Tile<T, Device>& tile, std::span<const double> d2, std::span<const Label> labels, Index m,
                std::vector<detail::FarRow>& far_rows) const {
    cuda::farthest(*engine, tile, d2, labels, m, far_rows);
  }
  template <Real T>
  void move(const Tile<T, Device>& tile, Index i, Label to, std::span<Label> labels, const detail::Quanta& quanta,
            const detail::SumsView& sums) const {
    cuda::move(*engine, tile, i, to, labels, quanta, sums);
  }
  template <Real T>
  void divide(const detail::SumsView& sums, const detail::Quanta& quanta, MatrixView<const T, Device> c,
              MatrixView<T, Device> next) const {
    cuda::divide(*engine, sums, quanta, c, next);
  }
  template <Real T>
  [[nodiscard]] double converge(MatrixView<const T, Device> next, MatrixView<const T, Device> c) const {
    return cuda::converge(*engine, next, c);
  }

  // What kmeans/memory.hpp asks of a backend whose memory the host does not read.
  template <class V>
  [[nodiscard]] cuda::Buffer<V> make(Index n) const {
    return engine->make<V>(n);
  }
  template <Real T>
  [[nodiscard]] cuda::DeviceMatrix<T> make(Index rows, Index cols) const {
    return {engine->memory(), rows, cols};
  }
  template <Real T>
  void reserve(Index rows, const detail::SumsShape& shape, const detail::Batching& batching, const Options& options,
               bool seeded) const {
    cuda::reserve<T>(*engine, rows, shape, batching, options, seeded);
  }
  template <Real T>
  void demand_here(const Tile<T, Device>& tile) const {
    engine->demand_here(tile);
  }
  template <class V>
  void fill(std::span<V> values, V value) const {
    cuda::fill(*engine, values, value);
  }
  template <class V>
  void put(std::span<V> values, std::span<const Index> at, V value) const {
    cuda::put(*engine, values, at, value);
  }
  template <Real T, class From, class To>
  void copy(MatrixView<const T, From> from, MatrixView<T, To> to) const {
    engine->copy(from, to);
  }
  template <class V>
  void read(std::span<const V> from, V* to) const {
    engine->read(from.data(), from.size(), to);
  }
  template <class V>
  void write(std::span<const V> from, std::span<V> to) const {
    engine->write(from.data(), from.size(), to.data());
  }
  [[nodiscard]] std::vector<double> read_weights(const Weights<Device>& w) const {
    return cuda::read_weights(*engine, w);
  }
  template <Real T>
  void gather(const Tile<T, Device>& tile, std::span<const Index> wanted, MatrixView<T, Device> out,
              std::span<double> w) const {
    cuda::gather(*engine, tile, wanted, out, w);
  }
  template <Real T>
  [[nodiscard]] cuda::Buffer<T> mean(MatrixView<const T, Device> c) const {
    return cuda::mean(*engine, c);
  }
  void add(std::span<std::int64_t> sums, std::span<std::int64_t> delta) const { cuda::add(*engine, sums, delta); }
  template <Real T>
  [[nodiscard]] std::vector<Index> draw(const Tile<T, Device>& tile, std::span<const double> values,
                                        const detail::MassScale& scale, const detail::DrawAddress& first,
                                        Index count) const {
    return cuda::draw(*engine, tile, values, scale, first, count);
  }
  template <Real T>
  void extend_plus_plus(const Tile<T, Device>& tile, MatrixView<T, Device> c, std::span<double> d2,
                        std::span<Label> labels, const cuda::PlusPlus& of) const {
    cuda::extend_plus_plus(*engine, tile, c, d2, labels, of);
  }
  template <Real T>
  void relocate(const Tile<T, Device>& tile, MatrixView<const T, Device> c, std::span<Label> labels,
                std::span<double> d2, const detail::Quanta& quanta, const detail::SumsView& sums,
                const detail::SumsView& delta) const {
    cuda::relocate(*engine, tile, c, quanta, {labels, d2, sums, &delta.changed()});
  }
  ///@}
};

/// A result in memory that the host reads. Waits for the stream that the result was made on.
template <Real T>
[[nodiscard]] Clustering<T, Reference> to_host(const Clustering<T, Cuda>& result) {
  Clustering<T, Reference> here;
  here.centroids = Matrix<T>(result.centroids.rows(), result.centroids.cols());
  cuda::read_all(result.centroids, here.centroids.data());
  here.labels.resize(static_cast<std::size_t>(result.labels.size()));
  cuda::read_all(result.labels, here.labels.data());
  here.cluster_sizes = result.cluster_sizes;
  here.cluster_weights = result.cluster_weights;
  here.inertia = result.inertia;
  here.centroid_shift = result.centroid_shift;
  here.n_iter = result.n_iter;
  here.n_empty = result.n_empty;
  here.n_rechecked = result.n_rechecked;
  here.n_skipped = result.n_skipped;
  here.stop_reason = result.stop_reason;
  return here;
}
/// The same for labels and distances.
template <class V>
[[nodiscard]] std::vector<V> to_host(const cuda::Buffer<V>& buffer) {
  std::vector<V> here(static_cast<std::size_t>(buffer.size()));
  cuda::read_all(buffer, here.data());
  return here;
}
/// The same for a matrix.
template <Real T>
[[nodiscard]] Matrix<T> to_host(const cuda::DeviceMatrix<T>& x) {
  Matrix<T> here(x.rows(), x.cols());
  cuda::read_all(x, here.data());
  return here;
}

}  // namespace lloyd::inline LLOYD_ABI
