# SPDX-License-Identifier: MIT
"""A run's JSON: how it is read and written, and what is made of its raw repetitions. Used by run, plot, tables and compare."""
import csv
import json
import os
import statistics

SCHEMA = 1
# What tells one measured thing from another; the rest of a record is what was measured.
IDENTITY = ("case", "engine", "phase", "way", "axis", "value", "d", "k", "n", "threads", "tile_rows", "tile_centroids")
PHASES = ("survey_seconds", "seeding_seconds", "loop_seconds", "finish_seconds")
# Who is measured beside lloyd, in the order of figures and tables.
NAMES = {"lloyd": "lloyd", "sklearn": "scikit-learn", "faiss": "FAISS", "onedal": "oneDAL"}
ENGINES = list(NAMES)
FROM_ROWS = ("b", "d")  # whatever the variant is called
ONE_CANDIDATE = ("faiss", "onedal")  # whose k-means++ draws one candidate a step


def load(path):
    with open(path, encoding="utf-8") as file:
        run = json.load(file)
    if run.get("schema") != SCHEMA:
        raise SystemExit(f"{path}: schema {run.get('schema')}, this is a tool for schema {SCHEMA}")
    return run


def save(run, path):
    """Whole or not at all: a run that is stopped while it writes loses nothing."""
    beside = f"{path}.part"
    with open(beside, "w", encoding="utf-8") as file:
        # One line a process: small, and a difference between two files can be read.
        rest = {key: value for key, value in run.items() if key != "processes"}
        file.write(json.dumps(rest)[:-1] + ', "processes": [\n')
        file.write(",\n".join(json.dumps(process) for process in run["processes"]) + "\n]}\n")
    os.replace(beside, path)


def save_table(rows, path):
    """The summary as CSV, one line a case and engine; a column that nobody measured is absent, a cell is empty."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: f"{value:.6g}" if isinstance(value, float) and "inertia" not in key else value
                             for key, value in row.items()})


def share(lines):
    """(what all records of a process have in common, what is left of each): the same field is written once."""
    if len(lines) < 2:
        return {}, lines
    common = {key: value for key, value in lines[0].items()
              if all(key in line and line[key] == value for line in lines[1:])}
    return common, [{key: value for key, value in line.items() if key not in common} for line in lines]


def records(run):
    """Every raw record with what its process adds to it."""
    for process in run["processes"]:
        for record in process.get("records", []):
            yield {**process.get("shared", {}), **record, "engine": process["engine"], "round": process["round"],
                   "process": process["key"], "process_status": process["status"]}


def identity(record):
    return tuple((key, record[key]) for key in IDENTITY if key in record)


def median(values):
    return statistics.median(values) if values else None


def spread(values):
    """The range of the middle half (all of it for fewer than four), as a share of the median."""
    if len(values) < 2:
        return None
    ordered = sorted(values)
    cut = len(ordered) // 4
    middle = ordered[cut:len(ordered) - cut]
    return (middle[-1] - middle[0]) / statistics.median(ordered) if statistics.median(ordered) > 0 else None


def engine_place(name):
    """The key that sorts engines: those of this library's backends first, then as ENGINES has them."""
    return (ENGINES.index(name) if name in ENGINES else -1, name)


def cells_of(run, prefix, ways, sides):
    """{(side values): median seconds of ways[0] / ways[1]} of a probe, and one record of each cell."""
    times, first = {}, {}
    for record in records(run):
        if str(record.get("case", "")).startswith(prefix) and record.get("rep", 0) > 0 and "seconds" in record:
            cell = tuple(record[side] for side in sides)
            times.setdefault(cell, {}).setdefault(record["way"], []).append(record["seconds"])
            first.setdefault(cell, record)
    return {cell: median(found[ways[0]]) / median(found[ways[1]])
            for cell, found in times.items() if all(way in found for way in ways)}, first


def limits(run):
    """The machine's limits measured in this run, by threads: {threads: record}."""
    found = {}
    for record in records(run):
        if record.get("probe") == "limits" and "read_bytes_per_second" in record:
            best = found.setdefault(record["threads"], dict(record))
            for key in ("multiply_add_flops", "read_bytes_per_second", "matrix_bf16_flops"):
                if key in record:
                    best[key] = max(best.get(key, 0), record[key])
    return found


def trials(k):
    """Candidates of a greedy step: 2 + floor(ln k)."""
    count, power = 2, 2.718281828459045
    while power <= k:
        count, power = count + 1, power * 2.718281828459045
    return count


def useful_work(row):
    """(operations, bytes) that a case cannot do without if nothing is skipped; support/work.hpp says the same."""
    values, k, variant = row["n"] * row["d"], row["k"], row.get("variant", "")
    flops = bytes_read = 0
    if row["section"] not in FROM_ROWS:
        if variant in ("greedy", "plain"):
            greedy = variant == "greedy" and row.get("engine") not in ONE_CANDIDATE
            flops, bytes_read = 2 * values * k * (trials(k) if greedy else 1), 4 * values * k
        elif variant[:1] == "r" and variant[2:4] == "-o":
            rounds, factor = int(variant[1]), int(variant[4])
            flops, bytes_read = 2 * values * (1 + rounds * factor * k), 4 * values * (1 + rounds)
    if row["section"] != "c":
        flops, bytes_read = flops + 2 * values * k * row["n_iter"], bytes_read + 4 * values * row["n_iter"]
    return flops, bytes_read


