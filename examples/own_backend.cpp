// SPDX-License-Identifier: MIT
// A backend of one's own: the primitives of lloyd/backend.hpp on whatever computes. This one takes all of Reference but
// one primitive, which it replaces to count distances; KMeans checks at compile time that none is missing.
#include <cstdint>
#include <iostream>
#include <lloyd/kmeans.hpp>
#include <lloyd/reference.hpp>
#include <memory>
#include <vector>

struct Counting : lloyd::Reference {
  std::shared_ptr<std::int64_t> distances = std::make_shared<std::int64_t>(0);  // KMeans keeps a copy of its backend

  /// l'_i = argmin_j D(x_i, c_j), and rows move between the sums of their clusters.
  template <lloyd::Real T>
  void assign_accumulate(const lloyd::Tile<T>& tile, const Prepared<T>& prepared, const lloyd::detail::RowState& rows,
                         const lloyd::detail::Quanta& quanta, const lloyd::detail::SumsView& sums,
                         lloyd::detail::ExactSum* scatter, lloyd::detail::ExactSum* inertia) const {
    *distances += tile.x.rows() * prepared.c.rows();
    Reference::assign_accumulate(tile, prepared, rows, quanta, sums, scatter, inertia);
  }
};

int main() {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back((i * 389) % 1009);
  const lloyd::MatrixView points(values, 500, 2);

  const lloyd::Options options{.n_clusters = 4, .tol = 0};
  const Counting backend;
  const auto counted = lloyd::KMeans<Counting>(options, backend).fit(points);
  const auto expected = lloyd::KMeans<lloyd::Reference>(options).fit(points);

  std::cout << *backend.distances << " distances in " << counted.n_iter << " iterations\n";
  const bool same = counted.labels == expected.labels && counted.centroids == expected.centroids;
  return same && *backend.distances == counted.n_iter * 500 * 4 ? 0 : 1;
}
