// SPDX-License-Identifier: MIT
/// @file
/// Instruction sets: one binary, built with any options, holds code for several and chooses at run time.
#pragma once

#include <algorithm>
#include <cstdint>

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#include <immintrin.h>
#define LLOYD_X86 1
#define LLOYD_TARGET(features) __attribute__((target(features)))
#else
#define LLOYD_X86 0
#endif

namespace lloyd {

/// Instruction sets that kernels are written for, each a superset of the one before.
enum class Isa : std::uint8_t { portable, avx2, avx512 };

namespace cpu {

/// The widest instruction set of this machine, asked once.
[[nodiscard]] inline Isa widest_isa() {
#if LLOYD_X86
  static const Isa widest = [] {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Isa::portable;
    const bool wide =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return wide ? Isa::avx512 : Isa::avx2;
  }();
  return widest;
#else
  return Isa::portable;
#endif
}

/// What runs when `most` is allowed.
[[nodiscard]] inline Isa usable_isa(Isa most) { return (std::min)(most, widest_isa()); }

}  // namespace cpu
}  // namespace lloyd
