// SPDX-License-Identifier: MIT
#include "double/fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "double/report.hpp"

// void cuda_cpu_switch_stack(void** save, void* next): the callee-saved registers go on this stack, whose pointer is
// stored in *save; those of the next stack come back.
asm(R"(
.text
.p2align 4
.type cuda_cpu_switch_stack, @function
cuda_cpu_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size cuda_cpu_switch_stack, .-cuda_cpu_switch_stack
.p2align 4
.type cuda_cpu_first_step, @function
cuda_cpu_first_step:
  movq %rbx, %rdi
  call *%r12
  ud2
.size cuda_cpu_first_step, .-cuda_cpu_first_step
)");
extern "C" void cuda_cpu_switch_stack(void** save, void* next);
extern "C" void cuda_cpu_first_step();  // of a new stack: calls r12 with rbx

namespace cuda_cpu {
namespace {

constexpr std::size_t page = 4096;
// An instrumented frame is larger. Under ThreadSanitizer each CUDA thread of a launch has its own stack.
constexpr std::size_t stack_bytes = (with_asan ? 32 : 16) * page;
constexpr std::size_t stack_count = with_tsan ? 4096 : 1024;

class Stacks {
 public:
  char* take() {
    if (memory_ == nullptr) reserve();
    if (next_ == stack_count) fail("more threads in a block than there are stacks");
    char* stack = memory_ + next_ * stack_bytes;
    if (next_ == touched_) {
      ++touched_;
      if (mprotect(stack, page, PROT_NONE) != 0) fail("no guard page below a stack");
    }
    ++next_;
    return stack + page;
  }
  void reuse() { next_ = 0; }
  [[nodiscard]] bool left(std::size_t count) const { return next_ + count <= stack_count; }

 private:
  void reserve() {
    void* memory = mmap(nullptr, stack_count * stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) fail("no memory for stacks");
    memory_ = static_cast<char*>(memory);
  }

  char* memory_ = nullptr;
  std::size_t next_ = 0, touched_ = 0;
};
Stacks stacks;

/// Contexts of CUDA threads, by the context of the stream in which they run: they are dear to make.
class Contexts {
 public:
  Context take() {
    if (next_ == 0) of_stream_ = &all_[current_context()];
    if (next_ == of_stream_->size()) make();
    return (*of_stream_)[next_++];
  }
  void reuse() { next_ = 0; }

 private:
  /// ThreadSanitizer holds some 8000: beyond half of that, other streams lose theirs.
  void make() {
    if (++made_ > stack_count)
      for (auto& [stream, contexts] : all_)
        if (&contexts != of_stream_) drop(contexts);
    of_stream_->push_back(create_context());
  }
  void drop(std::vector<Context>& contexts) {
    for (const Context context : contexts) destroy_context(context);
    made_ -= contexts.size();
    contexts.clear();
  }

  std::map<Context, std::vector<Context>> all_;
  std::vector<Context>* of_stream_ = nullptr;
  std::size_t next_ = 0, made_ = 0;
};
Contexts contexts;

}  // namespace

void reuse_stacks() {
  stacks.reuse();
  contexts.reuse();
}
bool stacks_left(std::size_t count) { return stacks.left(count); }

void Fiber::start(void (*body)(void*), void* argument) {
  start(stacks.take(), stack_bytes - page, with_tsan ? contexts.take() : nullptr, body, argument);
}

void Fiber::start(char* stack, std::size_t bytes, Context context, void (*body)(void*), void* argument) {
  body_ = body;
  argument_ = argument;
  context_ = context;
  stack_ = stack;
  stack_bytes_ = bytes;
  unpoison(stack_, bytes);  // what the last frames on it left behind
  // The switch pops r15, r14, r13, r12, rbx and rbp and returns into the first step, with the stack aligned to 16.
  auto* top = reinterpret_cast<std::uintptr_t*>(stack_ + bytes) - 9;
  std::memset(top, 0, 9 * sizeof *top);
  top[3] = reinterpret_cast<std::uintptr_t>(&Fiber::enter);
  top[4] = reinterpret_cast<std::uintptr_t>(this);
  top[6] = reinterpret_cast<std::uintptr_t>(&cuda_cpu_first_step);
  stack_pointer_ = top;
}

void Fiber::enter(Fiber* fiber) {
#ifdef CUDA_CPU_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &fiber->scheduler_stack_, &fiber->scheduler_stack_bytes_);
#endif
  fiber->body_(fiber->argument_);
  fiber->switch_out(true);
}

void Fiber::resume() {
  scheduler_context_ = current_context();
#ifdef CUDA_CPU_ASAN
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, stack_, stack_bytes_);
#endif
  switch_context(context_);
  cuda_cpu_switch_stack(&scheduler_stack_pointer_, stack_pointer_);
#ifdef CUDA_CPU_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

void Fiber::yield() { switch_out(false); }

void Fiber::switch_out([[maybe_unused]] bool for_good) {
#ifdef CUDA_CPU_ASAN
  __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_stack_, scheduler_stack_, scheduler_stack_bytes_);
#endif
  switch_context(scheduler_context_);
  cuda_cpu_switch_stack(&stack_pointer_, scheduler_stack_pointer_);
#ifdef CUDA_CPU_ASAN
  __sanitizer_finish_switch_fiber(fake_stack_, &scheduler_stack_, &scheduler_stack_bytes_);
#endif
}

}  // namespace cuda_cpu
