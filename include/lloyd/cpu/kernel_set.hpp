// SPDX-License-Identifier: MIT
/// @file
/// The kernels of each instruction set, entered through functions that carry its attribute, and chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lloyd/cpu/certify.hpp"
#include "lloyd/cpu/kernel.hpp"
#include "lloyd/cpu/pack.hpp"
#include "lloyd/cpu/quick_distance.hpp"
#include "lloyd/cpu/row_products.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// What becomes of a tile's sums, and where they come from.
enum class Work : std::uint8_t { reduce, find, reduce_products, find_products };
inline constexpr std::size_t works = 4;

/// The most rows of a chunk, and centroids of a panel, of any instruction set.
inline constexpr int most_chunk = 48, most_panel = 8;

template <Real F>
struct KernelSet {
  using Function = bool (*)(const KernelTile<F>&);
  int lanes, groups, centroids;
  Function whole[works];  ///< of a panel
  Function half[works];   ///< of a panel of half as many centroids
  std::uint32_t (*pack)(const PackTile<F>&);
  std::uint32_t (*multiply)(const PackTile<F>&);
  std::uint32_t (*certify)(const CertifyTile<F>&);
  void (*bound)(const BoundTile<F>&);
  void (*limit)(const LimitTile<F>&);
  F (*distance)(const F* a, const F* b, Index d);  ///< squared, about

  [[nodiscard]] int chunk() const { return lanes * groups; }
};

/// The body of every kernel.
template <class V, int Centroids, Work W>
struct KernelBody {
  [[gnu::always_inline]] static inline bool run(const KernelTile<typename V::Scalar>& t) {
    using K = Kernel<V, Centroids>;
    static_assert(K::chunk <= most_chunk && Centroids <= most_panel);
    typename K::Sums sum;
    if constexpr (W == Work::reduce_products || W == Work::find_products) {
      K::join(t, sum);
    } else if (t.d > features_per_chain) {
      K::multiply_in_chains(t, sum);
      return finish(t, sum);  // apart from the below, whose sums then stay in registers
    } else {
      K::multiply(t, sum);
    }
    return finish(t, sum);
  }

 private:
  [[gnu::always_inline]] static inline bool finish(const KernelTile<typename V::Scalar>& t,
                                                   typename Kernel<V, Centroids>::Sums& sum) {
    if constexpr (W == Work::find || W == Work::find_products) return Kernel<V, Centroids>::find(t, sum);
    Kernel<V, Centroids>::reduce(t, sum);
    return false;
  }
};

/// Everything of one instruction set; `Enter` names its attributed functions.
template <class Enter>
[[nodiscard]] auto make_kernel_set() {
  using V = typename Enter::Vector;
  constexpr int whole = V::centroids, half = whole / 2;
  using enum Work;
  return KernelSet<typename V::Scalar>{
      V::lanes,
      V::groups,
      whole,
      {Enter::template kernel<whole, reduce>, Enter::template kernel<whole, find>,
       Enter::template kernel<whole, reduce_products>, Enter::template kernel<whole, find_products>},
      {Enter::template kernel<half, reduce>, Enter::template kernel<half, find>, nullptr, nullptr},
      Enter::pack,
      Enter::multiply,
      Enter::certify,
      Enter::bound,
      Enter::limit,
      Enter::distance};
}

template <Real F>
struct EnterPortable {
  using Vector = Portable<F>;
  template <int Centroids, Work W>
  static bool kernel(const KernelTile<F>& t) {
    return KernelBody<Vector, Centroids, W>::run(t);
  }
  static std::uint32_t pack(const PackTile<F>& t) { return Packer<Vector>::run(t); }
  static std::uint32_t multiply(const PackTile<F>& t) { return RowProducts<Vector>::run(t); }
  static std::uint32_t certify(const CertifyTile<F>& t) { return Certifier<Vector>::run(t); }
  static void bound(const BoundTile<F>& t) { Bounder<Vector>::run(t); }
  static void limit(const LimitTile<F>& t) { Limiter<Vector>::run(t); }
  static F distance(const F* a, const F* b, Index d) { return QuickDistance<Vector>::run(a, b, d); }
};
#if LLOYD_X86
template <Real F>
struct EnterAvx2 {
  using Vector = Avx2<F>;
  template <int Centroids, Work W>
  LLOYD_TARGET("avx2,fma")
  static bool kernel(const KernelTile<F>& t) {
    return KernelBody<Vector, Centroids, W>::run(t);
  }
  LLOYD_TARGET("avx2,fma") static std::uint32_t pack(const PackTile<F>& t) { return Packer<Vector>::run(t); }
  LLOYD_TARGET("avx2,fma") static std::uint32_t multiply(const PackTile<F>& t) { return RowProducts<Vector>::run(t); }
  LLOYD_TARGET("avx2,fma") static std::uint32_t certify(const CertifyTile<F>& t) { return Certifier<Vector>::run(t); }
  LLOYD_TARGET("avx2,fma") static void bound(const BoundTile<F>& t) { Bounder<Vector>::run(t); }
  LLOYD_TARGET("avx2,fma") static void limit(const LimitTile<F>& t) { Limiter<Vector>::run(t); }
  LLOYD_TARGET("avx2,fma") static F distance(const F* a, const F* b, Index d) {
    return QuickDistance<Vector>::run(a, b, d);
  }
};
template <Real F>
struct EnterAvx512 {
  using Vector = Avx512<F>;
  template <int Centroids, Work W>
  LLOYD_TARGET("avx512f")
  static bool kernel(const KernelTile<F>& t) {
    return KernelBody<Vector, Centroids, W>::run(t);
  }
  LLOYD_TARGET("avx512f") static std::uint32_t pack(const PackTile<F>& t) { return Packer<Vector>::run(t); }
  LLOYD_TARGET("avx512f") static std::uint32_t multiply(const PackTile<F>& t) { return RowProducts<Vector>::run(t); }
  LLOYD_TARGET("avx512f") static std::uint32_t certify(const CertifyTile<F>& t) { return Certifier<Vector>::run(t); }
  LLOYD_TARGET("avx512f") static void bound(const BoundTile<F>& t) { Bounder<Vector>::run(t); }
  LLOYD_TARGET("avx512f") static void limit(const LimitTile<F>& t) { Limiter<Vector>::run(t); }
  LLOYD_TARGET("avx512f") static F distance(const F* a, const F* b, Index d) {
    return QuickDistance<Vector>::run(a, b, d);
  }
};
#endif

/// The kernels of an instruction set that this machine has.
template <Real F>
[[nodiscard]] KernelSet<F> kernel_set(Isa isa) {
#if LLOYD_X86
  if (isa >= Isa::avx512) return make_kernel_set<EnterAvx512<F>>();
  if (isa == Isa::avx2) return make_kernel_set<EnterAvx2<F>>();
#endif
  (void)isa;
  return make_kernel_set<EnterPortable<F>>();
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
