# SPDX-License-Identifier: MIT
"""scikit-learn: Lloyd's algorithm by blocks of 256 rows; its own k-means++ is greedy."""
import common
import sklearn
from sklearn.cluster import KMeans


def fit(x, starts, k, iterations, seed, threads):
    # threads: OMP_NUM_THREADS, set by the runner. It copies x, as by default: else it takes the mean off x and adds it
    # again, which leaves other rows.
    found = KMeans(n_clusters=k, init="k-means++" if starts is None else starts, n_init=1, max_iter=iterations, tol=0,
                   random_state=seed, algorithm="lloyd").fit(x)
    return found.cluster_centers_, found.labels_, found.n_iter_


if __name__ == "__main__":
    import warnings
    warnings.filterwarnings("ignore")  # that 12 iterations do not converge is meant
    common.main(fit, "scikit-learn", sklearn.__version__)
