# SPDX-License-Identifier: MIT
"""The tables of docs/performance.md, made from committed runs. Only what was measured has a row or a column.

    python3 bench/tables.py            rewrites what stands between <!-- table: NAME MACHINE --> and <!-- end -->
    python3 bench/tables.py --check    exits 1 with the difference where the page is not what the runs give
    python3 bench/tables.py RUN.json   prints every table of a run

NAME is one of TABLES below, MACHINE a folder of bench/results. `threads` may name several: runs of other numbers of
threads side by side.
"""
import argparse
import difflib
import pathlib
import re
import sys

import results

ROOT = pathlib.Path(__file__).resolve().parents[1]
SEEDED_BY = {"lloyd": "greedy", "sklearn": "greedy", "faiss": "one candidate a step", "onedal": "one candidate a step"}
PHASES = dict(zip(results.PHASES, ("survey", "greedy k-means++", "iterations", "finish")))
MARKED = re.compile(r"(<!-- table: ([^\n]*?) -->\n)(.*?)(<!-- end -->)", re.S)
NOTHING = "Not measured in this run.\n"


def table(head, lines):
    """The Markdown of a table, without the columns in which no line has anything."""
    kept = [at for at in range(len(head)) if any(line[at] != "-" for line in lines)]
    if len(kept) < 2:
        return NOTHING
    rows = [head, ["---"] * len(head), *lines]
    return "".join("| " + " | ".join(row[at] for at in kept) + " |\n" for row in rows)


def number(value):
    """Three digits, and no power of ten; below a thousandth to a tenth of a millionth."""
    if value >= 999.5:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 1e-3 else f"{value:.7f}"


def share(value, small=False):
    """Per cent; of what is usually small two digits."""
    if value is None:
        return "-"
    return f"{100 * value:.2g} %" if small and value < 0.1 else f"{100 * value:.0f} %"


def called(engine):
    return results.NAMES.get(engine, engine)


def seconds(row):
    return row.get("warm_seconds") or row.get("cold_seconds")


def one(values):
    """The median over seeds of what was measured; None where nothing was."""
    return results.median([value for value in values if value is not None])


class Run:
    """A run by sections, tasks and engines, and how its tasks are called."""

    def __init__(self, run):
        self.run, self.rows = run, results.summarise(run)
        self.ratios, probed = results.cells_of(run, "exactness/", ("exact", "loose"), ("task", "phase"))
        self.shapes = {}
        for row in self.rows + list(probed.values()):
            self.shapes.setdefault(row["task"], (row["n"], row["d"], row["k"]))

    def name(self, task):
        """Rows x columns, clusters; where two tasks have the same, with the last word of the task's name."""
        n, d, k = self.shapes[task]
        alike = sum(shape == (n, d, k) for shape in self.shapes.values()) > 1
        return f"{n:,} x {d}, {k:,}" + (f", {task.split('-')[-1]}" if alike else "")

    def of(self, section, variant=None):
        """{task: {engine: rows, one a seed}}; of lloyd's own sections the first backend alone, as lloyd."""
        found = {}
        for row in self.rows:
            if row["section"] == section and variant in (None, row["variant"]):
                found.setdefault(row["task"], {}).setdefault(row["engine"], []).append(row)
        if section != "peers":
            first = next((engine for engines in found.values() for engine in engines), None)
            found = {task: {"lloyd": engines[first]} for task, engines in found.items() if first in engines}
        return found

    def time(self, rows):
        """Seconds as text, or why there are none."""
        found = one(map(seconds, rows))
        if found is not None:
            return number(found) + (" (first call)" if not any(row.get("warm_seconds") for row in rows) else "")
        limit = self.run.get("settings", {}).get("limit")
        met = {row["status"] for row in rows}
        return f"past {limit:g} s" if "limit" in met and limit else "failed" if met - {"ok"} else "-"


def times_faster(ratio):
    """Near 1 with two digits behind the point: 0.95 is not 1.0."""
    return f"{ratio:.2f}x" if ratio < 1.5 else f"{ratio:.1f}x"


