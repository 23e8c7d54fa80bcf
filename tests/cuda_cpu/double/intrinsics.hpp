// SPDX-License-Identifier: MIT
/// @file
/// TEST DOUBLE for CUDA: functions of one thread that nvcc knows by itself.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>

// --- integers
// ----------------------------------------------------------------------------------------------------------
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(std::uint64_t{a} * b >> 32U); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<unsigned long long>(static_cast<Wide>(a) * b >> 64U);
}
inline long long __mul64hi(long long a, long long b) {
  __extension__ using Wide = __int128;
  return static_cast<long long>(static_cast<Wide>(a) * b >> 64);
}

// --- bits
// --------------------------------------------------------------------------------------------------------------
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
inline int __double2hiint(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 32U); }
inline int __double2loint(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x)); }

// --- loads
// -------------------------------------------------------------------------------------------------------------
template <class T>
T __ldg(const T* address) {
  return *address;
}
template <class T>
T __ldcs(const T* address) {
  return *address;
}
template <class T>
T __ldcg(const T* address) {
  return *address;
}
template <class T>
void __stcs(T* address, T value) {
  *address = value;
}

// --- arithmetic with its rounding written out
// --------------------------------------------------------------------------
namespace cuda_cpu {

/// The operation in a direction. What it works on is volatile, so that it is done then and not before.
template <class T, class Operation>
T rounded(int direction, T a, T b, T c, const Operation& operation) {
  volatile T x = a, y = b, z = c;
  const int before = std::fegetround();
  std::fesetround(direction);
  volatile T result = operation(x, y, z);
  std::fesetround(before);
  return result;
}
/// A value that the compiler cannot look into: what made it is not contracted with what is done to it.
template <class F>
F apart(F value) {
  asm("" : "+x"(value));
  return value;
}
inline constexpr auto sum = [](auto a, auto b, auto) { return a + b; };
inline constexpr auto difference = [](auto a, auto b, auto) { return a - b; };
inline constexpr auto product = [](auto a, auto b, auto) { return a * b; };
inline constexpr auto quotient = [](auto a, auto b, auto) { return a / b; };
inline constexpr auto root = [](auto a, auto, auto) { return std::sqrt(a); };
inline constexpr auto fused = [](auto a, auto b, auto c) { return std::fma(a, b, c); };

}  // namespace cuda_cpu

inline float __fadd_rn(float a, float b) { return cuda_cpu::apart(a) + cuda_cpu::apart(b); }
inline float __fsub_rn(float a, float b) { return cuda_cpu::apart(a) - cuda_cpu::apart(b); }
inline float __fmul_rn(float a, float b) { return cuda_cpu::apart(a * b); }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __dadd_rn(double a, double b) { return cuda_cpu::apart(a) + cuda_cpu::apart(b); }
inline double __dsub_rn(double a, double b) { return cuda_cpu::apart(a) - cuda_cpu::apart(b); }
inline double __dmul_rn(double a, double b) { return cuda_cpu::apart(a * b); }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }

inline float __fadd_ru(float a, float b) { return cuda_cpu::rounded(FE_UPWARD, a, b, b, cuda_cpu::sum); }
inline float __fadd_rd(float a, float b) { return cuda_cpu::rounded(FE_DOWNWARD, a, b, b, cuda_cpu::sum); }
inline float __fsub_ru(float a, float b) { return cuda_cpu::rounded(FE_UPWARD, a, b, b, cuda_cpu::difference); }
inline float __fsub_rd(float a, float b) { return cuda_cpu::rounded(FE_DOWNWARD, a, b, b, cuda_cpu::difference); }
inline float __fmul_ru(float a, float b) { return cuda_cpu::rounded(FE_UPWARD, a, b, b, cuda_cpu::product); }
inline float __fmul_rd(float a, float b) { return cuda_cpu::rounded(FE_DOWNWARD, a, b, b, cuda_cpu::product); }
inline float __fdiv_ru(float a, float b) { return cuda_cpu::rounded(FE_UPWARD, a, b, b, cuda_cpu::quotient); }
inline float __fdiv_rd(float a, float b) { return cuda_cpu::rounded(FE_DOWNWARD, a, b, b, cuda_cpu::quotient); }
inline float __fsqrt_ru(float a) { return cuda_cpu::rounded(FE_UPWARD, a, a, a, cuda_cpu::root); }
inline float __fsqrt_rd(float a) { return cuda_cpu::rounded(FE_DOWNWARD, a, a, a, cuda_cpu::root); }
inline float __fmaf_ru(float a, float b, float c) { return cuda_cpu::rounded(FE_UPWARD, a, b, c, cuda_cpu::fused); }
inline float __fmaf_rd(float a, float b, float c) { return cuda_cpu::rounded(FE_DOWNWARD, a, b, c, cuda_cpu::fused); }
inline double __dadd_ru(double a, double b) { return cuda_cpu::rounded(FE_UPWARD, a, b, b, cuda_cpu::sum); }
inline double __dadd_rd(double a, double b) { return cuda_cpu::rounded(FE_DOWNWARD, a, b, b, cuda_cpu::sum); }
inline double __dsub_ru(double a, double b) { return cuda_cpu::rounded(FE_UPWARD, a, b, b, cuda_cpu::difference); }
inline double __dsub_rd(double a, double b) { return cuda_cpu::rounded(FE_DOWNWARD, a, b, b, cuda_cpu::difference); }
inline double __dmul_ru(double a, double b) { return cuda_cpu::rounded(FE_UPWARD, a, b, b, cuda_cpu::product); }
inline double __dmul_rd(double a, double b) { return cuda_cpu::rounded(FE_DOWNWARD, a, b, b, cuda_cpu::product); }
inline double __ddiv_ru(double a, double b) { return cuda_cpu::rounded(FE_UPWARD, a, b, b, cuda_cpu::quotient); }
inline double __ddiv_rd(double a, double b) { return cuda_cpu::rounded(FE_DOWNWARD, a, b, b, cuda_cpu::quotient); }
inline double __dsqrt_ru(double a) { return cuda_cpu::rounded(FE_UPWARD, a, a, a, cuda_cpu::root); }
inline double __dsqrt_rd(double a) { return cuda_cpu::rounded(FE_DOWNWARD, a, a, a, cuda_cpu::root); }
inline double __fma_ru(double a, double b, double c) { return cuda_cpu::rounded(FE_UPWARD, a, b, c, cuda_cpu::fused); }
inline double __fma_rd(double a, double b, double c) {
  return cuda_cpu::rounded(FE_DOWNWARD, a, b, c, cuda_cpu::fused);
}

// --- conversions
// -------------------------------------------------------------------------------------------------------
inline float __double2float_rn(double x) { return static_cast<float>(x); }
inline float __double2float_ru(double x) {
  const float nearest = static_cast<float>(x);
  return static_cast<double>(nearest) < x ? std::nextafter(nearest, INFINITY) : nearest;
}
inline float __double2float_rd(double x) {
  const float nearest = static_cast<float>(x);
  return static_cast<double>(nearest) > x ? std::nextafter(nearest, -INFINITY) : nearest;
}
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
inline double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
inline long long __double2ll_rn(double x) { return std::llrint(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }

// --- the end
// -----------------------------------------------------------------------------------------------------------
[[noreturn]] inline void __trap() { __builtin_trap(); }
