# SPDX-License-Identifier: MIT
"""The constants of the library's rules against the committed crossover results: crossover_test.py CONSTANTS RESULTS.

CONSTANTS is a program that prints the library's constants. Away from the boundary, no cell may lose more than 1.5x by
the rule's choice; near it, both ways are about as good and noise decides. Exit code 77: nothing is committed yet.
"""
import json
import math
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import results  # noqa: E402

MOST_LOST = 1.5
# How far (as a factor) a cell must lie from where the rule changes its mind.
AWAY = 4


def one_hot(constants, d, k):
    """(whether the rule takes one-hot, how far the cell is from the boundary), as cpu/accumulate.hpp has it."""
    ratio = constants["one_hot_factor"] * k / d
    return ratio < 1, max(ratio, 1 / ratio)


def fused(constants, d, k):
    """The same of the fused assignment, as cpu/prepare.hpp has it. k does not matter."""
    ratio = d / constants["fused_up_to"]
    return ratio <= 1, max(ratio, 1 / ratio)


def features_in_lanes(constants, d, k):
    """The same of few centroids, as cpu/filter_centroids.hpp has it. k does not matter."""
    ratio = d / constants["features_in_lanes_from"]
    return ratio >= 1, max(ratio, 1 / ratio)


KINDS = [("crossover/update", ("scatter-add", "one-hot"), one_hot, "rule_takes_one_hot", ("one_hot_factor",)),
         ("crossover/assign", ("gram", "fused"), fused, "rule_takes_fused", ("fused_up_to",)),
         ("crossover/lanes", ("rows in lanes", "features in lanes"), features_in_lanes, "rule_takes_features",
          ("features_in_lanes_from",))]


def judge(run, constants):
    """(cells judged, complaints) of one run."""
    judged, complaints = 0, []
    for prefix, ways, rule, takes, names in KINDS:
        times, first = {}, {}
        for record in results.records(run):
            if str(record.get("case", "")).startswith(prefix) and record.get("rep", 0) > 0 and "seconds" in record:
                cell = (record["d"], record["k"])
                times.setdefault(cell, {}).setdefault(record["way"], []).append(record["seconds"])
                first.setdefault(cell, record)
        for (d, k), found in sorted(times.items()):
            record = first[d, k]
            then, _ = rule({name: record[name] for name in names}, d, k)
            if then != record[takes]:
                complaints.append(f"{prefix} d {d}, k {k}: the library's rule is no longer the one written here")
            second, distance = rule(constants, d, k)
            if distance < AWAY or any(way not in found for way in ways):
                continue
            judged += 1
            seconds = [results.median(found[way]) for way in ways]
            if (lost := seconds[second] / seconds[not second]) > MOST_LOST:
                complaints.append(f"{prefix} d {d}, k {k}: the rule takes {ways[second]}, which is {lost:.2f}x slower")
    return judged, complaints


def main():
    constants = json.loads(subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout)
    judged, complaints = 0, []
    for path in sorted(pathlib.Path(sys.argv[2]).glob("*/*.json")):
        count, found = judge(results.load(path), constants)
        judged += count
        complaints += [f"{path.parent.name}/{path.name}: {complaint}" for complaint in found]
    print("\n".join(complaints))
    print(f"crossover: {judged} cells away from the boundary, {len(complaints)} complaints; {constants}")
    if not judged:
        print("skipped: no crossover results are committed")
        return 77
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
