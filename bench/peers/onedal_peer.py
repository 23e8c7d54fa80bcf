# SPDX-License-Identifier: MIT
"""oneDAL through scikit-learn-intelex. A result that fell back to scikit-learn is refused, not shown as oneDAL's."""
import importlib.metadata
import warnings

import common
from sklearnex.cluster import KMeans


def fit(x, starts, k, iterations, seed, threads):
    found = KMeans(n_clusters=k, init="k-means++" if starts is None else starts, n_init=1, max_iter=iterations, tol=0,
                   random_state=seed, algorithm="lloyd", copy_x=False, n_jobs=threads).fit(x)  # it leaves x as it is
    if not hasattr(found, "_onedal_estimator"):
        raise SystemExit("onedal: this fit was done by scikit-learn")
    return found.cluster_centers_, found.labels_, found.n_iter_


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    common.main(fit, "scikit-learn-intelex", importlib.metadata.version("scikit-learn-intelex"))
