// SPDX-License-Identifier: MIT
// scikit-learn's results, frozen by make_oracle.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lloyd/lloyd.hpp"
#include "lloyd/reference.hpp"
#include "oracle/data.hpp"

namespace lloyd::test {
namespace {

const std::string data_folder = LLOYD_TEST_DATA;

const std::vector<OracleCase>& cases() {
  static const auto all = read_cases(data_folder + "/../../tests/oracle/results.csv");
  return all;
}

/// The same clusters: their sizes, the hash of their labels, and the inertia.
template <class Result>
void expect_same_clusters(const Result& result, const OracleCase& c, double relative) {
  const auto labels = canonical(result.labels, c.k);
  std::vector<Index> sizes(static_cast<std::size_t>(c.k), 0);
  for (const Label label : labels) ++sizes[static_cast<std::size_t>(label)];
  EXPECT_EQ(sizes, c.sizes) << c.name;
  EXPECT_EQ(fnv(labels), c.labels) << c.name;
  EXPECT_NEAR(result.inertia, c.inertia, relative * c.inertia) << c.name;
}

/// From the start that scikit-learn had: every (n / k)-th row.
template <Real T, class B>
auto fit_case(const OracleCase& c, const B& backend) {
  const auto x = rows_of_case<T>(c, data_folder + "/wine.csv");
  Matrix<T> start(c.k, c.d);
  for (Index j = 0; j < c.k; ++j) std::copy_n(x.row(j * (c.n / c.k)), c.d, start.row(j));
  const KMeans<B> kmeans({.n_clusters = c.k, .max_iter = 1000, .tol = 0}, backend);
  return kmeans.fit_from(start, x, weights_of_case(c));
}

TEST(Oracle, HasItsCases) { EXPECT_GE(cases().size(), 13U); }

TEST(Oracle, FromTheSameCentroidsTheSameResult) {
  for (const OracleCase& c : cases()) {
    if (c.name == "eight_blobs") continue;
    const auto result = fit_case<double>(c, Cpu{2});
    expect_same_clusters(result, c, 1e-6);
    EXPECT_EQ(result.n_iter, c.n_iter) << c.name;
    expect_same_clusters(fit_case<double>(c, Reference()), c, 1e-6);
  }
}

TEST(Oracle, InFloatTheSameInertia) {
  for (const OracleCase& c : cases()) {
    if (c.name == "eight_blobs") continue;
    EXPECT_NEAR(fit_case<float>(c, Cpu{2}).inertia, c.inertia, 1e-5 * c.inertia) << c.name;
  }
}

template <class T>
class OracleBlobs : public testing::Test {};
using BlobScalars = testing::Types<float, double>;
TYPED_TEST_SUITE(OracleBlobs, BlobScalars);

TYPED_TEST(OracleBlobs, EverySeedingFindsTheEightBlobs) {
  const OracleCase& c = cases().front();
  ASSERT_EQ(c.name, "eight_blobs");
  const auto x = rows_of_case<TypeParam>(c, "");
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const auto expect_found = [&](Options options, const std::string& how) {
      SCOPED_TRACE(how);
      options.n_clusters = 8;
      options.seed = seed;
      expect_same_clusters(KMeans<Cpu>(options, Cpu{2}).fit(x), c, 1e-6);
    };
    expect_found({}, "greedy k-means++");
    expect_found({.n_init = 6, .n_local_trials = 1}, "plain k-means++");
    expect_found({.init = Init::scalable_kmeans_plus_plus}, "scalable k-means++");
    expect_found({.init_size = 4096}, "greedy k-means++ on a sample");
    if (seed == 0) {
      expect_found({.n_init = 20, .init = Init::random}, "random rows");
    }
  }
}

}  // namespace
}  // namespace lloyd::test
