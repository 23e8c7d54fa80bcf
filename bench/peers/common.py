# SPDX-License-Identifier: MIT
"""What every peer shares: arguments, repetitions, meters, one line of JSON a repetition, as lloyd's programs write."""
import argparse
import json
import os
import time

import numpy

METER = "VmHWM above VmRSS before"  # the same meter as in support/meters.hpp


def status_bytes(name):
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
    return None


class ResidentPeak:
    """How far resident memory rises above where it stood; None where the system does not let the peak be set back."""

    def __init__(self):
        try:
            with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
                file.write("5")
            self.start = status_bytes("VmRSS")
            if status_bytes("VmHWM") > self.start + 2**20:
                self.start = None
        except (OSError, TypeError):
            self.start = None

    def bytes(self):
        return None if self.start is None else max(status_bytes("VmHWM") - self.start, 0)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True, help="n x d, float32, .npy")
    parser.add_argument("--starts", help="k x d; without it the peer seeds by its own k-means++")
    parser.add_argument("--k", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--iterations", type=int, required=True)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--reps", type=int, default=5)
    parser.add_argument("--budget", type=float, default=10)
    parser.add_argument("--limit", type=float, default=0)
    parser.add_argument("--shift", type=float, default=0, help="added to every value, in float32, before anything")
    parser.add_argument("--save", help="prefix of the files that take centroids and labels")
    parser.add_argument("--raw", required=True)
    return parser.parse_args()


def main(fit, package, version):
    """fit(x, starts or None, k, iterations, seed, threads) -> (centroids, labels, iterations done)."""
    args = arguments()
    x = numpy.load(args.data)
    starts = numpy.load(args.starts) if args.starts else None
    if args.shift:
        x += numpy.float32(args.shift)
        starts = None if starts is None else starts + numpy.float32(args.shift)
    k = args.k if starts is None else len(starts)
    threads = args.threads or len(os.sched_getaffinity(0))

    with open(args.raw, "a", encoding="utf-8") as journal:
        def write(**record):
            journal.write(json.dumps({"threads": threads, "package": package, "version": version, **record}) + "\n")
            journal.flush()

        def once(rep, calls):
            start, busy = time.perf_counter(), time.process_time()
            for _ in range(calls):
                found = fit(x, starts, k, args.iterations, args.seed, threads)
            seconds = (time.perf_counter() - start) / calls
            return found, {"rep": rep, "calls": calls, "cold": rep == 0, "seconds": seconds, "n_iter": int(found[2]),
                           "cpu_seconds": (time.process_time() - busy) / calls}

        write(ready=True)  # the runner's clock starts here: reading the file is not the peer's work
        begin = time.perf_counter()
        meter = ResidentPeak()
        found, record = once(0, 1)
        peak = meter.bytes()
        write(**record, **({} if peak is None else {"peak_bytes": peak, "peak_meter": METER}))
        spent, last = 0.0, record["seconds"]
        for rep in range(1, args.reps + 1):
            late = args.limit and time.perf_counter() - begin + 1.2 * last > args.limit
            if late or (rep > 1 and spent + last > args.budget):
                break
            found, record = once(rep, int(min(max(0.01 / max(last, 1e-7), 1), 1000)))
            last = record["seconds"]
            spent += last * record["calls"]
            write(**record)
        if args.save:
            numpy.save(args.save + ".centroids.npy", numpy.ascontiguousarray(found[0], dtype=numpy.float32))
            numpy.save(args.save + ".labels.npy", numpy.ascontiguousarray(found[1], dtype=numpy.int32))
