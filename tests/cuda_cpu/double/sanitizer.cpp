// SPDX-License-Identifier: MIT
#include "double/sanitizer.hpp"

#ifdef CUDA_CPU_TSAN
extern "C" {
void __tsan_read_range(void* memory, unsigned long bytes);
void __tsan_write_range(void* memory, unsigned long bytes);
}
#endif

namespace cuda_cpu {

void touch_range([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes, [[maybe_unused]] bool write) {
#ifdef CUDA_CPU_TSAN
  (write ? __tsan_write_range : __tsan_read_range)(const_cast<void*>(memory), bytes);
#endif
}

}  // namespace cuda_cpu
