// SPDX-License-Identifier: MIT
/// @file
/// Instruction sets: one binary, built with any options, holds code for several and chooses at run time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lloyd/version.hpp"

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif
/// Whether there is code for instruction sets of x86.
#define LLOYD_X86 1
/// Compiles a function for more than the machine that is compiled for.
#define LLOYD_TARGET(features) __attribute__((target(features)))
#else
#define LLOYD_X86 0
#endif

namespace lloyd::inline LLOYD_ABI {

/// Instruction sets that kernels are written for, each a superset of the one before.
enum class Isa : std::uint8_t {
  portable,  ///< vectors that the compiler lowers to what every machine has
  avx2,      ///< with FMA
  avx512,    ///< F, DQ and VL
  amx,       ///< tiles of bfloat16
};

namespace cpu {

#if LLOYD_X86
/// Whether there are tiles of bfloat16, and the operating system gives them to this process, which it must be asked
/// for. From then on it wants alternate signal stacks that hold them, some 11 KiB: so only who may use them asks.
[[nodiscard]] inline bool has_matrix_unit() {
#ifdef __linux__
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned bfloat16 = 1U << 22, tiles = 1U << 24, saves_extended_state = 1U << 27;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & saves_extended_state) == 0) return false;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & bfloat16) == 0 || (d & tiles) == 0) return false;
  constexpr long request_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
  return false;
#endif
}
#endif

/// The widest instruction set of this machine up to AVX-512.
[[nodiscard]] inline Isa widest_vectors() {
#if LLOYD_X86
  static const Isa widest = [] {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Isa::portable;
    const bool wide =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (!wide) return Isa::avx2;
    return Isa::avx512;
  }();
  return widest;
#else
  return Isa::portable;
#endif
}

/// The widest instruction set of this machine, asked once.
[[nodiscard]] inline Isa widest_isa() {
#if LLOYD_X86
  static const Isa widest = widest_vectors() == Isa::avx512 && has_matrix_unit() ? Isa::amx : widest_vectors();
  return widest;
#else
  return Isa::portable;
#endif
}

/// What runs when `most` is allowed.
[[nodiscard]] inline Isa usable_isa(Isa most) {
  return (std::min)(most, most < Isa::amx ? widest_vectors() : widest_isa());
}

}  // namespace cpu
}  // namespace lloyd::inline LLOYD_ABI
