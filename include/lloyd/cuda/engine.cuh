// SPDX-License-Identifier: MIT
/// @file
/// What one call works with: device, stream, memory, cuBLAS, and copies between host and device.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "lloyd/cuda/check.cuh"
#include "lloyd/cuda/launch.cuh"
#include "lloyd/cuda/memory.cuh"
#include "lloyd/kmeans/loop.hpp"
#include "lloyd/kmeans/quanta.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// Threads of a block of most kernels, at most.
inline constexpr int block_threads = 256;
/// Threads that work on one row together: one for each lane of D.
inline constexpr int row_threads = 8;

/// Kernels of a loop do nothing once it has ended: the host puts them into the stream before it knows.
struct Gate {
  const detail::LoopState* loop;

  [[nodiscard]] __device__ bool closed() const { return loop != nullptr && loop->done(); }
};

/// Quanta as kernels read them.
struct DeviceQuanta {
  int bits, limbs;
  const int* exponent;
  const double* inverse;
};

class Engine {
 public:
  Engine(int device, cudaStream_t stream, cudaMemPool_t pool)
      : guard_(existing(device)),
        memory_(std::make_shared<const Memory>(made_current(device), stream, pool)),
        arena_(memory_) {
    LLOYD_CUDA_CHECK(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, memory_->device()));
  }
  /// What was asked for has been done, so that all it works on may go.
  ~Engine() {
    (void)cudaStreamSynchronize(stream());
    if (handle_ != nullptr) (void)cublasDestroy(handle_);
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] cudaStream_t stream() const { return memory_->stream(); }
  [[nodiscard]] const std::shared_ptr<const Memory>& memory() const { return memory_; }
  [[nodiscard]] Scratch scratch() { return Scratch(arena_); }
  [[nodiscard]] Gate gate() const { return gate_; }
  void set_gate(const detail::LoopState* loop) { gate_ = {loop}; }

  /// Makes sure of `buffers` bytes beside `scratch` bytes in one piece and what cuBLAS needs, as far as these two are
  /// not held already.
  /// @throws BackendError that names the bytes needed and free
  void reserve(std::size_t buffers, std::size_t scratch) {
    const std::size_t workspace = handle_ == nullptr ? blas_workspace : 0;
    memory_->demand_free(buffers + workspace + (arena_.holds(scratch) ? 0 : scratch));
    arena_.reserve(scratch);
    (void)blas();
  }
  template <class V>
  [[nodiscard]] Buffer<V> make(Index n) const {
    return Buffer<V>(memory_, n);
  }

  /// Launches a kernel for n things, `each` threads to a thing. The kernel strides over what is left: the grid stays
  /// within what the device runs at once.
  template <class... Parameters, class... Arguments>
  void launch_for(Index n, int each, void (*kernel)(Parameters...), Arguments&&... arguments) const {
    launch_for_shared(n, each, 0, kernel, std::forward<Arguments>(arguments)...);
  }
  /// The same with so many bytes of dynamic shared memory a block.
  template <class... Parameters, class... Arguments>
  void launch_for_shared(Index n, int each, std::size_t shared_bytes, void (*kernel)(Parameters...),
                         Arguments&&... arguments) const {
    if (n <= 0) return;
    const Index warp = 32, per_block = block_threads / each;
    const Index threads = n < per_block ? (n * each + warp - 1) / warp * warp : Index{block_threads};
    launch(stream(), dim3(blocks_for((n + per_block - 1) / per_block)), dim3(static_cast<unsigned>(threads)),
           shared_bytes, kernel, std::forward<Arguments>(arguments)...);
  }
  /// Blocks that fill the device, and no more than there is work for.
  [[nodiscard]] unsigned blocks_for(Index parts) const {
    return static_cast<unsigned>((std::min)(parts, Index{processors_} * blocks_a_processor));
  }

  /// Refuses values that kernels on this device could not read.
  /// @param what  they are, for the message
  /// @throws InvalidArgument
  void demand_here(const void* values, const char* what) const {
    cudaPointerAttributes found{};
    LLOYD_CUDA_CHECK(cudaPointerGetAttributes(&found, values));
    detail::demand(found.type != cudaMemoryTypeUnregistered, "Cuda: the ", what,
                   " lie in memory of the host that no device can read; copy them to the device");
    detail::demand(found.type != cudaMemoryTypeDevice || found.device == memory_->device(), "Cuda: the ", what,
                   " lie on device ", found.device, ", the work is for device ", memory_->device(),
                   " (Cuda{.device = ", found.device, "})");
  }
  /// The same of a tile that has rows.
  template <Real T>
  void demand_here(const Tile<T, Device>& tile) const {
    if (tile.x.data() != nullptr) demand_here(tile.x.data(), "rows");
    if (tile.w.data() != nullptr) demand_here(tile.w.data(), "weights");
  }

  void wait() const { LLOYD_CUDA_CHECK(cudaStreamSynchronize(stream())); }
  /// Device to host; the values are there on return.
  template <class V>
  void read(const V* from, std::size_t n, V* to) const {
    copy_bytes(from, n * sizeof(V), to, cudaMemcpyDeviceToHost);
    wait();
  }
  /// Host to device; the host's values are no longer needed on return.
  template <class V>
  void write(const V* from, std::size_t n, V* to) const {
    copy_bytes(from, n * sizeof(V), to, cudaMemcpyHostToDevice);
    wait();
  }
  /// Sets every byte to 0.
  template <class V>
  void clear(V* values, Index n) const {
    LLOYD_CUDA_CHECK(cudaMemsetAsync(values, 0, static_cast<std::size_t>(n) * sizeof(V), stream()));
  }
  /// to = from; one of them may lie on the host, which has or has given the values on return. What is tagged as the
  /// device's may be pinned memory: the runtime finds out.
  template <Real T, class From, class To>
  void copy(MatrixView<const T, From> from, MatrixView<T, To> to) const {
    constexpr bool from_host = std::same_as<From, Host>, to_host = std::same_as<To, Host>;
    constexpr auto kind = cudaMemcpyDefault;
    if (from.rows() == 0) return;
    if constexpr (!from_host) demand_here(from.data(), "values");
    const auto width = static_cast<std::size_t>(from.cols()) * sizeof(T);
    const auto pitch = [](const auto& x) { return static_cast<std::size_t>(x.row_stride()) * sizeof(T); };
    if ((pitch(from) == width && pitch(to) == width) || from.rows() == 1) {
      copy_bytes(from.data(), width * static_cast<std::size_t>(from.rows()), to.data(), kind);
    } else {
      LLOYD_CUDA_CHECK(cudaMemcpy2DAsync(to.data(), pitch(to), from.data(), pitch(from), width,
                                         static_cast<std::size_t>(from.rows()), kind, stream()));
    }
    if (from_host || to_host) wait();
  }

  /// The library of matrix products, on this stream, in the precision of the operands and no other.
  [[nodiscard]] cublasHandle_t blas() {
    if (handle_ == nullptr) {
      LLOYD_CUDA_CHECK(cublasCreate(&handle_));
      LLOYD_CUDA_CHECK(cublasSetStream(handle_, stream()));
      LLOYD_CUDA_CHECK(cublasSetMathMode(handle_, CUBLAS_PEDANTIC_MATH));
      LLOYD_CUDA_CHECK(cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_HOST));
      workspace_ = make<std::byte>(blas_workspace);
      LLOYD_CUDA_CHECK(cublasSetWorkspace(handle_, workspace_.data(), blas_workspace));
    }
    return handle_;
  }
  static constexpr Index blas_workspace = Index{4} << 20;

  /// Quanta for kernels; the same ones are taken to the device once.
  [[nodiscard]] DeviceQuanta quanta(const detail::Quanta& quanta) {
    if (exponent_.data() == nullptr || exponents_ != quanta.exponent) {
      exponents_ = quanta.exponent;
      exponent_ = make<int>(quanta.columns());
      inverse_ = make<double>(quanta.columns());
      write(quanta.exponent.data(), quanta.exponent.size(), exponent_.data());
      write(quanta.inverse.data(), quanta.inverse.size(), inverse_.data());
    }
    return {quanta.bits, quanta.limbs, exponent_.data(), inverse_.data()};
  }

 private:
  static constexpr Index blocks_a_processor = 8;

  [[nodiscard]] static int existing(int device) {
    int count = 0;
    LLOYD_CUDA_CHECK(cudaGetDeviceCount(&count));
    detail::demand(device < count, "Cuda: device ", device, ", expected one of 0 to ", count - 1,
                   ", or a negative number for the current one");
    return device;
  }
  [[nodiscard]] static int made_current(int device) {
    if (device >= 0) LLOYD_CUDA_CHECK(cudaSetDevice(device));  // of which the guard says nothing
    LLOYD_CUDA_CHECK(cudaGetDevice(&device));
    return device;
  }
  void copy_bytes(const void* from, std::size_t bytes, void* to, cudaMemcpyKind kind) const {
    if (bytes > 0) LLOYD_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream()));
  }

  DeviceGuard guard_;
  std::shared_ptr<const Memory> memory_;
  Arena arena_;
  Gate gate_{nullptr};
  int processors_ = 1;
  cublasHandle_t handle_ = nullptr;
  Buffer<std::byte> workspace_;
  std::vector<int> exponents_;
  Buffer<int> exponent_;
  Buffer<double> inverse_;
};

}  // namespace lloyd::inline LLOYD_ABI::cuda
