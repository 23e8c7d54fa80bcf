// SPDX-License-Identifier: MIT
// Rows that are in no matrix: a source computes them, tile by tile, for every pass over them. The result has the bits
// that the same rows in memory give.
#include <algorithm>
#include <cstddef>
#include <iostream>
#include <lloyd/lloyd.hpp>
#include <span>

/// Two columns of one wave each.
class Waves {
 public:
  using Scalar = float;

  explicit Waves(lloyd::Index rows) : rows_(rows) {}

  [[nodiscard]] lloyd::Index rows() const { return rows_; }
  [[nodiscard]] lloyd::Index cols() const { return 2; }
  [[nodiscard]] bool weighted() const { return false; }
  [[nodiscard]] lloyd::Index first() const { return -1; }  // rows of several processes would follow on each other
  [[nodiscard]] lloyd::Index step() const { return 1; }

  /// Calls use(tile) for all rows in order, the same ones every time.
  template <class Use>
  void for_each_tile(const Use& use) const {
    lloyd::Matrix<float> tile(1000, 2);
    for (lloyd::Index offset = 0; offset < rows_; offset += tile.rows()) {
      const lloyd::Index count = std::min(tile.rows(), rows_ - offset);
      for (lloyd::Index i = 0; i < count; ++i) compute(offset + i, tile.row(i));
      use(lloyd::Tile<float>{tile.view().slice(0, count), {}, offset, 0, 1});
    }
  }

  /// out_i = row wanted[i]: for starting centroids.
  void gather(std::span<const lloyd::Index> wanted, lloyd::MatrixView<float> out) const {
    for (std::size_t i = 0; i < wanted.size(); ++i) compute(wanted[i], out.row(static_cast<lloyd::Index>(i)));
  }

  static void compute(lloyd::Index i, float* row) {
    row[0] = static_cast<float>(i % 1000) * static_cast<float>(i % 7);
    row[1] = static_cast<float>(i % 777) * static_cast<float>(i % 5);
  }

 private:
  lloyd::Index rows_;
};

int main() {
  const lloyd::KMeans kmeans({.n_clusters = 6, .seed = 3});
  const auto streamed = kmeans.fit(Waves(50000));

  lloyd::Matrix<float> points(50000, 2);
  for (lloyd::Index i = 0; i < points.rows(); ++i) Waves::compute(i, points.row(i));
  const auto in_memory = kmeans.fit(points);
  const bool same = streamed.centroids == in_memory.centroids && streamed.labels == in_memory.labels;
  std::cout << streamed.n_iter << " iterations, inertia " << streamed.inertia
            << (same ? ", the same" : ", not the same") << " in memory\n";
  return same ? 0 : 1;
}
