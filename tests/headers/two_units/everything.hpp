// SPDX-License-Identifier: MIT
/// @file
/// Calls everything a user can call, for one scalar type, and prints what came of it to the last bit.
#pragma once

#include <cmath>
#include <ios>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "every_header.hpp"

/// Rows of small integers and eighths: a few groups, ties and duplicates among them.
template <lloyd::Real T>
lloyd::Matrix<T> some_rows() {
  lloyd::Matrix<T> x(60, 3);
  for (lloyd::Index i = 0; i < x.rows(); ++i) {
    for (lloyd::Index j = 0; j < x.cols(); ++j) {
      x(i, j) = static_cast<T>((i % 4) * 10 + (i * 7 + j * 3) % 5) + static_cast<T>(i % 8) / T{8};
    }
  }
  return x;
}

template <class Numbers>
void print(std::ostream& out, const char* name, const Numbers& numbers, lloyd::Index count) {
  out << name << std::hexfloat;
  for (lloyd::Index i = 0; i < count; ++i) out << ' ' << +numbers[static_cast<std::size_t>(i)];
  out << '\n';
}

template <class T, class B>
void print(std::ostream& out, const lloyd::Clustering<T, B>& result) {
  print(out, "centroids", result.centroids.data(), result.centroids.rows() * result.centroids.cols());
  print(out, "labels", result.labels, static_cast<lloyd::Index>(result.labels.size()));
  out << "inertia " << std::hexfloat << result.inertia << " n_iter " << result.n_iter << '\n';
}

/// Every member of KMeans on the backend B.
template <lloyd::Real T, class B>
void use(std::ostream& out, const lloyd::Options& options) {
  const lloyd::Matrix<T> x = some_rows<T>();
  const std::vector<double> w(static_cast<std::size_t>(x.rows()), 1.5);
  lloyd::KMeans<B> kmeans(options);

  const auto result = kmeans.fit(x);
  print(out, result);
  print(out, kmeans.fit(x.view(), w));
  print(out, lloyd::KMeans<B>({.n_clusters = options.n_clusters}).fit_from(result.centroids, x, w));

  const auto nearest = kmeans.assign(result.centroids, x);
  print(out, "distances", nearest.distances, static_cast<lloyd::Index>(nearest.distances.size()));
  const auto labels = kmeans.predict(result.centroids, x);
  print(out, "labels", labels, static_cast<lloyd::Index>(labels.size()));
  const auto distances = kmeans.transform(result.centroids, x);
  print(out, "transform", distances.data(), distances.rows() * distances.cols());
  out << "score " << kmeans.score(result.centroids, x, w) << '\n';
}

/// Every metric, and a sweep on the backend B.
template <lloyd::Real T, class B>
void use_metrics(std::ostream& out, const lloyd::KMeans<B>& kmeans) {
  const lloyd::Matrix<T> x = some_rows<T>();
  const auto result = kmeans.fit(x);
  const auto samples = lloyd::silhouette_samples(x, result.labels);
  print(out, "silhouettes", samples, x.rows());
  out << lloyd::silhouette_score(x, result.labels, {.sample_size = 30}) << ' '
      << lloyd::simplified_silhouette(x, result.centroids, result.labels) << ' '
      << lloyd::calinski_harabasz_score(x, result.labels) << ' ' << lloyd::davies_bouldin_score(x, result.labels)
      << '\n';
  const auto runs = lloyd::sweep(kmeans, x, {2, 3, 4, 5});
  for (const auto& run : runs) out << run.n_clusters << ' ' << run.inertia << ' ' << run.silhouette << '\n';
  const auto& best = lloyd::elbow(runs);
  out << best.n_clusters << ' ' << lloyd::adjusted_rand_score(result.labels, best.clustering.labels) << ' '
      << lloyd::normalized_mutual_info_score(result.labels, best.clustering.labels) << '\n';
  const auto match = lloyd::match_labels(result.labels, best.clustering.labels);
  print(out, "matched", match.labels, x.rows());
}

/// The readers, each of a table of its own.
template <lloyd::Real T>
void read_everything(std::ostream& out) {
  std::istringstream csv("1,2\n3,4\n"), vectors(std::string("\1\0\0\0\0\0\200\77", 8));
  const auto table = lloyd::read_csv_table<T>(csv);
  print(out, "table", table.values.data(), table.values.rows() * table.values.cols());
  print(out, "vectors", lloyd::read_fvecs(vectors).data(), 1);
  lloyd::Npz arrays;
  arrays.add("table", table.values);
  arrays.add("names", std::vector<std::string>{"a", "b"});
  std::string archive;
  lloyd::detail::write_zip(arrays.members(), {"write_npz", "archive"},
                           [&](std::string_view bytes) { archive += bytes; });
  std::istringstream npz(archive);
  const auto again = lloyd::read_npz(npz);
  if (again.texts("names").size() != 2 || again.matrix<T>("table") != table.values)
    throw std::runtime_error("an archive is not what it was");
}

/// Both backends, which must print the same, with every seeding; the readers.
template <lloyd::Real T>
void use_everything(std::ostream& out) {
  read_everything<T>(out);
  for (const auto init : {lloyd::Init::kmeans_plus_plus, lloyd::Init::scalable_kmeans_plus_plus, lloyd::Init::random}) {
    const lloyd::Options options = {.n_clusters = 4, .n_init = 2, .seed = 3, .init = init};
    std::ostringstream reference, cpu;
    use<T, lloyd::Reference>(reference, options);
    use<T, lloyd::Cpu>(cpu, options);
    if (reference.str() != cpu.str()) throw std::runtime_error("Cpu differs from Reference");
    out << cpu.str();
  }
  use_metrics<T>(out, lloyd::KMeans<lloyd::Cpu>({.n_clusters = 4, .seed = 3}));
}

void use_in_a(std::ostream& out);
