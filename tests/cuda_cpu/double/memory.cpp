// SPDX-License-Identifier: MIT
#include "double/memory.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>

#include "double/report.hpp"
#include "double/sanitizer.hpp"

namespace cuda_cpu {
namespace {

constexpr std::size_t alignment = 256;
// AddressSanitizer has its own edges; it would not see a write into these.
constexpr std::size_t edge = with_asan ? 0 : 256;
constexpr unsigned char edge_value = 0xA5;
constexpr std::size_t kept_bytes = std::size_t{64} << 20;

std::size_t memory_of_environment() {
  const char* value = std::getenv("CUDA_CPU_MEMORY");
  return value == nullptr ? std::size_t{1} << 30 : std::strtoull(value, nullptr, 10);
}

/// What is allocated, and what was lately freed: that is kept, full of NaN, so that its addresses are not given again
/// at once and a read of it makes a wrong result.
struct Registry {
  std::map<std::uintptr_t, Allocation> allocations;
  std::deque<Allocation> freed;
  std::size_t freed_bytes = 0;
  std::size_t total = memory_of_environment();
  std::size_t used = 0;
  int running = 0;
};
Registry& registry() {
  static auto* instance = new Registry;  // outlives all that is freed at the end of the program
  return *instance;
}

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

std::string name(Kind kind) {
  return kind == Kind::device ? "device memory" : kind == Kind::pinned ? "pinned memory" : "managed memory";
}

void check_edges(const Allocation& allocation) {
  for (std::size_t i = 0; i < edge; ++i) {
    const auto before = static_cast<unsigned char>(allocation.begin[-static_cast<std::ptrdiff_t>(i) - 1]);
    const auto after = static_cast<unsigned char>(allocation.begin[allocation.bytes + i]);
    if (before != edge_value || after != edge_value)
      fail("out of bounds: somebody wrote " + std::to_string(i + 1) + " bytes " +
           (before != edge_value ? "before the begin" : "after the end") + " of " + name(allocation.kind) + " of " +
           std::to_string(allocation.bytes) + " bytes");
  }
}

bool only_for_device(const Allocation& allocation) { return allocation.kind == Kind::device; }

void release_freed() {
  Registry& all = registry();
  while (all.freed_bytes > kept_bytes || all.freed.size() > 4096) {
    const Allocation& oldest = all.freed.front();
    all.freed_bytes -= oldest.bytes;
    std::free(oldest.begin - edge);
    all.freed.pop_front();
  }
}

}  // namespace

void* allocate(std::size_t bytes, Kind kind, int device, void* pool, bool alive) {
  Registry& all = registry();
  if (kind == Kind::device && bytes > all.total - all.used) return nullptr;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, bytes + 2 * edge) != 0) return nullptr;
  char* begin = static_cast<char*>(memory) + edge;
  std::memset(memory, edge_value, edge);
  std::memset(begin + bytes, edge_value, edge);
  std::memset(begin, 0xFF, bytes);
  const auto [place, added] =
      all.allocations.insert({number(begin), Allocation{begin, bytes, kind, device, pool, alive, false}});
  if (!added) fail("the double has given an address twice");
  if (kind == Kind::device) all.used += bytes;
  if (only_for_device(place->second) && (all.running == 0 || !alive)) poison(begin, bytes);
  return begin;
}

void bring_to_life(void* memory) {
  Allocation& allocation = *find(memory);
  allocation.alive = true;
  unpoison(allocation.begin, allocation.bytes);
  const Watched watched;
  std::memset(allocation.begin, 0xFF, allocation.bytes);
}

void deallocate(void* memory) {
  Registry& all = registry();
  const auto place = all.allocations.find(number(memory));
  if (place == all.allocations.end()) fail("there is nothing to free here");
  const Allocation allocation = place->second;
  check_edges(allocation);
  if (allocation.kind == Kind::device) all.used -= allocation.bytes;
  all.allocations.erase(place);
  unpoison(allocation.begin, allocation.bytes);
  if (with_asan || with_tsan) {
    const Watched watched;
    std::free(allocation.begin - edge);  // the sanitizers keep it, and know more about it
    return;
  }
  std::memset(allocation.begin, 0xFF, allocation.bytes);
  all.freed.push_back(allocation);
  all.freed_bytes += allocation.bytes;
  release_freed();
}

Allocation* find(const void* address) {
  auto& allocations = registry().allocations;
  auto after = allocations.upper_bound(number(address));
  if (after == allocations.begin()) return nullptr;
  Allocation& allocation = std::prev(after)->second;
  const std::size_t offset = number(address) - number(allocation.begin);
  return offset < allocation.bytes || offset == 0 ? &allocation : nullptr;
}

std::string describe(const void* address) {
  if (const Allocation* allocation = find(address))
    return name(allocation->kind) + " of " + std::to_string(allocation->bytes) + " bytes" +
           (allocation->alive ? "" : " before its allocation in its stream");
  for (const Allocation& one : registry().freed)
    if (number(address) - number(one.begin) < one.bytes)
      return name(one.kind) + " of " + std::to_string(one.bytes) + " bytes that was freed";
  return "host memory, or memory that was freed";
}

bool is_host_address(std::uintptr_t value) {
  if (value < 0x10000 || value >> 47U != 0 || in_shadow(value)) return false;
  if (find(reinterpret_cast<const void*>(value)) != nullptr) return false;
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(value & ~std::uintptr_t{4095}), 1, &resident) == 0;
}

void demand_alive(const void* address, std::size_t bytes, std::string_view who) {
  const Allocation* allocation = find(address);
  if (allocation == nullptr || !allocation->alive) fail(std::string(who) + " touches " + describe(address));
  const std::size_t offset = number(address) - number(allocation->begin);
  if (bytes > allocation->bytes - offset)
    fail(std::string(who) + " is out of bounds: " + std::to_string(bytes) + " bytes at byte " + std::to_string(offset) +
         " of " + describe(address));
}

std::size_t total_memory() { return registry().total; }
std::size_t free_memory() { return registry().total - registry().used; }
void set_total_memory(std::size_t bytes) {
  if (bytes < registry().used) fail("less device memory than is in use");
  registry().total = bytes;
}
std::size_t used_by_pool(const void* pool) {
  std::size_t bytes = 0;
  for (const auto& [address, allocation] : registry().allocations)
    if (allocation.pool == pool) bytes += allocation.bytes;
  return bytes;
}

DeviceRuns::DeviceRuns() {
  if (registry().running++ > 0 || !with_asan) return;
  for (const auto& [address, allocation] : registry().allocations)
    if (only_for_device(allocation) && allocation.alive) unpoison(allocation.begin, allocation.bytes);
}
DeviceRuns::~DeviceRuns() {
  if (--registry().running > 0 || !with_asan) return;
  for (const auto& [address, allocation] : registry().allocations)
    if (only_for_device(allocation)) poison(allocation.begin, allocation.bytes);
}

std::string leaks() {
  std::string all;
  for (const auto& [address, allocation] : registry().allocations)
    if (!allocation.freeing)
      all += (all.empty() ? "" : "; ") + std::to_string(allocation.bytes) + " bytes of " + name(allocation.kind);
  return all;
}

}  // namespace cuda_cpu
