# SPDX-License-Identifier: MIT
"""The one checker of all engines: inertia in float64, and rows whose label is not the argmin of D over the centroids.

D is the distance of docs/numerics.md: differences in double, eight lanes of fused multiply-adds, ties to the lowest
centroid. A product in float64 with an error bound decides nearly all rows; D itself decides the rest.
    checker.py --data X.npy --centroids C.npy --labels L.npy [--shift S]
"""
import argparse
import ctypes
import ctypes.util
import json
import math

import numpy

fma = ctypes.CDLL(ctypes.util.find_library("m")).fma
fma.restype, fma.argtypes = ctypes.c_double, [ctypes.c_double] * 3


def exact_distance(x, c):
    """D(x, c) of two float32 rows."""
    t = (x.astype(numpy.float64) - c.astype(numpy.float64)).tolist()
    lane = [0.0] * 8
    for q, value in enumerate(t):
        lane[q % 8] = fma(value, value, lane[q % 8])
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]))


class Checker:
    def __init__(self, centroids):
        self.c = centroids
        self.origin = centroids.mean(axis=0, dtype=numpy.float64)
        self.shifted = centroids.astype(numpy.float64) - self.origin
        self.half = (self.shifted**2).sum(axis=1) / 2
        self.norm = numpy.sqrt(2 * self.half)
        self.unit = (centroids.shape[1] + 16) * 2.0**-52
        self.settled_by_d = 0

    def wrong(self, x, labels):
        """How many of these rows have a label that is not the argmin of D."""
        shifted = x.astype(numpy.float64) - self.origin
        score = self.half - shifted @ self.shifted.T  # (D - |x|^2) / 2
        error = self.unit * (numpy.sqrt((shifted**2).sum(axis=1))[:, None] + self.norm) ** 2
        low, high = score - error, score + error
        rows = numpy.arange(len(x))
        bad = (labels < 0) | (labels >= len(self.c))
        own = numpy.where(bad, 0, labels)
        candidates = low <= high.min(axis=1)[:, None]
        count = candidates.sum(axis=1)
        surely_wrong = bad | ~candidates[rows, own]
        doubtful = numpy.flatnonzero(~surely_wrong & (count > 1))
        self.settled_by_d += len(doubtful)
        wrong = int(surely_wrong.sum())
        for row in doubtful:
            of = numpy.flatnonzero(candidates[row])
            nearest = min(of, key=lambda j: (exact_distance(x[row], self.c[j]), j))
            wrong += int(nearest != labels[row])
        return wrong


def check(data, centroids, labels, shift=0.0):
    """What is true of a clustering of n rows."""
    x = numpy.load(data, mmap_mode="r")
    checker, inertia, wrong = Checker(centroids), [], 0
    step = max(1, 4_000_000 // max(centroids.shape))
    for begin in range(0, len(x), step):
        rows = numpy.array(x[begin:begin + step])
        if shift:
            rows += numpy.float32(shift)
        own = labels[begin:begin + step]
        wrong += checker.wrong(rows, own)
        near = centroids[numpy.clip(own, 0, len(centroids) - 1)]
        inertia.append(float(((rows.astype(numpy.float64) - near) ** 2).sum()))
    return {"rows": len(x), "checked_inertia": math.fsum(inertia), "wrong_labels": wrong,
            "settled_by_d": checker.settled_by_d}


def main():
    parser = argparse.ArgumentParser()
    for name in ("data", "centroids", "labels"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--shift", type=float, default=0)
    args = parser.parse_args()
    print(json.dumps(check(args.data, numpy.load(args.centroids), numpy.load(args.labels), args.shift)))


if __name__ == "__main__":
    main()
