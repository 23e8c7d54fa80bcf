# SPDX-License-Identifier: MIT
"""Writes metrics.csv and agreement.csv: what scikit-learn says of data and labels that metrics_test.cpp makes again.

Run it with NumPy, SciPy and scikit-learn: python3 make_metrics_oracle.py. Rows are made as in make_oracle.py.
scikit-learn is given distances by direct differences: its own, ||x||^2 - 2xy + ||y||^2, are off by more than 1e-12, most
of all where rows coincide or lie far from the origin. Of silhouettes about sixty are kept, evenly spaced. `simplified` is
no function of scikit-learn: it is computed here from its definition. Where scikit-learn's mutual information is off by
more than 1e-12, as for one rare cluster, that of 50 digits is kept instead, and the script says so.
"""
import csv
import decimal
import math
import pathlib
from unittest import mock

import numpy as np
import scipy
import sklearn
from make_oracle import WINE, rows, uniforms
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn import metrics
from sklearn.metrics.cluster import contingency_matrix

HERE = pathlib.Path(__file__).resolve().parent

# name, data, n, d, k, seed, scale, labels
CASES = [
    ("wine_classes", "wine_standardised", 178, 13, 3, 0, 0, "classes"),
    ("wine_nearest", "wine_standardised", 178, 13, 3, 0, 0, "nearest"),
    ("wine_raw_random", "wine", 178, 13, 5, 0, 0, "random"),
    ("flowers", "flowers", 150, 4, 3, 20, 0, "which"),
    ("flowers_random", "flowers", 150, 4, 4, 20, 0, "random"),
    ("eight_blobs", "blobs", 2000, 32, 8, 1, 0.4, "which"),
    ("overlapping_blobs", "blobs", 1200, 5, 6, 11, 4.0, "which"),
    ("overlapping_blobs_nearest", "blobs", 1200, 5, 6, 11, 4.0, "nearest"),
    ("skewed", "skewed", 1500, 3, 8, 9, 0, "nearest"),
    ("uniform_offset", "uniform", 1000, 4, 5, 5, 1000, "nearest"),
    ("uniform_wide", "uniform", 300, 200, 4, 6, 0, "nearest"),
    ("uniform_line", "uniform", 500, 1, 7, 7, 0, "nearest"),
    ("many_clusters", "uniform", 1000, 2, 100, 8, 0, "nearest"),
    ("alone", "uniform", 200, 3, 3, 14, 0, "alone"),
]

# name, n, clusters of the reference, clusters of the labels, seed, how the labels follow the reference
PAIRS = [
    ("renamed", 500, 6, 6, 30, "renamed"),
    ("independent", 2000, 5, 7, 31, "independent"),
    ("noisy", 3000, 8, 8, 32, "noisy"),
    ("noisy_more", 3000, 5, 12, 33, "noisy"),
    ("noisy_fewer", 3000, 12, 5, 34, "noisy"),
    ("one_against_many", 100, 1, 9, 35, "independent"),
    ("many_against_one", 100, 9, 1, 36, "independent"),
    ("all_alone", 60, 4, 60, 37, "alone"),
    ("nearly_one", 100000, 2, 2, 38, "rare"),
    ("large", 100000, 50, 40, 39, "noisy"),
    ("crowded", 400, 90, 110, 40, "noisy"),
]


def flowers(seed):
    """150 rows of 4 lengths in millimetres, written in centimetres: three kinds of 50, many rows equal."""
    centre = np.array([[5.0, 3.5, 1.5, 0.25], [6.0, 2.75, 4.25, 1.25], [6.5, 3.0, 5.5, 2.0]])
    sum_of_twelve = np.full(600, -6.0)
    for part in range(12):
        sum_of_twelve = sum_of_twelve + uniforms(64 * seed + 2 + part, 600)
    noise = np.array([0.375, 0.375, 0.375, 0.1875]) * sum_of_twelve.reshape(150, 4)
    return np.floor(10 * (np.repeat(centre, 50, axis=0) + noise) + 0.5) / 10


def rows_of(data, n, d, k, seed, scale):
    return flowers(seed) if data == "flowers" else rows(data, n, d, k, seed, scale)


