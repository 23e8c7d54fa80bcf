// SPDX-License-Identifier: MIT
/// @file
/// Who shares the work: a communicator adds integers over ranks. One process is a sum of one.
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

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

/// Runs `work` on every rank and returns its answer; if it fails on one, all throw. Collective. What may fail on one
/// rank alone, if only for want of memory, belongs in here: elsewhere the other ranks would wait for it.
template <class C, class Work>
decltype(auto) together(const C& ranks, const Work& work) {
  using Answer = std::invoke_result_t<const Work&>;
  if constexpr (std::is_void_v<Answer>) {
    (void)together(ranks, [&] {
      work();
      return true;
    });
  } else if constexpr (std::is_reference_v<Answer>) {
    return *together(ranks, [&] { return std::addressof(work()); });
  } else {
    std::optional<Answer> answer;
    std::exception_ptr error;
    try {
      answer.emplace(work());
    } catch (...) {
      error = std::current_exception();
    }
    ranks.agree(error);
    return Answer(std::move(*answer));
  }
}

}  // namespace detail
}  // namespace lloyd::inline LLOYD_ABI
