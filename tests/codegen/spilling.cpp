// SPDX-License-Identifier: MIT
// A tile of 24 sums and three rows for sixteen registers: what spills.py must notice.
#include "lloyd/cpu/kernel_set.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

#if LLOYD_X86
template <Real F>
struct EnterTooWide {
  template <int Centroids, Work W>
  LLOYD_TARGET("avx2,fma")
  static bool kernel(const KernelTile<F>& t) {
    return KernelBody<Avx2<F>, Centroids, W>::run(t);
  }
};
template bool EnterTooWide<float>::kernel<8, Work::reduce>(const KernelTile<float>&);
#endif

}  // namespace lloyd::inline LLOYD_ABI::cpu
