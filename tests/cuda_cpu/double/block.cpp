// SPDX-License-Identifier: MIT
#include "double/block.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <string_view>
#include <vector>

#include "double/thread.hpp"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace cuda_cpu {
namespace {

Order order_of_environment() {
  const char* value = std::getenv("CUDA_CPU_ORDER");
  const std::string_view name = value == nullptr ? "forward" : value;
  if (name == "forward") return Order::forward;
  if (name == "reverse") return Order::reverse;
  if (name == "shuffle") return Order::shuffle;
  fail("CUDA_CPU_ORDER is forward, reverse or shuffle, not " + std::string(name));
}

/// 0 .. n - 1 in the order in which to run.
class Permutation {
 public:
  void next(std::vector<std::uint32_t>& of) {
    if (order() == Order::reverse) std::reverse(of.begin(), of.end());
    if (order() != Order::shuffle) return;
    for (std::size_t i = of.size(); i > 1; --i) std::swap(of[i - 1], of[draw() % i]);
  }

 private:
  std::uint64_t draw() {  // splitmix64
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  static std::uint64_t seed() {
    const char* value = std::getenv("CUDA_CPU_SEED");
    return value == nullptr ? 1 : std::strtoull(value, nullptr, 10);
  }
  std::uint64_t state_ = seed();
};
Permutation permutation;

std::vector<std::uint32_t> sequence(std::size_t n) {
  std::vector<std::uint32_t> all(n);
  std::iota(all.begin(), all.end(), 0U);
  permutation.next(all);
  return all;
}

/// Shared memory of blocks. It lives until the launch has ended, so that ThreadSanitizer never meets an address in two
/// blocks, which are not ordered.
class SharedMemory {
 public:
  void* add(std::size_t bytes, std::size_t alignment) {
    void* memory = nullptr;
    if (posix_memalign(&memory, std::max<std::size_t>(alignment, 16), bytes + edge) != 0)
      fail("no memory for a block's shared memory");
    auto* begin = static_cast<unsigned char*>(memory);
    std::memset(begin, 0xFF, bytes);
    std::memset(begin + bytes, edge_value, edge);
    all_.push_back({begin, bytes});
    return memory;
  }
  void clear() {
    for (const Piece& piece : all_) {
      if (std::any_of(piece.begin + piece.bytes, piece.begin + piece.bytes + edge,
                      [](unsigned char value) { return value != edge_value; }))
        fail("out of bounds: somebody wrote after the end of " + std::to_string(piece.bytes) +
             " bytes of shared memory");
      std::free(piece.begin);
    }
    all_.clear();
  }

