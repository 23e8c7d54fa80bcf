// SPDX-License-Identifier: MIT
/// @file
/// Sums of distances between rows: a vector of rows, in lanes, by a run of others. Each pair is evaluated once and
/// added on both sides, as integers.
///
/// A distance r = sqrt(D) is cut in two without an instruction that converts. Adding 1.5 * 2^52 quanta rounds r to a
/// multiple m of the quantum, and the bits of the result are those of the constant plus the integer m; so bits are
/// added, and the constant's are taken off at the end. What m leaves is cut again, by a quantum 2^-bits as large, and
/// rounded for good.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "lloyd/cpu/vector.hpp"
#include "lloyd/matrix.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

inline constexpr int most_pair_lanes = 8;

/// What is read and written.
struct PairTile {
  Index d;
  const double* x;      ///< d x lanes: rows in lanes
  const double* y;      ///< count x d: the others
  Index count;          ///< of them
  double high, low;     ///< 1.5 * 2^52 quanta of the first, and of the second, cut
  std::uint64_t* of_x;  ///< out, 2 x lanes: first cuts of sqrt(D(x, y)), then second cuts, added over y
  std::uint64_t* of_y;  ///< count x 2 x lanes: the same, lane by lane, added to what is there
};

/// One double as a vector of one lane. Its fma rounds once, unlike Portable's.
struct OneDouble {
  using Scalar = double;
  static constexpr int lanes = 1;
  double v;

  static OneDouble load(const double* from) { return {*from}; }
  static OneDouble all(double value) { return {value}; }
  static OneDouble fma(OneDouble a, OneDouble b, OneDouble c) { return {std::fma(a.v, b.v, c.v)}; }
  static OneDouble add(OneDouble a, OneDouble b) { return {a.v + b.v}; }
  static OneDouble subtract(OneDouble a, OneDouble b) { return {a.v - b.v}; }
  static OneDouble root(OneDouble a) { return {std::sqrt(a.v)}; }
};

/// As many 64-bit integers as V has doubles. `hold` keeps a vector in its register: g++ would load it again for each
/// use.
template <class V>
struct Integers;
template <>
struct Integers<OneDouble> {
  std::uint64_t v;

  static Integers load(const std::uint64_t* from) { return {*from}; }
  static void store(std::uint64_t* to, Integers a) { *to = a.v; }
  static void hold(OneDouble& /*a*/) {}
  static Integers bits(OneDouble a) { return {__builtin_bit_cast(std::uint64_t, a.v)}; }
  static Integers add(Integers a, Integers b) { return {a.v + b.v}; }
};

#if LLOYD_X86

template <>
struct Integers<Avx2<double>> {
  __m256i v;

  LLOYD_TARGET("avx2,fma") static Integers load(const std::uint64_t* from) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
  }
  LLOYD_TARGET("avx2,fma") static void store(std::uint64_t* to, Integers a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), a.v);
  }
  LLOYD_TARGET("avx2,fma") static void hold(Avx2<double>& a) { __asm__("" : "+x"(a.v)); }
  LLOYD_TARGET("avx2,fma") static Integers bits(Avx2<double> a) { return {_mm256_castpd_si256(a.v)}; }
  LLOYD_TARGET("avx2,fma") static Integers add(Integers a, Integers b) { return {_mm256_add_epi64(a.v, b.v)}; }
};
template <>
struct Integers<Avx512<double>> {
  __m512i v;

  LLOYD_TARGET("avx512f") static Integers load(const std::uint64_t* from) { return {_mm512_loadu_si512(from)}; }
  LLOYD_TARGET("avx512f") static void store(std::uint64_t* to, Integers a) { _mm512_storeu_si512(to, a.v); }
  LLOYD_TARGET("avx512f") static void hold(Avx512<double>& a) { __asm__("" : "+v"(a.v)); }
  LLOYD_TARGET("avx512f") static Integers bits(Avx512<double> a) { return {_mm512_castpd_si512(a.v)}; }
  LLOYD_TARGET("avx512f") static Integers add(Integers a, Integers b) { return {_mm512_add_epi64(a.v, b.v)}; }
};

#endif

