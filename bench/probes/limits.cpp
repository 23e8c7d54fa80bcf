// SPDX-License-Identifier: MIT
// What the machine can do, on one thread and on all.
#include "support/limits.hpp"

#include "probes/probe.hpp"

namespace bench {

void probe_limits(const Probe& probe, const std::string& name) {
  const int most = threads_used(probe.engine, probe.settings.threads);
  // Larger than any cache, smaller than a small machine's memory; a small scale wants a quick answer.
  const Reading reading(probe.settings.scale < 0.01 ? std::size_t{1} << 28 : std::size_t{1} << 30);
  std::vector<int> counts{1};
  if (most > 1) counts.push_back(most);
  for (const int threads : counts) {
    Record record;
    record.add("case", name).add("probe", "limits").add("rep", 0).add("threads", threads).add("isa", probe.engine.isa);
    record.add("multiply_add_flops", multiply_add_rate(probe.engine.widest, threads));
    record.add("read_bytes_per_second", reading.rate(probe.engine.widest, threads));
    probe.journal.write(record.add("matrix_bf16_flops", matrix_rate(threads)));
  }
}

}  // namespace bench
