// SPDX-License-Identifier: MIT
/// @file
/// THE list of backends. A backend is added here and nowhere else: a name in engines(), a branch in with_engine().
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lloyd/lloyd.hpp"

namespace bench {

/// A backend with what it may use.
struct Engine {
  std::string backend;  ///< cpu
  std::string isa;      ///< portable, avx2, avx512, amx
  lloyd::Isa widest = lloyd::Isa::portable;
};

[[nodiscard]] inline std::string_view isa_name(lloyd::Isa isa) {
  switch (isa) {
    case lloyd::Isa::amx:
      return "amx";
    case lloyd::Isa::avx512:
      return "avx512";
    case lloyd::Isa::avx2:
      return "avx2";
    case lloyd::Isa::portable:
      break;
  }
  return "portable";
}

/// What this machine and this build can run, the widest first: nothing else is ever measured or shown.
[[nodiscard]] inline std::vector<Engine> engines() {
  std::vector<Engine> all;
  for (const auto isa : {lloyd::Isa::amx, lloyd::Isa::avx512, lloyd::Isa::avx2, lloyd::Isa::portable})
    if (lloyd::cpu::usable_isa(isa) == isa) all.push_back({"cpu", std::string(isa_name(isa)), isa});
  return all;
}

/// The engine of a name: a backend ("cpu": its widest) or backend and instruction set ("cpu-avx2").
[[nodiscard]] inline Engine find_engine(std::string_view name) {
  std::string known;
  for (const Engine& engine : engines()) {
    if (name == engine.backend || name == engine.backend + "-" + engine.isa) return engine;
    known += " " + engine.backend + "-" + engine.isa;
  }
  throw std::invalid_argument("no engine " + std::string(name) + " on this machine; there are:" + known);
}

/// use(backend) with a backend on so many threads.
template <class Use>
decltype(auto) with_engine(const Engine& engine, int threads, const Use& use) {
  return use(lloyd::Cpu{threads, engine.widest});
}

/// Threads that an engine will use when asked for so many (0: its default).
[[nodiscard]] inline int threads_used(const Engine& engine, int asked) {
  return with_engine(engine, asked, [](const auto& backend) { return backend.workers(); });
}

}  // namespace bench
