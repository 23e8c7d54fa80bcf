// SPDX-License-Identifier: MIT
// What exactness costs: an iteration as the library has it, and one by the same kernels in which nothing is certified
// and sums are doubles.
#include "probes/probe.hpp"

#include "lloyd/cpu/space_order.hpp"
#include "support/work.hpp"

namespace bench {
namespace {

using Prepared = lloyd::cpu::Prepared<float>;

/// One thread's work of an iteration without promises.
struct LooseWorker {
  lloyd::cpu::Filter<float> filter;
  lloyd::cpu::SpaceOrder<float, lloyd::cpu::Sound> order{};
  std::vector<double> sums;  // k x d
  std::vector<Index> sizes;
};

/// l_i = the best of rounded scores, and rows that moved change double sums.
void iterate_loosely(const lloyd::Tile<float>& tile, const Prepared& prepared, std::vector<lloyd::Label>& labels,
                     std::vector<double>& sums) {
  const Index d = tile.x.cols(), k = prepared.c.rows();
  const auto values = static_cast<std::size_t>(k * d);
  const auto assign = [&](LooseWorker& worker, Index begin, Index count) {
    const std::span<lloyd::Label> own =
        std::span(labels).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
    const lloyd::cpu::RowRun run{begin, count};
    const bool ordered = prepared.space.known();
    lloyd::cpu::Sight sight;
    if (ordered) {
      worker.order.arrange(prepared, tile.x, begin, own);
      worker.filter.pack(prepared.own, tile.x, prepared.o, worker.order.rows());
      sight = {{}, worker.order.panels(), worker.order.firsts()};
    } else {
      worker.filter.pack(prepared.own, tile.x, prepared.o, run);
    }
    worker.filter.reduce<false>(prepared.own, prepared.batching.centroids, sight);
    worker.filter.for_each_row(prepared.own, [&](std::size_t r, Index u, bool) {
      const Index i = ordered ? worker.order.rows()[r] : run[r];
      const lloyd::Label to = prepared.distinct[static_cast<std::size_t>(u)];
      const lloyd::Label from = std::exchange(labels[static_cast<std::size_t>(i)], to);
      if (from == to) return;
      const float* x = tile.x.row(i);
      double* gaining = worker.sums.data() + to * d;
      for (Index q = 0; q < d; ++q) gaining[q] += static_cast<double>(x[q]);
      ++worker.sizes[static_cast<std::size_t>(to)];
      if (from < 0) return;
      double* losing = worker.sums.data() + from * d;
      for (Index q = 0; q < d; ++q) losing[q] -= static_cast<double>(x[q]);
      --worker.sizes[static_cast<std::size_t>(from)];
    });
  };
  lloyd::cpu::for_each_batch(
      prepared.n_threads, tile.x.rows(), prepared.rows_at_once(tile.x.rows(), false),
      [&] {
        return LooseWorker{{}, {}, std::vector<double>(values), std::vector<Index>(static_cast<std::size_t>(k))};
      },
      assign,
      [&](const LooseWorker& worker) {
        for (std::size_t i = 0; i < values; ++i) sums[i] += worker.sums[i];
      });
}

/// From which labels to which centroids an iteration goes.
struct Stage {
  const char* name;
  std::vector<lloyd::Label> before;
  Prepared prepared;
};

void time_exactness(const Probe& probe, const std::string& name, const Task& task, const lloyd::Cpu& backend) {
  Arrays<lloyd::Cpu> a(task, backend, task.k);
  lloyd::Options options = a.options;
  options.tol = 0;
  const auto after = [&](Index iterations, const lloyd::Matrix<float>& from) {
    options.max_iter = iterations;
    return lloyd::KMeans(options, backend).fit_from(from, a.rows.view());
  };
  const auto fourth = after(4, a.c), fifth = after(1, fourth.centroids);  // whose labels are of one assignment more
  const auto prepared = [&](const lloyd::Matrix<float>& c) {
    return backend.prepare(c.view(), std::span<const float>(a.origin), a.batching, a.options);
  };
  const Stage stages[] = {{"first", std::vector<lloyd::Label>(a.labels.size(), -1), prepared(a.c)},
                          {"sixth", fourth.labels, prepared(fifth.centroids)}};
  std::vector<double> loose(static_cast<std::size_t>(task.k * task.d));
  std::vector<Job> jobs;
  const auto add = [&](const Stage& stage, const char* way, std::function<void()> work) {
    Record record = job_record(probe, name, task, task.k);
    record.add("phase", std::string(stage.name) + " iteration").add("way", way);
    jobs.push_back({record, stage.name, [&a, &stage, work = std::move(work)] {
                      std::copy(stage.before.begin(), stage.before.end(), a.labels.begin());
                      work();
                    }});
  };
  for (const Stage& stage : stages) {
    add(stage, "exact",
        [&] { backend.assign_accumulate(a.tile(), stage.prepared, {a.labels}, a.quanta, a.sums(), nullptr, nullptr); });
    add(stage, "loose", [&] { iterate_loosely(a.tile(), stage.prepared, a.labels, loose); });
  }
  time_jobs(jobs, probe);
}

}  // namespace

void probe_exactness(const Probe& probe, const std::string& name) {
  for (const Task& full : all_tasks())
    with_engine(probe.engine, probe.settings.threads, [&](const auto& backend) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(backend)>, lloyd::Cpu>)
        if (name == "exactness/" + std::string(full.name))
          time_exactness(probe, name, scaled(full, probe.settings.scale), backend);
    });
}

}  // namespace bench
