// SPDX-License-Identifier: MIT
/// @file
/// Memory of a device: where it comes from, buffers that own it, and scratch that is handed out and taken back.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lloyd/cuda/check.cuh"
#include "lloyd/error.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cuda {

/// Makes a device, which is there, the current one while it lives; then the caller's is back. A negative number leaves
/// it.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device) noexcept {
    if (device < 0 || cudaGetDevice(&before_) != cudaSuccess || before_ == device) return;
    changed_ = cudaSetDevice(device) == cudaSuccess;
  }
  ~DeviceGuard() {
    if (changed_) (void)cudaSetDevice(before_);
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// A stream and the pool that memory is taken from, in the stream's order. A null stream is replaced by one of our own
/// that waits for the caller's work on the default stream, so that nothing is put there.
class Memory {
 public:
  Memory(int device, cudaStream_t stream, cudaMemPool_t pool)
      : device_(device), stream_(stream), pool_(pool), owns_stream_(stream == nullptr) {
    if (owns_stream_) LLOYD_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamDefault));
  }
  ~Memory() {
    const DeviceGuard guard(device_);
    if (owns_stream_) (void)cudaStreamDestroy(stream_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }

  /// @throws BackendError that names the bytes needed and free
  [[nodiscard]] void* allocate(std::size_t bytes) const {
    const DeviceGuard guard(device_);
    void* memory = nullptr;
    const cudaError_t status = pool_ != nullptr ? cudaMallocFromPoolAsync(&memory, bytes, pool_, stream_)
                                                : cudaMallocAsync(&memory, bytes, stream_);
    if (status == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      refuse(bytes);
    }
    LLOYD_CUDA_CHECK(status);
    return memory;
  }
  void free(void* memory) const noexcept {
    const DeviceGuard guard(device_);
    (void)cudaFreeAsync(memory, stream_);
  }

  /// Refuses work that needs more memory than can be had, before it begins.
  /// @throws BackendError that names the bytes needed and free
  void demand_free(std::size_t bytes) const {
    if (bytes > available()) refuse(bytes);
  }

 private:
  /// What the device has free, and what the pool holds without using it.
  [[nodiscard]] std::size_t available() const {
    const DeviceGuard guard(device_);
    std::size_t free_bytes = 0, total_bytes = 0;
    LLOYD_CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    cudaMemPool_t pool = pool_;
    if (pool == nullptr) LLOYD_CUDA_CHECK(cudaDeviceGetMemPool(&pool, device_));
    std::uint64_t reserved = 0, used = 0;
    LLOYD_CUDA_CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    LLOYD_CUDA_CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    return free_bytes + static_cast<std::size_t>(reserved > used ? reserved - used : 0);
  }
  [[noreturn]] void refuse(std::size_t bytes) const {
    throw BackendError(detail::text("lloyd::Cuda: device ", device_, " has too little memory: ", bytes,
                                    " bytes are needed, ", available(), " are free"));
  }

  int device_;
  cudaStream_t stream_;
  cudaMemPool_t pool_;
  bool owns_stream_;
};

/// Owns n values of a device, which are not cleared. It is freed in the order of the stream that it was made on, which
/// must still be there (unless it was null).
template <class V>
class Buffer {
  static_assert(std::is_trivially_copyable_v<V>);

 public:
  Buffer() = default;
  Buffer(std::shared_ptr<const Memory> memory, Index n) : memory_(std::move(memory)), size_(n) {
    if (n > 0) data_ = static_cast<V*>(memory_->allocate(static_cast<std::size_t>(n) * sizeof(V)));
  }
  ~Buffer() {
    if (data_ != nullptr) memory_->free(data_);
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer taken(std::move(other));
    swap(taken);
    return *this;
  }

  [[nodiscard]] V* data() noexcept { return data_; }
  [[nodiscard]] const V* data() const noexcept { return data_; }
  [[nodiscard]] Index size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return static_cast<std::size_t>(size_) * sizeof(V); }
  [[nodiscard]] VectorView<const V, Device> view() const { return {data_, size_}; }
  /// Where it was made, and where it can be copied.
  [[nodiscard]] const Memory& memory() const { return *memory_; }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  std::shared_ptr<const Memory> memory_;
  V* data_ = nullptr;
  Index size_ = 0;
};

/// Owns rows by columns of T on a device, row-major without padding.
template <Real T>
class DeviceMatrix {
 public:
  using Scalar = T;

