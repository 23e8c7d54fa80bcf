// SPDX-License-Identifier: MIT
// expect: so predict, assign, transform and score take the centroids first: kmeans.predict(result.centroids, x)
#include <lloyd/kmeans.hpp>
#include <lloyd/reference.hpp>

void f(const lloyd::Matrix<float>& x) {
  const lloyd::KMeans<lloyd::Reference> kmeans({.n_clusters = 2});
  const auto result = kmeans.fit(x);
#ifdef RIGHT
  (void)kmeans.predict(result.centroids, x);
  (void)kmeans.transform(result.centroids, x);
#else
  (void)kmeans.predict(x);
  (void)kmeans.transform(x);
#endif
}
