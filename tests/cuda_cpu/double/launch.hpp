// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for CUDA: what stands in for cudaLaunchKernelEx. The arguments still have types, so that what is an
/// address among them can be checked.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace cuda_cpu {

/// Eight bytes of a kernel's argument that may be an address.
struct Word {
  std::uintptr_t value;
  int argument;
  bool is_pointer;  // by its type; else it is somewhere in a struct
};

/// Checks the launch as CUDA does and the addresses as CUDA does not, and puts the kernel into its stream.
cudaError_t launch_words(const cudaLaunchConfig_t& config, const void* kernel, const std::vector<Word>& words,
                         std::function<void()> call);

template <class Argument>
void add_words(std::vector<Word>& words, int number, const Argument& argument) {
  static_assert(std::is_trivially_copyable_v<Argument>, "CUDA copies arguments of kernels byte by byte");
  if constexpr (std::is_pointer_v<Argument> && !std::is_function_v<std::remove_pointer_t<Argument>>) {
    words.push_back({reinterpret_cast<std::uintptr_t>(argument), number, true});
  } else if constexpr (std::is_class_v<Argument> && alignof(Argument) >= alignof(void*)) {
    Argument copy = argument;
#ifndef __clang__
    __builtin_clear_padding(&copy);
#endif
    for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= sizeof copy; at += sizeof(std::uintptr_t)) {
      std::uintptr_t value = 0;
      std::memcpy(&value, reinterpret_cast<const char*>(&copy) + at, sizeof value);
      words.push_back({value, number, false});
    }
  }
}

template <class... Parameters, class... Arguments>
cudaError_t launch(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...), Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "a kernel gets as many arguments as it has parameters");
  static_assert((!std::is_reference_v<Parameters> && ...), "a kernel has no references as parameters");
  const std::tuple<std::remove_cv_t<Parameters>...> given(static_cast<Parameters>(arguments)...);
  std::vector<Word> words;
  std::apply(
      [&](const auto&... each) {
        int number = 0;
        (add_words(words, ++number, each), ...);
      },
      given);
  return launch_words(*config, reinterpret_cast<const void*>(kernel), words,
                      [kernel, given] { std::apply(kernel, given); });
}

}  // namespace cuda_cpu
