// SPDX-License-Identifier: MIT
#include "lloyd/kmeans/workspace.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/problem.hpp"

namespace lloyd::test {
namespace {

TEST(Rows, FindTheLocalNumberOfAGlobalRow) {
  for (const Index first : {0, 3, 1000})
    for (const Index step : {1, 2, 7}) {
      detail::Rows rows;
      rows.local = 5;
      rows.first = first;
      rows.step = step;
      std::vector<Index> local(2000, -1);
      for (Index i = 0; i < 5; ++i) local[static_cast<std::size_t>(first + step * i)] = i;
      for (Index global = 0; global < 2000; ++global)
        ASSERT_EQ(rows.find(global), local[static_cast<std::size_t>(global)]);
    }
}

TEST(ProblemOfOneProcess, FetchesRowsInTheOrderAsked) {
  const auto x = normal_rows<float>(50, 3, 1);
  Options options;
  options.n_clusters = 2;
  std::vector<double> w;
  for (Index i = 0; i < 50; ++i) w.push_back(4 + static_cast<double>(i));
  const Problem<float, Tiled<float>> problem(options, Tiled<float>(InMemory<float>(x.view(), weights(w)), 7));
  const std::vector<Index> wanted{49, 0, 7, 7, 6, 13};
  Matrix<float> out(6, 3);
  problem.problem.fetch(wanted, out.view());
  EXPECT_EQ(out, rows_at(x, wanted));
  const auto found = problem.problem.fetch_weights(wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(problem.problem.in_weight_units(found[i]), w[static_cast<std::size_t>(wanted[i])]);
}

TEST(MeanOf, LiesAmongTheCentroids) {
  const auto c = rows_of<float>({{1, -3e38}, {2, -3e38}, {6, -3e38}});
  const auto mean = detail::mean_of(c.view());
  EXPECT_EQ(mean[0], 3.0F);
  EXPECT_NEAR(mean[1], -3e38F, 1e32F);
}

}  // namespace
}  // namespace lloyd::test
