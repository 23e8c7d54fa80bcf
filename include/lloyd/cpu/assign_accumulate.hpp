// SPDX-License-Identifier: MIT
/// @file
/// The pass of the loop: rows are assigned, and those whose label changed move while they are in the cache.
#pragma once

#include <span>
#include <vector>

#include "lloyd/cpu/accumulate.hpp"
#include "lloyd/cpu/bounded_tile.hpp"
#include "lloyd/cpu/parallel.hpp"
#include "lloyd/kmeans/exact_sum.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::cpu {

/// One thread's work of an iteration.
template <Real T, class Bound>
struct IterationWorker {
  BoundedTile<T, Bound> tile;
  std::vector<std::int64_t> own_sums;
  OneHot scratch;
  detail::ExactSum scatter{}, inertia{};
  std::vector<Moved> moved{};
  Index n_moved = 0;
};

template <Real T, class Bound>
void assign_accumulate(const Tile<T>& tile, const Prepared<T, Bound>& prepared, const detail::RowState& rows,
                       const detail::Quanta& quanta, const detail::SumsView& sums, detail::ExactSum* scatter,
                       detail::ExactSum* inertia) {
  using Worker = IterationWorker<T, Bound>;
  const bool bounded = BoundedTile<T, Bound>::pays(prepared, tile.x, rows);
  const int parts = parts_of(prepared.n_threads, tile.x.rows(), prepared.batching.rows);
  const Index batch_rows = prepared.rows_at_once(tile.x.rows(), bounded);
  ThreadSums thread_sums(sums, parts, prepared.batching.sums_budget, prepared.update);
  for_each_batch(
      parts, tile.x.rows(), batch_rows,
      [&] {
        return Worker{BoundedTile<T, Bound>(prepared, tile.x, bounded), thread_sums.make(), thread_sums.scratch()};
      },
      [&](Worker& worker, Index begin, Index count) {
        worker.moved.clear();
        const detail::RowState batch = rows.part(begin, count);
        worker.tile.assign(begin, batch, [&](Index i, Label from, Label to) { worker.moved.push_back({i, from, to}); });
        for (Index i = begin; i < begin + count && (scatter != nullptr || inertia != nullptr); ++i) {
          const T* x = tile.x.row(i);
          const Label nearest = batch.labels[static_cast<std::size_t>(i - begin)];
          if (scatter != nullptr)
            worker.scatter.add_product(tile.w(i), prepared.distance(x, prepared.o.data(), tile.x.cols()));
          if (inertia != nullptr)
            worker.inertia.add_product(tile.w(i), prepared.distance(x, prepared.c.row(nearest), tile.x.cols()));
        }
        worker.n_moved += static_cast<Index>(worker.moved.size());
        move_rows(tile, worker.moved, quanta, thread_sums.view(worker.own_sums), prepared.update, prepared.move_row,
                  worker.scratch);
      },
      [&](Worker& worker) {
        thread_sums.merge(worker.own_sums);
        sums.changed() += worker.n_moved;
        sums.rechecked() += worker.tile.rechecked();
        sums.skipped() += worker.tile.skipped();
        if (scatter != nullptr) scatter->merge(worker.scatter);
        if (inertia != nullptr) inertia->merge(worker.inertia);
      });
}

}  // namespace lloyd::inline LLOYD_ABI::cpu