def labels_of(kind, x, k, seed, data):
    n = len(x)
    if kind == "classes":
        return np.loadtxt(WINE.parent / "wine_classes.csv", dtype=int, skiprows=1)
    if kind == "which":
        return np.arange(n) // 50 if data == "flowers" else (uniforms(64 * seed + 1, n) * k).astype(int)
    if kind == "nearest":
        return cdist(x, x[np.arange(k) * (n // k)], "sqeuclidean").argmin(axis=1)
    if kind == "alone":
        return np.where(np.arange(n) % 10 == 0, 100 + np.arange(n), np.arange(n) % k)
    return (uniforms(64 * seed + 40, n) ** 2 * k).astype(int)


def simplified(x, labels):
    values, number, count = np.unique(labels, return_inverse=True, return_counts=True)
    distance = cdist(x, np.array([x[labels == value].mean(axis=0) for value in values]))
    own = distance[np.arange(len(x)), number].copy()
    distance[np.arange(len(x)), number] = np.inf
    other = distance.min(axis=1)
    return np.where(count[number] == 1, 0, (other - own) / np.maximum(other, own)).mean()


def pair(n, k, m, seed, how):
    u, v, w = (uniforms(64 * seed + stream, n) for stream in range(3))
    reference = (u * u * k).astype(int)
    if how == "rare":
        return (u < 2.0**-14).astype(int), (u < 2.0**-13).astype(int)
    if how == "alone":
        return reference, np.arange(n) - 5
    if how == "renamed":
        return reference, (reference * 5 + 2) % k * 10 - 3
    free = (v * m).astype(int)
    return reference, np.where(w < 0.7, (reference * 7 + 3) % m, free) if how == "noisy" else free


def exact_mutual_info(table):
    """2 I / (H + H') in 50 digits."""
    decimal.getcontext().prec = 50
    n = int(table.sum())
    of_rows, of_columns = [int(v) for v in table.sum(axis=1)], [int(v) for v in table.sum(axis=0)]
    entropies = sum(v * (decimal.Decimal(n) / v).ln() for v in of_rows + of_columns)
    shared = sum(v * (decimal.Decimal(n) * v / (of_rows[i] * of_columns[j])).ln()
                 for (i, j), v in ((place, int(v)) for place, v in np.ndenumerate(table)) if v > 0)
    return float(2 * shared / entropies) if entropies else 1.0


def mutual_info(name, reference, labels):
    value = metrics.normalized_mutual_info_score(reference, labels)
    exact = exact_mutual_info(contingency_matrix(reference, labels))
    if math.isclose(value, exact, rel_tol=1e-12, abs_tol=1e-12):
        return value
    print(f"{name}: scikit-learn says {value}, in 50 digits it is {exact}")
    return exact


def write(name, columns, lines):
    with open(HERE / name, "w", newline="\n") as out:
        out.write(f"# scikit-learn {sklearn.__version__}, SciPy {scipy.__version__}, NumPy {np.__version__}\n")
        csv.writer(out, lineterminator="\n").writerows([columns.split(), *lines])


def direct(x, y=None):
    return cdist(x, x if y is None else y)


@mock.patch("sklearn.metrics.cluster._unsupervised.pairwise_distances", direct)
def main():
    lines = []
    for name, data, n, d, k, seed, scale, kind in CASES:
        x = rows_of(data, n, d, k, seed, scale)
        labels = labels_of(kind, x, k, seed, data)
        silhouettes = metrics.silhouette_samples(direct(x), labels, metric="precomputed")
        values = [metrics.silhouette_score(direct(x), labels, metric="precomputed"), simplified(x, labels),
                  metrics.calinski_harabasz_score(x, labels),
                  metrics.davies_bouldin_score(x, labels)]
        samples = " ".join(repr(float(s)) for s in silhouettes[:: max(1, n // 60)])
        lines.append([name, data, n, d, k, seed, scale, kind, *(repr(float(value)) for value in values), samples])
    write("metrics.csv", "name data n d k seed scale labels silhouette simplified calinski_harabasz davies_bouldin samples",
          lines)

    lines = []
    for name, n, k, m, seed, how in PAIRS:
        reference, labels = pair(n, k, m, seed, how)
        table = contingency_matrix(reference, labels)
        equal = table[linear_sum_assignment(table, maximize=True)].sum()
        values = metrics.adjusted_rand_score(reference, labels), mutual_info(name, reference, labels)
        lines.append([name, n, k, m, seed, how, *(repr(float(value)) for value in values), equal])
    write("agreement.csv", "name n k m seed how adjusted_rand normalized_mutual_info n_equal", lines)


if __name__ == "__main__":
    main()
