// SPDX-License-Identifier: MIT
/// @file
/// Everything that KMeans<Cuda> offers, so that nvcc compiles every kernel for the gate.
#include "lloyd/cuda.cuh"

namespace lloyd {

template <class T>
void use(MatrixView<const T, Device> x, VectorView<const float, Device> w) {
  const KMeans<Cuda> kmeans({.n_clusters = 3});
  const auto result = kmeans.fit(x, w);
  (void)kmeans.fit_from(result.centroids, x);
  (void)kmeans.assign(result.centroids, x);
  (void)kmeans.predict(result.centroids, x);
  (void)kmeans.transform(result.centroids, x);
  (void)kmeans.score(result.centroids, x, w);
  (void)to_host(result);
}
template void use(MatrixView<const float, Device>, VectorView<const float, Device>);
template void use(MatrixView<const double, Device>, VectorView<const float, Device>);

}  // namespace lloyd
