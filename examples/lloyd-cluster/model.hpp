// SPDX-License-Identifier: MIT
// Centroids of a file, and the .npz that a fit leaves for predict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "lloyd/npz.hpp"
#include "scaling.hpp"

namespace program {

template <class T>
struct Model {
  lloyd::Matrix<T> centroids;      // standardised if there is a scaling
  Scaling scaling;                 // empty: none
  std::vector<std::string> names;  // of the columns; none if unknown
  fs::path file;                   // where it was read, if it was
};

/// A .npz holds `centroids` (k x d, float32 or float64), and `mean`, `mean_rest` and `scale` (d, float64) where rows
/// are to be standardised, as Scaling says, and `names` (d texts) where columns have names. What else is there is
/// ignored.
template <class T>
[[nodiscard]] lloyd::Npz to_npz(const Model<T>& model);

/// Whether a file of centroids holds double; text is taken as float.
[[nodiscard]] bool model_holds_double(const fs::path& path);

/// Reads a .npz of a model, or centroids from .npy, .fvecs, .csv or .tsv; of float where T is double and the other way
/// round the values are converted.
/// @param separator  that of the rows, which separates the columns of centroids too where their first line holds it
/// @throws std::runtime_error for a file that is no such model, and values that no fit with T takes
template <class T>
[[nodiscard]] Model<T> read_model(const fs::path& path, std::optional<char> separator, Role role = Role::centroids);

/// The columns of a model in the order of the rows' names, where both have names.
/// @throws std::runtime_error, naming --start, where the rows have a column that the model lacks
template <class T>
[[nodiscard]] Model<T> in_order_of(const std::vector<std::string>& names, Model<T> model);

/// Centroids in the units of the file become those that a fit of rows with this scaling can start from.
/// @throws std::runtime_error, naming --start, for a value that is lost by that
template <class T>
[[nodiscard]] lloyd::Matrix<T> starting_centroids(Model<T> start, const Scaling& scaling);

}  // namespace program
