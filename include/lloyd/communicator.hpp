// SPDX-License-Identifier: MIT
/// @file
/// Who shares the work: a communicator adds integers over ranks. One process is a sum of one.
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <span>

#include "lloyd/version.hpp"

namespace lloyd::inline LLOYD_ABI {

/// What the loop asks of a communicator. Every member is collective: all ranks call it in the same order. Only integers
/// travel, so the result does not depend on the order in which they are added.
template <class C>
concept Communicator = requires(const C& ranks, std::span<std::int64_t> sums, std::span<std::uint64_t> maxima,
                                std::exception_ptr error) {
  { ranks.rank() } -> std::same_as<int>;
  { ranks.size() } -> std::same_as<int>;
  ranks.sum(sums);      // in place, modulo 2^64
  (ranks.max)(maxima);  // in place
  ranks.agree(error);   // throws on every rank if any rank has an error: its own on that rank, a BackendError elsewhere
};

/// One process.
class SingleProcess {
 public:
  /// What the concept Communicator asks for: there is nobody to agree with.
  ///@{
  [[nodiscard]] int rank() const { return 0; }
  [[nodiscard]] int size() const { return 1; }
  void sum(std::span<std::int64_t> /*sums*/) const {}
  void(max)(std::span<std::uint64_t> /*maxima*/) const {}
  void agree(const std::exception_ptr& error) const {
    if (error) std::rethrow_exception(error);
  }
  ///@}
};

namespace detail {

/// Runs `work` on every rank; if it fails on one, all throw. Collective.
template <class C, class Work>
void together(const C& ranks, const Work& work) {
  std::exception_ptr error;
  try {
    work();
  } catch (...) {
    error = std::current_exception();
  }
  ranks.agree(error);
}

}  // namespace detail
}  // namespace lloyd::inline LLOYD_ABI