  DeviceMatrix() = default;
  DeviceMatrix(std::shared_ptr<const Memory> memory, Index rows, Index cols)
      : values_(std::move(memory), rows * cols), rows_(rows), cols_(cols) {}
  /// One that was moved from is 0 x 0.
  ///@{
  DeviceMatrix(DeviceMatrix&& other) noexcept
      : values_(std::move(other.values_)), rows_(std::exchange(other.rows_, 0)), cols_(std::exchange(other.cols_, 0)) {}
  DeviceMatrix& operator=(DeviceMatrix&& other) noexcept {
    DeviceMatrix taken(std::move(other));
    std::swap(values_, taken.values_);
    std::swap(rows_, taken.rows_);
    std::swap(cols_, taken.cols_);
    return *this;
  }
  ///@}

  [[nodiscard]] T* data() noexcept { return values_.data(); }
  [[nodiscard]] const T* data() const noexcept { return values_.data(); }
  [[nodiscard]] Index rows() const noexcept { return rows_; }
  [[nodiscard]] Index cols() const noexcept { return cols_; }
  [[nodiscard]] MatrixView<T, Device> view() { return {data(), rows_, cols_}; }
  [[nodiscard]] MatrixView<const T, Device> view() const { return {data(), rows_, cols_}; }
  [[nodiscard]] std::size_t bytes() const noexcept { return values_.bytes(); }
  [[nodiscard]] const Memory& memory() const { return values_.memory(); }

 private:
  Buffer<T> values_;
  Index rows_ = 0, cols_ = 0;
};

/// Scratch: blocks of memory from which pieces are handed out and taken back in the opposite order. Nothing is given
/// back to the device before the end, so pieces that are used again cost nothing; all work is in one stream's order.
class Arena {
 public:
  struct Mark {
    std::size_t block = 0, used = 0;
  };

  explicit Arena(std::shared_ptr<const Memory> memory) : memory_(std::move(memory)) {}

  /// Whether there are so many bytes in one piece.
  [[nodiscard]] bool holds(std::size_t bytes) const {
    return !blocks_.empty() && static_cast<std::size_t>(blocks_.back().size()) >= bytes;
  }
  /// Makes sure of so many bytes in one piece.
  void reserve(std::size_t bytes) {
    if (!holds(bytes)) add(bytes);
  }
  [[nodiscard]] Mark mark() const { return mark_; }
  void release(const Mark& mark) { mark_ = mark; }

  /// n values, not cleared.
  template <class V>
  [[nodiscard]] V* take(Index n) {
    const std::size_t bytes = padded(static_cast<std::size_t>(n) * sizeof(V));
    while (mark_.block < blocks_.size() && bytes > free_bytes()) mark_ = {mark_.block + 1, 0};
    if (mark_.block == blocks_.size()) add(bytes);
    std::byte* piece = blocks_[mark_.block].data() + mark_.used;
    mark_.used += bytes;
    return reinterpret_cast<V*>(piece);
  }
  /// What a piece of so many bytes takes.
  [[nodiscard]] static std::size_t padded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

 private:
  static constexpr std::size_t alignment = 256, least_block = std::size_t{1} << 18;

  [[nodiscard]] std::size_t free_bytes() const {
    return static_cast<std::size_t>(blocks_[mark_.block].size()) - mark_.used;
  }
  void add(std::size_t bytes) {
    blocks_.emplace_back(memory_, static_cast<Index>(bytes > least_block ? bytes : least_block));
  }

  std::shared_ptr<const Memory> memory_;
  std::vector<Buffer<std::byte>> blocks_;
  Mark mark_;
};

/// Pieces of an arena for as long as this lives.
class Scratch {
 public:
  explicit Scratch(Arena& arena) : arena_(&arena), mark_(arena.mark()) {}
  ~Scratch() {
    if (arena_ != nullptr) arena_->release(mark_);
  }
  Scratch(Scratch&& other) noexcept : arena_(std::exchange(other.arena_, nullptr)), mark_(other.mark_) {}
  Scratch& operator=(Scratch&&) = delete;

  template <class V>
  [[nodiscard]] V* take(Index n) {
    return arena_->take<V>(n);
  }

 private:
  Arena* arena_;
  Arena::Mark mark_;
};

}  // namespace lloyd::inline LLOYD_ABI::cuda

namespace lloyd::inline LLOYD_ABI {

template <Real T>
struct MatrixTraits<cuda::DeviceMatrix<T>> {
  static MatrixView<const T, Device> view(const cuda::DeviceMatrix<T>& x) { return x.view(); }
};

}  // namespace lloyd::inline LLOYD_ABI
