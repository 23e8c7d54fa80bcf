# SPDX-License-Identifier: MIT
"""Writes results.csv: what scikit-learn finds on data that oracle_test.cpp makes again, value by value.

Run it with NumPy and scikit-learn: python3 make_oracle.py. The data come from a hash of integers and from sums and
products in a fixed order, so Python and C++ have the same doubles; all values are rounded to float32. Labels are kept as
the sizes of clusters and a hash, clusters numbered by their first row.
"""
import csv
import pathlib

import numpy as np
import sklearn
from sklearn.cluster import KMeans

HERE = pathlib.Path(__file__).resolve().parent
WINE = HERE.parent.parent / "examples" / "data" / "wine.csv"

# name, data, n, d, k, seed, scale, weights; KIND of data and of weights as in the functions below.
CASES = [
    ("eight_blobs", "blobs", 32768, 32, 8, 1, 0.4, "none"),
    ("wine_standardised", "wine_standardised", 178, 13, 3, 0, 0, "none"),
    ("wine_standardised_weighted", "wine_standardised", 178, 13, 5, 0, 0, "uniform"),
    ("wine_raw", "wine", 178, 13, 4, 0, 0, "none"),
    ("uniform_plane", "uniform", 2000, 2, 10, 2, 0, "none"),
    ("uniform_weighted", "uniform", 800, 3, 6, 3, 0, "uniform"),
    ("uniform_zero_weights", "uniform", 900, 2, 7, 4, 0, "zeros"),
    ("uniform_offset", "uniform", 1000, 4, 5, 5, 1000, "none"),
    ("uniform_wide", "uniform", 300, 200, 4, 6, 0, "none"),
    ("uniform_line", "uniform", 500, 1, 7, 7, 0, "none"),
    ("many_clusters", "uniform", 1000, 2, 100, 8, 0, "none"),
    ("skewed", "skewed", 1500, 3, 8, 9, 0, "none"),
    ("skewed_weighted", "skewed", 1200, 2, 6, 10, 0, "uniform"),
    ("overlapping_blobs", "blobs", 1200, 5, 6, 11, 4.0, "none"),
    ("overlapping_blobs_weighted", "blobs", 1000, 8, 9, 12, 3.0, "zeros"),
    ("two_clusters", "skewed", 64, 5, 2, 13, 0, "none"),
]
SEPARATION = 12.0


def uniforms(stream, count):
    """Doubles 0 <= u < 1: SplitMix64 of 2^40 stream + i."""
    with np.errstate(over="ignore"):
        z = (np.arange(count, dtype=np.uint64) + np.uint64(stream << 40)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)).astype(np.float64) * 2.0**-53


def blobs(n, d, k, seed, noise):
    centres = SEPARATION * uniforms(64 * seed, k * d).reshape(k, d)
    which = (uniforms(64 * seed + 1, n) * k).astype(np.int64)
    sum_of_twelve = np.full(n * d, -6.0)
    for part in range(12):
        sum_of_twelve = sum_of_twelve + uniforms(64 * seed + 2 + part, n * d)
    return centres[which] + noise * sum_of_twelve.reshape(n, d)


def rows(data, n, d, k, seed, scale):
    if data == "blobs":
        x = blobs(n, d, k, seed, scale)
    elif data == "uniform":
        x = uniforms(64 * seed, n * d).reshape(n, d) + scale
    elif data == "skewed":
        u = uniforms(64 * seed, n * d).reshape(n, d)
        x = (u * u) * (u * u) * (10.0 ** np.arange(d))
    else:
        x = np.loadtxt(WINE, delimiter=",", skiprows=1)
        if data == "wine_standardised":
            x = (x - x.mean(axis=0)) / x.std(axis=0)
    return x.astype(np.float32).astype(np.float64)


def weights(kind, n, seed):
    if kind == "none":
        return None
    u = uniforms(64 * seed + 63, n)
    return np.where(u < 0.25, 0.0, u) if kind == "zeros" else u


def canonical(labels):
    """Clusters numbered in the order of their first rows."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def fnv(labels):
    """FNV-1a of one byte a label."""
    value = 0xCBF29CE484222325
    for label in labels.tolist():
        value = (value ^ label) * 0x100000001B3 % 2**64
    return value


def main():
    with open(HERE / "results.csv", "w", newline="\n") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow("name data n d k seed scale weights n_iter inertia labels sizes".split())
        for name, data, n, d, k, seed, scale, kind in CASES:
            x, w = rows(data, n, d, k, seed, scale), weights(kind, n, seed)
            assert x.shape == (n, d)
            start = x[np.arange(k) * (n // k)]
            found = KMeans(k, init=start, n_init=1, max_iter=1000, tol=0, algorithm="lloyd").fit(x, sample_weight=w)
            if name == "eight_blobs":
                found = KMeans(k, n_init=20, tol=0, random_state=0).fit(x)
            labels = canonical(found.labels_)
            sizes = " ".join(map(str, np.bincount(labels, minlength=k)))
            table.writerow([name, data, n, d, k, seed, scale, kind, found.n_iter_, repr(float(found.inertia_)),
                            f"{fnv(labels):016x}", sizes])
    print("scikit-learn", sklearn.__version__)


if __name__ == "__main__":
    main()
