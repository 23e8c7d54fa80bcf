// SPDX-License-Identifier: MIT
// What fit, sweep and quantize do around the library's fit: progress, Ctrl-C, starting centroids.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "engine.hpp"
#include "model.hpp"
#include "progress.hpp"
#include "table.hpp"

namespace program {

/// The centroids to start from, which decide the number of clusters; columns are found by the names of the rows', where
/// both have names.
/// @throws std::runtime_error where the rows have other columns, or the options ask for another number of clusters, or
///         for several starts
template <class T>
[[nodiscard]] Model<T> check_start(Model<T> start, EngineArguments& engine, lloyd::Index columns,
                                   const std::vector<std::string>& names = {});

/// @throws std::runtime_error for more clusters than rows, be they given or the default
void check_clusters(lloyd::Index k, lloyd::Index rows, const fs::path& path, bool given);

/// Clusters the rows, from given centroids if there are any, and shows how it goes on.
/// @throws Interrupted once the program is asked to stop
template <class T>
[[nodiscard]] lloyd::Clustering<T> cluster(EngineArguments engine, const Table<T>& table, std::optional<Model<T>> start,
                                           const Scaling& scaling, Progress& progress);

/// @throws std::runtime_error for a file that cannot hold double
void refuse_float_file(const char* option, const fs::path& path);

}  // namespace program