def counted(rows):
    """How often the warm call was repeated, and how far the repetitions lie apart."""
    repetitions, apart = sum(row.get("repetitions", 0) for row in rows), one(row.get("spread") for row in rows)
    return f"{repetitions}" + (f", {share(apart, True)}" if apart is not None else "")


def engines_of(tasks):
    """Engines of {task: {engine: ...}}, in the order of the figures, lloyd first."""
    return sorted({engine for engines in tasks.values() for engine in engines}, key=results.engine_place)


def peaks(engines):
    """Peak memory of lloyd; the least and the most of the others', in MB."""
    peak = {engine: one(row.get("peak_bytes") for row in rows) for engine, rows in engines.items()}
    own, others = peak.pop("lloyd", None), [value for value in peak.values() if value]
    if not own:
        return "-"
    ends = dict.fromkeys(number(end / 1e6) for end in ((min(others), max(others)) if others else ()))
    return number(own / 1e6) + ("; " if ends else "") + " to ".join(ends)


def fits(run):
    tasks = run.of("peers", "rows") or run.of("b")
    peers = [engine for engine in engines_of(tasks) if engine != "lloyd"]
    lines = []
    for task, engines in tasks.items():
        times = {engine: one(map(seconds, rows)) for engine, rows in engines.items()}
        own, others = times.get("lloyd"), {e: t for e, t in times.items() if e != "lloyd" and t is not None}
        fastest = min(others, key=others.get) if others else None
        lines.append([run.name(task), run.time(engines.get("lloyd", [])),
                      f"{called(fastest)} {number(others[fastest])}" if fastest else "-",
                      times_faster(others[fastest] / own) if fastest and own else "-",
                      *(run.time(engines.get(peer, [])) for peer in peers), counted(engines.get("lloyd", [])),
                      peaks(engines)])
    meter = "peak above the input, MB" + (": lloyd; peers" if peers else "")
    return table(["n x d, k", "lloyd", "fastest peer", "lloyd is", *map(called, peers), "warm calls of lloyd, spread",
                  meter], lines)


def greedy(run):
    tasks = run.of("peers", "greedy") or run.of("a", "greedy")
    everyone = engines_of(tasks)

    def cell(engines, engine):
        rows = engines.get(engine, [])
        own = {row["seed"]: inertia(row) for row in engines.get("lloyd", [])}
        ratio = one(inertia(row) / own[row["seed"]] for row in rows if inertia(row) and own.get(row["seed"]))
        said = engine != "lloyd" and ratio is not None and one(map(seconds, rows)) is not None
        return run.time(rows) + (f" ({ratio:.4f})" if said else "")

    head = [f"{called(engine)} ({SEEDED_BY.get(engine, 'its own')})" for engine in everyone]
    return table(["n x d, k", *head], [[run.name(task), *(cell(engines, engine) for engine in everyone)]
                                       for task, engines in tasks.items()])


def inertia(row):
    return row.get("checked_inertia") or row.get("inertia")


def labels(run):
    tasks, everyone = run.of("peers", "rows"), engines_of(run.of("peers", "rows"))

    def cell(rows):
        found = [one(row.get(key) for row in rows) for key in ("wrong_labels", "wrong_labels_moved")]
        return "-" if found == [None, None] else "; ".join("-" if wrong is None else f"{wrong:,.0f}" for wrong in found)

    lines = [[run.name(task), *(cell(engines.get(engine, [])) for engine in everyone)]
             for task, engines in tasks.items()]
    return table(["n x d, k", *map(called, everyone)], [line for line in lines if set(line[1:]) != {"-"}])


def limits(run):
    lines = []
    for task, engines in run.of("b").items():
        rows = engines["lloyd"]
        bound = next((row["bound_by"] for row in rows if "bound_by" in row), "-")
        lines.append([run.name(task), run.time(rows), share(one(row.get("fraction_of_limit") for row in rows)),
                      {"fma": "multiply-adds"}.get(bound, bound), share(one(row.get("skipped_share") for row in rows)),
                      share(one(row.get("rechecked_share") for row in rows), True)])
    return table(["n x d, k", "lloyd, seconds", "of the limit", "bound by", "pairs skipped", "rows rechecked"], lines)