def columns_of(first, group, machine):
    """One row of the summary of the task mix or of a peer, from the raw records of a case."""
    row = {key: first[key] for key in ("case", "section", "task", "variant", "seed", "n", "d", "k", "scale", "engine",
                                       "backend", "isa", "threads") if key in first}
    done = [r for r in group if "seconds" in r and r.get("kind") != "after"]
    ended = [r for r in group if r.get("status")] or [r for r in group if r["process_status"] != "ok"]
    row["status"] = "ok" if not ended else ended[0].get("status", ended[0]["process_status"])
    row["processes"] = len({r["process"] for r in group})
    cold, warm = [r["seconds"] for r in done if r["cold"]], [r["seconds"] for r in done if not r["cold"]]
    row.update({"repetitions": len(warm), "cold_seconds": median(cold), "warm_seconds": median(warm),
                "spread": spread(warm), "fastest_seconds": min(warm, default=None),
                "slowest_seconds": max(warm, default=None)})
    row["threads_busy"] = median([r["cpu_seconds"] / r["seconds"] for r in done if r.get("cpu_seconds")])
    last = done[-1] if done else {}
    for key in ("inertia", "inertia_before", "n_iter", "centroid_shift", "stop", "peak_meter", "heap_meter"):
        found = [r[key] for r in done if key in r]
        row[key] = found[-1] if found else None
    for key in ("peak_bytes", "heap_bytes"):
        found = [r[key] for r in done if key in r]
        row[key] = max(found) if found else None
    for key in PHASES:
        row[key] = median([r[key] for r in done if key in r and not r["cold"]]) or median(
            [r[key] for r in done if key in r])
    after = [r["inertia"] for r in group if r.get("kind") == "after" and "inertia" in r]
    if row["section"] == "c":
        row["inertia"], row["inertia_after"] = None, after[-1] if after else None
    if last.get("assignments"):
        row["rechecked_share"] = last["n_rechecked"] / (last["n"] * last["assignments"])
        if "n_skipped" in last:
            row["skipped_share"] = last["n_skipped"] / (last["n"] * last["k"] * last["assignments"])
    row["nk_bytes"], row["nkd_bytes"] = 4 * first["n"] * first["k"], 4 * first["n"] * first["k"] * first["d"]
    row.update(rates(row, machine))
    return {key: value for key, value in row.items() if value is not None}


def rates(row, machine):
    """Rates of useful work, and how near the machine's limits they are, for what has a time."""
    seconds = row.get("warm_seconds") or row.get("cold_seconds")
    if not seconds:
        return {}
    found = {}
    if row.get("n_iter"):
        found["seconds_per_iteration"] = (row.get("loop_seconds") or seconds) / row["n_iter"]
    if row["section"] != "c" and not row.get("n_iter"):
        return found
    flops, bytes_read = useful_work(row)
    if not flops:
        return found
    found.update({"useful_gflops": flops / seconds / 1e9, "useful_gbs": bytes_read / seconds / 1e9})
    limit = machine.get(row.get("threads"))
    if limit:
        by_flops = flops / limit["multiply_add_flops"]
        by_bytes = bytes_read / limit["read_bytes_per_second"]
        found.update({"limit_seconds": max(by_flops, by_bytes), "bound_by": "fma" if by_flops > by_bytes else "memory",
                      "fraction_of_limit": max(by_flops, by_bytes) / seconds})
    return found


def reached(row):
    """The inertia that engines are compared by: the checker's, where it looked."""
    if row["section"] == "c":
        return row.get("inertia_after")
    return row.get("checked_inertia") or row.get("inertia")


def summarise(run):
    """One row a case and engine, in the order that they were first met."""
    machine, groups = limits(run), {}
    for record in records(run):
        if "section" in record:
            groups.setdefault((record["case"], record["engine"]), []).append(record)
    checks = {(check["case"], check["engine"]): check for check in run.get("checks", [])}
    peaks = {process["key"]: process.get("process_peak_bytes") or 0 for process in run["processes"]}
    rows, best = [], {}
    for (case, engine), group in groups.items():
        row = columns_of(group[0], group, machine)
        row.update({k: v for k, v in checks.get((case, engine), {}).items() if k not in row})
        peak = max(peaks.get(record["process"], 0) for record in group)
        row.update({"process_peak_bytes": peak} if peak else {})
        rows.append(row)
    for row in rows:
        if value := reached(row):
            best[row["section"], row["task"]] = min(best.get((row["section"], row["task"]), value), value)
    for row in rows:
        if value := reached(row):
            row["inertia_ratio"] = value / best[row["section"], row["task"]]
    return rows


def probed(run):
    """One row for each thing that a probe timed: what tells it from others, and its seconds."""
    groups = {}
    for record in records(run):
        if "section" not in record and "seconds" in record:
            groups.setdefault(identity(record), []).append(record)
    rows = []
    for what, group in groups.items():
        warm = [record["seconds"] for record in group if not record.get("cold", record.get("rep") == 0)]
        cold = [record["seconds"] for record in group if record.get("cold", record.get("rep") == 0)]
        row = {**dict(what), "processes": len({record["process"] for record in group}), "repetitions": len(warm),
               "cold_seconds": median(cold), "warm_seconds": median(warm), "spread": spread(warm)}
        rows.append({key: value for key, value in row.items() if value is not None})
    return rows


def disagreements(run):
    """Cases of lloyd whose repetitions, ways or engines gave different results: there must be none."""
    met, found = {}, []
    for record in records(run):
        if "inertia" not in record or record.get("backend") is None or record.get("kind") == "after":
            continue
        start = "rows" if record["section"] in FROM_ROWS or record["variant"] == "rows" else record["variant"]
        key = (record["task"], record["seed"], record["n"], start, record["section"] == "c")
        value = record.get("inertia_before") if record["section"] == "c" else (record["inertia"], record["n_iter"])
        if met.setdefault(key, value) != value:
            found.append(record["case"])
    return sorted(set(found))