 private:
  // AddressSanitizer has its own edges; it would not see a write into this.
  static constexpr std::size_t edge = with_asan ? 0 : 64;
  static constexpr unsigned char edge_value = 0xA5;
  struct Piece {
    unsigned char* begin;
    std::size_t bytes;
  };
  std::vector<Piece> all_;
};

/// The launch that runs now.
struct Launch {
  const Grid* grid = nullptr;
  SharedMemory memory;
  void* dynamic_shared = nullptr;
  std::size_t static_bytes = 0;
  std::map<const void*, void*> static_shared;
  std::unique_ptr<char> begin, end, fences;  // tokens for ThreadSanitizer, new for each launch
};
Launch launch;

void body(void* argument) {
  Thread& thread = *static_cast<Thread*>(argument);
  acquire(launch.begin.get());
  launch.grid->kernel();
  thread.state = State::ended;
  ++block().ended;
  block().living[thread.number / warp_size] &= ~(1U << thread.number % warp_size);
  release(launch.end.get());
}

void start_threads() {
  Block& now = block();
  const dim3& threads = launch.grid->threads;
  const std::size_t count = std::size_t{threads.x} * threads.y * threads.z;
  now.threads.resize(count);
  const std::size_t warps = (count + warp_size - 1) / warp_size;
  now.meetings.resize(warps);
  now.living.assign(warps, 0xFFFFFFFFU);
  if (count % warp_size != 0) now.living.back() = (1U << count % warp_size) - 1;
  now.ended = now.at_barrier = now.generation = 0;
  now.votes[0] = now.votes[1] = 0;
  for (auto& token : now.tokens) token.reset(with_tsan ? new char : nullptr);
  for (unsigned i = 0; i < count; ++i) {
    Thread& thread = now.threads[i];
    thread.index = {i % threads.x, i / threads.x % threads.y, i / threads.x / threads.y};
    thread.number = i;
    thread.state = State::ready;
    thread.fiber.start(body, &thread);
  }
}

/// Every thread waits or has ended. Lets them on when all wait at one barrier; else nobody could ever go on.
void release_barrier() {
  Block& now = block();
  const Place& place = now.threads.front().place;
  const bool together =
      now.at_barrier == now.threads.size() &&
      std::all_of(now.threads.begin(), now.threads.end(), [&](const Thread& thread) { return thread.place == place; });
  if (!together) fail("the threads of a block diverge: " + whereabouts());
  now.at_barrier = 0;
  ++now.generation;
  now.votes[now.generation % 2] = 0;
  for (Thread& thread : now.threads) thread.state = State::ready;
}

void resume(Thread& thread) {
  Block& now = block();
  now.current = &thread;
  threadIdx = thread.index;
  thread.fiber.resume();
}

void run_block(const uint3& index) {
  Block& now = block();
  blockIdx = index;
  launch.dynamic_shared = launch.memory.add(launch.grid->shared_bytes, 16);
  launch.static_bytes = 0;
  launch.static_shared.clear();
  start_threads();
  std::vector<std::uint32_t> turns = sequence(now.threads.size());
  while (true) {
    bool progress = false;
    for (const std::uint32_t i : turns)
      if (now.threads[i].state == State::ready) {
        resume(now.threads[i]);
        progress = true;
      }
    if (now.ended == now.threads.size()) break;
    if (!progress) release_barrier();
    if (order() == Order::shuffle) permutation.next(turns);
  }
}

}  // namespace

Order order() {
  static const Order chosen = order_of_environment();
  return chosen;
}

void run(const Grid& grid) {
  launch.grid = &grid;
  launch.begin = std::make_unique<char>();
  launch.end = std::make_unique<char>();
  launch.fences = std::make_unique<char>();
  blockDim = grid.threads;
  gridDim = grid.blocks;
  const std::size_t threads = std::size_t{grid.threads.x} * grid.threads.y * grid.threads.z;
  const auto clear = [] {  // what comes now is ordered after the blocks until here
    acquire(launch.end.get());
    release(launch.begin.get());
    launch.memory.clear();
    reuse_stacks();
  };
  clear();
  const dim3& n = grid.blocks;
  for (const std::uint32_t i : sequence(std::size_t{n.x} * n.y * n.z)) {
    // Blocks are not ordered for ThreadSanitizer, until there are no more stacks that nobody used.
    if (!with_tsan || !stacks_left(threads)) clear();
    run_block({i % n.x, i / n.x % n.y, i / n.x / n.y});
  }
  clear();
}

void barrier(const Place& place) { (void)barrier_count(false, place); }

int barrier_count(bool predicate, const Place& place) {
  Block& now = block();
  const unsigned side = now.generation % 2;
  if (predicate) ++now.votes[side];
  ++now.at_barrier;
  release(now.tokens[side].get());
  wait_as(State::at_barrier, place);
  acquire(now.tokens[side].get());
  return now.votes[side];
}

void* dynamic_shared_memory() { return launch.dynamic_shared; }

void* static_shared_memory(const void* key, std::size_t bytes, std::size_t alignment) {
  const Unwatched unwatched;
  void*& memory = launch.static_shared[key];
  if (memory == nullptr) {
    launch.static_bytes += bytes;
    if (launch.static_bytes + launch.grid->shared_bytes > launch.grid->static_shared_limit)
      fail("a block has " + std::to_string(launch.static_bytes) + " bytes of static and " +
           std::to_string(launch.grid->shared_bytes) + " of dynamic shared memory, more than the limit of " +
           std::to_string(launch.grid->static_shared_limit));
    memory = launch.memory.add(bytes, alignment);
  }
  return memory;
}

void fence() {
  acquire(launch.fences.get());
  release(launch.fences.get());
}

}  // namespace cuda_cpu
