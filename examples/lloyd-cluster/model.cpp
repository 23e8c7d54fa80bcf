// SPDX-License-Identifier: MIT
#include "model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "errors.hpp"
#include "format.hpp"
#include "lloyd/npy.hpp"
#include "scratch.hpp"
#include "second_look.hpp"
#include "table.hpp"

namespace program {
namespace {

using lloyd::Index;

/// "FILE: centroid 0, column 2", columns from 1.
std::string place_of(const fs::path& file, Index centroid, Index column) {
  return lloyd::detail::text(file.string(), ": centroid ", centroid, ", column ", column + 1);
}

/// The centroids of a file as To.
template <class To, class From>
lloyd::Matrix<To> converted(const lloyd::Matrix<From>& x, const fs::path& file) {
  lloyd::Matrix<To> y(x.rows(), x.cols());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) {
      y(i, j) = static_cast<To>(x(i, j));
      const auto value = static_cast<double>(x(i, j));
      if (!is_usable(y(i, j)))
        refuse(place_of(file, i, j), " is ", shown(value), ", expected ", expected_instead_of<To>(value));
    }
  }
  return y;
}

/// A vector of d numbers of a model.
std::vector<double> numbers(const lloyd::Npz& arrays, const std::string& name, Index d, const std::string& file) {
  const auto x = arrays.matrix<double>(name);
  if (x.cols() != 1 || x.rows() != d) {
    refuse(file, ": ", name, " is ", x.rows(), " x ", x.cols(), ", expected ", counted(d, "number"),
           " as the centroids have columns");
  }
  for (Index j = 0; j < d; ++j)
    if (!std::isfinite(x(j, 0))) refuse(file, ": ", name, " holds ", shown(x(j, 0)), ", expected finite numbers");
  return {x.data(), x.data() + d};
}

template <class T>
Model<T> read_npz_model(const fs::path& path) {
  const lloyd::Npz arrays = lloyd::read_npz(path);
  const std::string file = path.string();
  Model<T> model;
  model.centroids = arrays.scalar("centroids") == lloyd::NpyScalar::float64
                        ? converted<T>(arrays.matrix<double>("centroids"), path)
                        : converted<T>(arrays.matrix<float>("centroids"), path);
  const Index d = model.centroids.cols();
  if (arrays.contains("scale")) {
    model.scaling = {numbers(arrays, "mean", d, file), numbers(arrays, "mean_rest", d, file),
                     numbers(arrays, "scale", d, file)};
    for (const double scale : model.scaling.scale)
      if (!(scale > 0)) refuse(file, ": scale holds ", shown(scale), ", expected numbers above 0");
  }
  if (arrays.contains("names")) model.names = arrays.texts("names");
  if (!model.names.empty() && std::cmp_not_equal(model.names.size(), d))
    refuse(file, ": ", counted(model.names.size(), "name"), ", expected ", d);
  return model;
}

bool holds_in_first_line(const RowsArguments& rows, char c) {
  const auto lines = first_lines(rows, 1);
  return !lines.empty() && lines.front().find(c) != std::string::npos;
}

}  // namespace

template <class T>
lloyd::Npz to_npz(const Model<T>& model) {
  lloyd::Npz arrays;
  arrays.add("centroids", model.centroids);
  if (!model.scaling.empty()) {
    arrays.add("mean", model.scaling.mean);
    arrays.add("mean_rest", model.scaling.rest);
    arrays.add("scale", model.scaling.scale);
  }
  if (!model.names.empty()) arrays.add("names", model.names);
  return arrays;
}

bool model_holds_double(const fs::path& path) {
  const Format format = format_of_model(path);
  if (format != Format::npz && format != Format::npy) return false;
  require_file(path, "the type of a model is read first");
  const auto scalar = format == Format::npz ? lloyd::read_npz(path).scalar("centroids") : lloyd::npy_scalar(path);
  return scalar == lloyd::NpyScalar::float64;
}

template <class T>
Model<T> read_model(const fs::path& path, std::optional<char> separator, Role role) {
  Model<T> model;
  if (format_of_model(path) == Format::npz) {
    model = read_npz_model<T>(path);
  } else {
    const bool of_text = is_text(format_of_model(path));
    RowsArguments rows;
    rows.path = path;
    rows.role = role;
    rows.use_double = of_text && std::is_same_v<T, double>;
    std::optional<Reopened> reopened;
    if (of_text) rows.copy = reopened.emplace(path).path();
    if (of_text && separator && holds_in_first_line(rows, *separator)) rows.separator = separator;
    if (reads_double(rows)) {
      auto table = read_table<double>(rows);
      model = {converted<T>(table.x, path), {}, std::move(table.names), {}};
    } else {
      auto table = read_table<float>(rows);
      model = {converted<T>(table.x, path), {}, std::move(table.names), {}};
    }
  }
  if (model.centroids.rows() == 0 || model.centroids.cols() == 0) refuse(path.string(), ": no centroids");
  model.file = path;
  return model;
}

template <class T>
Model<T> in_order_of(const std::vector<std::string>& names, Model<T> model) {
  if (names.empty() || model.names.empty() || names == model.names) return model;
  std::vector<Index> places;
  for (const std::string& name : names) {
    const Index place = std::find(model.names.begin(), model.names.end(), name) - model.names.begin();
    if (std::cmp_equal(place, model.names.size()) || std::find(places.begin(), places.end(), place) != places.end())
      refuse("--start: \"", model.file.string(), "\" has no column \"", name, "\", which the rows have");
    places.push_back(place);
  }
  model.centroids = select(model.centroids, places);
  for (auto* const values : {&model.scaling.mean, &model.scaling.rest, &model.scaling.scale}) {
    std::vector<double> given = std::move(*values);
    values->clear();
    for (const Index place : places)
      if (!given.empty()) values->push_back(given[static_cast<std::size_t>(place)]);
  }
  model.names = names;
  return model;
}

template <class T>
lloyd::Matrix<T> starting_centroids(Model<T> start, const Scaling& scaling) {
  if (start.scaling == scaling) return std::move(start.centroids);
  restore(start.centroids, start.scaling);
  for (Index i = 0; i < start.centroids.rows(); ++i) {
    for (Index j = 0; j < start.centroids.cols(); ++j) {
      if (const T value = start.centroids(i, j); !is_usable(value))
        refuse("--start: ", place_of(start.file, i, j), " is ", shown(static_cast<double>(value)),
               " in the units of its rows, expected a finite number");
    }
  }
  if (const auto lost = standardize(start.centroids, scaling, 1)) {
    refuse("--start: ", place_of(start.file, lost->row, lost->column), " is ", shown(lost->value),
           ", standardised as the rows are ", shown(lost->standardized), ", expected ",
           expected_instead_of<T>(lost->value));
  }
  return std::move(start.centroids);
}

template lloyd::Npz to_npz(const Model<float>& model);
template lloyd::Npz to_npz(const Model<double>& model);
template Model<float> read_model(const fs::path& path, std::optional<char> separator, Role role);
template Model<double> read_model(const fs::path& path, std::optional<char> separator, Role role);
template Model<float> in_order_of(const std::vector<std::string>& names, Model<float> model);
template Model<double> in_order_of(const std::vector<std::string>& names, Model<double> model);
template lloyd::Matrix<float> starting_centroids(Model<float> start, const Scaling& scaling);
template lloyd::Matrix<double> starting_centroids(Model<double> start, const Scaling& scaling);

}  // namespace program