/// The body of every kernel: `Together` of the others at a time, so that a vector of x is loaded once for them.
template <class V, int Together>
struct PairKernel {
  using Bits = Integers<V>;

  [[gnu::always_inline]] static inline void run(const PairTile& t) {
    Sums sums{Bits::bits(V::all(0)), Bits::bits(V::all(0))};
    Index i = 0;
    for (; i + Together <= t.count; i += Together) add<Together>(t, i, sums);
    for (; i < t.count; ++i) add<1>(t, i, sums);
    Bits::store(t.of_x, sums.first);
    Bits::store(t.of_x + V::lanes, sums.second);
  }

 private:
  struct Sums {
    Bits first, second;
  };

  template <int Ys>
  [[gnu::always_inline]] static inline void add(const PairTile& t, Index i, Sums& sums) {
    V lane[static_cast<std::size_t>(Ys)][8];
    multiply<Ys>(t, t.y + i * t.d, lane);
#pragma GCC unroll 4
    for (int y = 0; y < Ys; ++y) {
      const V* l = lane[y];
      const V d2 =
          V::add(V::add(V::add(l[0], l[4]), V::add(l[2], l[6])), V::add(V::add(l[1], l[5]), V::add(l[3], l[7])));
      const V high = V::all(t.high), low = V::all(t.low), r = V::root(d2);
      const V first = V::add(r, high), rest = V::subtract(r, V::subtract(first, high));  // exact
      const Bits a = Bits::bits(first), b = Bits::bits(V::add(rest, low));
      sums = {Bits::add(sums.first, a), Bits::add(sums.second, b)};
      std::uint64_t* to = t.of_y + (i + y) * 2 * V::lanes;
      Bits::store(to, Bits::add(Bits::load(to), a));
      Bits::store(to + V::lanes, Bits::add(Bits::load(to + V::lanes), b));
    }
  }

  /// The eight partial sums of D, for each lane and each y.
  template <int Ys>
  [[gnu::always_inline]] static inline void multiply(const PairTile& t, const double* y,
                                                     V (&lane)[static_cast<std::size_t>(Ys)][8]) {
#pragma GCC unroll 4
    for (int j = 0; j < Ys; ++j)
#pragma GCC unroll 8
      for (int l = 0; l < 8; ++l) lane[j][l] = V::all(0);
    Index q = 0;
    for (; q + 8 <= t.d; q += 8) {
#pragma GCC unroll 8
      for (int l = 0; l < 8; ++l) step<Ys>(t, y, q + l, l, lane);
    }
    const auto rest = static_cast<int>(t.d - q);
#pragma GCC unroll 8
    for (int l = 0; l < 7; ++l) {
      if (l < rest) step<Ys>(t, y, q + l, l, lane);
    }
  }

  template <int Ys>
  [[gnu::always_inline]] static inline void step(const PairTile& t, const double* y, Index q, int l,
                                                 V (&lane)[static_cast<std::size_t>(Ys)][8]) {
    V x = V::load(t.x + q * V::lanes);
    Bits::hold(x);
#pragma GCC unroll 4
    for (int j = 0; j < Ys; ++j) {
      const V difference = V::subtract(x, V::all(y[j * t.d + q]));
      lane[j][l] = V::fma(difference, difference, lane[j][l]);
    }
  }
};

/// The kernel of an instruction set.
struct PairFunction {
  int lanes;
  void (*add)(const PairTile&);
};

inline void add_pairs_portable(const PairTile& t) { PairKernel<OneDouble, 1>::run(t); }
#if LLOYD_X86
LLOYD_TARGET("avx2,fma") inline void add_pairs_avx2(const PairTile& t) { PairKernel<Avx2<double>, 1>::run(t); }
LLOYD_TARGET("avx512f") inline void add_pairs_avx512(const PairTile& t) { PairKernel<Avx512<double>, 3>::run(t); }
#endif

/// The one for an instruction set that this machine has.
[[nodiscard]] inline PairFunction pair_function(Isa isa) {
#if LLOYD_X86
  if (isa >= Isa::avx512) return {8, &add_pairs_avx512};
  if (isa == Isa::avx2) return {4, &add_pairs_avx2};
#endif
  (void)isa;
  return {1, &add_pairs_portable};
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
