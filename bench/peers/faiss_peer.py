# SPDX-License-Identifier: MIT
"""FAISS: Clustering on a flat index, and one search, so that labels are those of the centroids, as in other fits. Its
k-means++ has one candidate a step."""
import common
import faiss
import numpy


def fit(x, starts, k, iterations, seed, threads):
    faiss.omp_set_num_threads(threads)
    n, d = x.shape
    clustering = faiss.Clustering(d, k)
    clustering.niter, clustering.nredo, clustering.seed = iterations, 1, seed
    clustering.min_points_per_centroid, clustering.max_points_per_centroid = 1, n  # no sampling
    if starts is None:
        clustering.init_method = faiss.ClusteringInitMethod_KMEANS_PLUS_PLUS
    else:
        faiss.copy_array_to_vector(numpy.ascontiguousarray(starts).ravel(), clustering.centroids)
    index = faiss.IndexFlatL2(d)
    clustering.train(x, index)
    centroids = faiss.vector_to_array(clustering.centroids).reshape(k, d)
    return centroids, index.search(x, 1)[1].ravel(), clustering.iteration_stats.size()  # it may stop before


if __name__ == "__main__":
    common.main(fit, "faiss-cpu", faiss.__version__)