def phases(run):
    lines = []
    for task, engines in run.of("e").items():
        found = {key: one(row.get(key) for row in engines["lloyd"]) for key in PHASES}
        known = {key: value for key, value in found.items() if value is not None}
        if known:
            seeding = known.get("seeding_seconds")
            lines.append([run.name(task), *(number(found[key]) if key in known else "-" for key in PHASES),
                          "-" if seeding is None else share(seeding / sum(known.values()))])
    return table(["n x d, k", *PHASES.values(), "seeding is"], lines)


def exactness(run):
    kinds = sorted({phase for _, phase in run.ratios})
    tasks = dict.fromkeys(task for task, _ in run.ratios)
    return table(["n x d, k", *kinds], [
        [run.name(task), *(f"{run.ratios[task, kind]:.2f}" if (task, kind) in run.ratios else "-" for kind in kinds)]
        for task in tasks])


def threads(*runs):
    """Of one run its probe of threads; of several their fits from given rows."""
    found = {}  # {name: {threads: seconds}}
    for run in runs:
        if len(runs) == 1:
            for record in results.records(run.run):
                if record.get("axis") == "threads" and record.get("rep", 0) > 0 and "seconds" in record:
                    name = f"{record['n']:,} x {record['d']}, {record['k']:,}"
                    found.setdefault(name, {}).setdefault(record["threads"], []).append(record["seconds"])
        for task, engines in run.of("b").items() if len(runs) > 1 else ():
            times = [seconds(row) for row in engines["lloyd"] if seconds(row)]
            found.setdefault(run.name(task), {}).setdefault(engines["lloyd"][0]["threads"], []).extend(times)
    counts = sorted({count for times in found.values() for count in times})
    lines = []
    for name, times in found.items():
        known = {count: results.median(values) for count, values in sorted(times.items()) if values}
        few, many = (min(known), max(known)) if known else (None, None)
        lines.append([name, *(number(known[count]) if count in known else "-" for count in counts),
                      f"{known[few] / known[many]:.2f}x" if few != many else "-"])
    return table(["n x d, k", *(f"{count} thread{'s' * (count > 1)}" for count in counts), "speed-up"], lines)


TABLES = {"fits": fits, "greedy": greedy, "labels": labels, "limits": limits, "phases": phases,
          "exactness": exactness, "threads": threads}


def rewritten(page, committed):
    """The page with every marked table made anew. committed(machine) is its Run."""
    def block(found):
        name, *machines = found[2].split()
        if name not in TABLES or not machines or (len(machines) > 1 and name != "threads"):
            sys.exit(f"tables: <!-- table: {found[2]} --> asks for none of {', '.join(TABLES)} of a machine")
        if "<!-- table:" in found[3]:
            sys.exit(f"tables: <!-- table: {found[2]} --> has no <!-- end --> before the next table")
        return found[1] + TABLES[name](*map(committed, machines)) + found[4]

    if page.count("<!-- table:") != len(MARKED.findall(page)):
        sys.exit("tables: a <!-- table: NAME MACHINE --> does not stand in a line of its own, or has no <!-- end -->")
    return MARKED.sub(block, page)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="?", help="print the tables of this run; the page is left alone")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/performance.md")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench/results")
    args = parser.parse_args()
    if args.run:
        run = Run(results.load(args.run))
        for name, make in TABLES.items():
            print(f"{name}\n\n{make(run)}")
        return

    runs = {}

    def committed(machine):
        path = args.results / machine / "full.json"
        if machine not in runs:
            if not path.exists():
                sys.exit(f"tables: {args.page.name} has a table of {machine}, but there is no {path}")
            runs[machine] = Run(results.load(path))
        return runs[machine]

    before = args.page.read_text(encoding="utf-8")
    after = rewritten(before, committed)
    if args.check:
        print("".join(difflib.unified_diff(before.splitlines(True), after.splitlines(True), args.page.name,
                                           "as the runs give it")), end="")
        print(f"tables: {len(MARKED.findall(before))} tables, " + ("as the runs give them" if before == after else
              f"not as the runs give them; python3 bench/tables.py rewrites {args.page.name}"))
        sys.exit(before != after)
    args.page.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
