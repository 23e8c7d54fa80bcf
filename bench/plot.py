# SPDX-License-Identifier: MIT
"""The figures of a run, as SVG and PNG. Only what ran is drawn; a figure without data is not made.

    python3 bench/plot.py RUN.json [--out FOLDER] [--over OTHER.json] [--only fit_time,memory,...]
"""
import argparse
import math
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.colors import TwoSlopeNorm  # noqa: E402
from matplotlib.ticker import LogLocator, ScalarFormatter  # noqa: E402

import results  # noqa: E402

# Okabe and Ito's colours, which the colour-blind tell apart; shapes and labels say everything a second time.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000", "#999999"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*", "p"]
NAMES = {"cpu": "lloyd, CPU", **results.NAMES}
PHASES = [("survey_seconds", "survey"), ("seeding_seconds", "seeding"), ("loop_seconds", "loop"),
          ("finish_seconds", "finish")]

plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
                     "grid.color": "#dddddd", "grid.linewidth": 0.6, "axes.axisbelow": True, "figure.dpi": 100,
                     "svg.hashsalt": "lloyd", "legend.frameon": False})


class Figures:
    """Where figures go, and what every one of them says below: which run it shows."""

    def __init__(self, run, folder):
        self.run, self.folder, self.made = run, pathlib.Path(folder), []
        self.rows = results.summarise(run)
        self.folder.mkdir(parents=True, exist_ok=True)

    def foot(self):
        built, where, settings = self.run["built"], self.run["machine"], self.run["settings"]
        threads = sorted({row["threads"] for row in self.rows if "threads" in row})
        return (f"lloyd {built.get('lloyd')} {built.get('commit', '')}{'+' if built.get('changed') else ''}, "
                f"{built.get('compiler')}; {where['cpu']}, {where['cores']} cores, "
                f"{'/'.join(map(str, threads)) or 'all'} {'thread' if threads == [1] else 'threads'}; "
                f"scale {settings['scale']:g}; {self.run['started']}")

    def write(self, figure, name):
        figure.text(0.01, 0.005, self.foot(), fontsize=7, color="#555555", va="bottom")
        for suffix in ("svg", "png"):
            metadata = {"Date": None} if suffix == "svg" else {}
            figure.savefig(self.folder / f"{name}.{suffix}", dpi=140, metadata=metadata)
        plt.close(figure)
        self.made.append(name)

    def of(self, *sections):
        return [row for row in self.rows if row["section"] in sections]


def colour(number):
    return COLOURS[number % len(COLOURS)]


def marker(number):
    return MARKERS[number % len(MARKERS)]


def tasks_of(rows):
    return list(dict.fromkeys(row["task"] for row in rows))


def middle(values):
    """The median of what is known, and its least and largest."""
    known = [value for value in values if value]
    return (results.median(known), min(known), max(known)) if known else None


def engine_order(rows):
    found = dict.fromkeys(row["engine"] for row in rows)
    return sorted(found, key=results.engine_place)


def what_dots_are(rows):
    """Of how many calls a dot is the median and its line the range, and that some dots are of first calls."""
    calls = [row["repetitions"] for row in rows if row.get("repetitions")]
    seeds = max(len({row["seed"] for row in rows if row["task"] == task}) for task in tasks_of(rows))
    known = f"{min(calls)} to {max(calls)} warm calls" if calls and min(calls) < max(calls) else (
        f"{calls[0]} warm call{'s' * (calls[0] > 1)}" if calls else "")
    first = any(first_call_alone(row) for row in rows)
    said = [f"median and range of {known}{f' a seed, {seeds} seeds' * (seeds > 1)}"] if known else []
    return "; ".join(said + ["hollow: the first call alone"] * first)


def first_call_alone(row):
    return bool(row.get("cold_seconds")) and not row.get("warm_seconds")


def seconds_text(value):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def task_label(rows, task):
    row = next(row for row in rows if row["task"] == task)
    return f"{task}\n{row['n']:,} x {row['d']}, k {row['k']:,}"


def dots(axis, rows, value, text, variants=None, ends=None):
    """A row of dots a task, one an engine (or variant), with the range over seeds, or what `ends` says of a row; past
    the limit is said in words."""
    tasks = tasks_of(rows)
    kinds = variants or engine_order(rows)
    for place, kind in enumerate(kinds):
        # An engine looks the same in every figure.
        number = results.ENGINES.index(kind) if kind in results.ENGINES else place
        heights, points, low, high, hollow = [], [], [], [], []
        for at, task in enumerate(tasks):
            mine = [row for row in rows if row["task"] == task and kind in (row["engine"], row["variant"])]
            height = at + (place - (len(kinds) - 1) / 2) * 0.8 / len(kinds)
            found = middle([value(row) for row in mine])
            if found:
                heights.append(height), points.append(found[0])
                hollow += [(found[0], height)] if ends and all(map(first_call_alone, mine)) else []
                known = [end for row in mine for end in (ends(row) if ends else ()) if end] or found[1:]
                low.append(found[0] - min(known)), high.append(max(known) - found[0])
            elif mine and any(row["status"] == "limit" for row in mine):
                axis.text(0.995, height, f"{NAMES.get(kind, kind)}: past the limit",
                          transform=axis.get_yaxis_transform(), ha="right", va="center", fontsize=7,
                          color=colour(number))
        axis.errorbar(points, heights, xerr=[low, high], fmt=marker(number), color=colour(number), ms=6, lw=1,
                      label=NAMES.get(kind, kind))
        axis.plot(*zip(*hollow), marker(number), color="white", mec=colour(number), ms=6, zorder=3) if hollow else None
        if len(kinds) <= 4:
            for x, y in zip(points, heights):
                axis.annotate(text(x), (x, y), xytext=(7, 0), textcoords="offset points", va="center", fontsize=7,
                              zorder=4, bbox={"fc": "white", "ec": "none", "pad": 0.6, "alpha": 0.85})
    axis.set_yticks(range(len(tasks)), [task_label(rows, task) for task in tasks], fontsize=8)
    axis.set_ylim(len(tasks) - 0.5, -0.5)
    axis.set_xscale("log")
    axis.margins(x=0.12)
    axis.grid(axis="y", visible=False)
    for edge in range(1, len(tasks)):
        axis.axhline(edge - 0.5, color="#eeeeee", lw=0.8)


def tall(rows, kinds=2):
    return 1.6 + len(tasks_of(rows)) * max(0.5, 0.17 * kinds)


def legend_above(axis, columns=4):
    axis.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=columns, fontsize=9, handletextpad=0.3)


def fit_time(figures):
    peers = figures.of("peers")
    panels = []
    for title, rows in (
            ("from the same starting rows", [r for r in peers if r["variant"] == "rows"] or figures.of("b")),
            ("with each engine's own k-means++", [r for r in peers if r["variant"] == "greedy"] or figures.of("a"))):
        if any(row.get("warm_seconds") or row.get("cold_seconds") for row in rows):
            panels.append((title, rows))
    if not panels:
        return
    height = max(tall(rows, len(engine_order(rows))) for _, rows in panels)
    figure, axes = plt.subplots(1, len(panels), figsize=(6.6 * len(panels), height), squeeze=False,
                                layout="constrained")
    for axis, (title, rows) in zip(axes[0], panels):
        dots(axis, rows, lambda row: row.get("warm_seconds") or row.get("cold_seconds"), seconds_text,
             ends=lambda row: (row.get("fastest_seconds"), row.get("slowest_seconds")))
        axis.set_title(f"Whole fit {title}", fontsize=11, loc="left", pad=24)
        axis.set_xlabel(f"seconds (log scale; left is faster)\n{what_dots_are(rows)}", fontsize=9)
        legend_above(axis)
    figure.get_layout_engine().set(rect=(0, 0.03, 1, 0.97))
    figures.write(figure, "fit_time")


def initialisers(figures):
    """Each initialiser relative to greedy k-means++: time to the right, inertia up."""
    rows = figures.of("c")
    for task in tasks_of(rows):
        points = initialiser_points([row for row in rows if row["task"] == task])
        if len(points) < 2:
            continue
        figure, axis = plt.subplots(figsize=(8.4, 5.8), layout="constrained")
        for number, (variant, (time, before, after)) in enumerate(points.items()):
            shade = colour(number)
            for shape, value in (("o", before), ("s", after)):
                if value:
                    axis.plot(time, value, shape, color=shade, ms=8, mec="black", mew=0.6, zorder=3)
            if before and after:
                axis.plot([time, time], [before, after], color=shade, lw=1, alpha=0.7)
        axis.axvline(1, color="#888888", lw=0.8, ls=":"), axis.axhline(1, color="#888888", lw=0.8, ls=":")
        axis.plot(1, 1, marker="+", color="black", ms=16, mew=1.5, ls="", label="(1, 1): greedy k-means++")
        axis.plot([], [], "o", color="#777777", mec="black", label="before Lloyd")
        axis.plot([], [], "s", color="#777777", mec="black", label="after Lloyd")
        named_beside(axis, points)
        axis.set_xscale("log")
        values = [v for _, before, after in points.values() for v in (before, after) if v]
        if max(values) > 3:
            axis.set_yscale("log")
        axis.margins(0.12)
        axis.set_xlabel("seconds of seeding / those of greedy k-means++ (log scale; left is faster)")
        axis.set_ylabel("inertia / that of greedy k-means++ at the same stage" +
                        (" (log scale; " if max(values) > 3 else " (") + "down is better)")
        axis.set_title(f"Initialisers: {task_label(rows, task).replace(chr(10), ', ')}", fontsize=11, loc="left")
        axis.legend(loc="best", fontsize=9)
        figure.get_layout_engine().set(rect=(0, 0.03, 1, 0.97))
        figures.write(figure, f"init_{task}")


def named_beside(axis, points):
    """The names of initialisers in a column at the right, in the order of their inertia, each with a line to its dot."""
    found = sorted((before or after, time, number, variant)
                   for number, (variant, (time, before, after)) in enumerate(points.items()) if before or after)
    for place, (inertia, time, number, variant) in enumerate(found):
        axis.annotate(variant, (time, inertia), xytext=(1.04, (place + 0.5) / len(found)), textcoords="axes fraction",
                      fontsize=9, va="center", bbox={"fc": "white", "ec": colour(number), "lw": 0.8, "pad": 1.5},
                      arrowprops={"arrowstyle": "-", "color": colour(number), "lw": 0.7, "alpha": 0.6, "relpos": (0, 0.5)})


def initialiser_points(rows):
    """{variant: (time, inertia before, after)} relative to greedy, the median over the seeds that both have."""
    def by_seed(variant):
        return {row["seed"]: row for row in rows if row["variant"] == variant}

    def ratio(mine, base, key):
        shared = [mine[seed][key] / base[seed][key] for seed in mine
                  if seed in base and mine[seed].get(key) and base[seed].get(key)]
        return results.median(shared)

    base, points = by_seed("greedy"), {}
    for variant in dict.fromkeys(row["variant"] for row in rows):
        mine = by_seed(variant)
        time = ratio(mine, base, "warm_seconds") or ratio(mine, base, "cold_seconds")
        if time:
            points[variant] = (time, ratio(mine, base, "inertia_before"), ratio(mine, base, "inertia_after"))
    return points


def memory(figures):
    rows = figures.of("peers") or figures.of("a", "b")
    rows = [row for row in rows if row.get("peak_bytes") and row["variant"] == "rows"]
    rows = [row for row in rows if row["peak_bytes"] >= 2**16] or []
    if not rows:
        return
    figure, axis = plt.subplots(figsize=(9, tall(rows, len(engine_order(rows)))), layout="constrained")
    dots(axis, rows, lambda row: row["peak_bytes"] / 1e6,
         lambda value: f"{value:,.0f} MB" if value >= 999.5 else f"{value:.3g} MB")
    for at, task in enumerate(tasks_of(rows)):
        row = next(row for row in rows if row["task"] == task)
        marks = ((4 * row["n"] * row["d"], "-", "a copy of the input"), (row["nk_bytes"], ":", "n x k"))
        for value, style, name in marks:
            axis.plot([value / 1e6] * 2, [at - 0.42, at + 0.42], style, color="#333333", lw=1.4,
                      label=name if at == 0 else None)
    axis.xaxis.set_major_locator(LogLocator(numticks=20))
    axis.set_title("Peak memory above the input, fit from the same starting rows", fontsize=11, loc="left", pad=24)
    axis.set_xlabel(f"MB (log scale; meter: {rows[0]['peak_meter']}; marks: float32 arrays of that size)")
    legend_above(axis, 6)
    figure.get_layout_engine().set(rect=(0, 0.03, 1, 0.97))
    figures.write(figure, "memory")


def phase_shares(figures):
    rows = [row for row in figures.of("e") if row.get("loop_seconds")]
    if not rows:
        return
    tasks = tasks_of(rows)
    figure, axis = plt.subplots(figsize=(9.4, 1.7 + 0.5 * len(tasks)), layout="constrained")
    hatches = ["", "//", "", ".."]
    for at, task in enumerate(tasks):
        mine = [row for row in rows if row["task"] == task]
        seconds = [results.median([row[key] for row in mine if key in row]) or 0 for key, _ in PHASES]
        left = 0
        for number, ((_, name), value) in enumerate(zip(PHASES, seconds)):
            share = 100 * value / sum(seconds)
            axis.barh(at, share, left=left, color=colour(number), hatch=hatches[number], edgecolor="white", lw=0.8,
                      label=name if at == 0 else None)
            if share > 6:
                axis.text(left + share / 2, at, f"{share:.0f} %", ha="center", va="center", fontsize=8,
                          bbox={"fc": "white", "ec": "none", "pad": 1, "alpha": 0.85})
            left += share
        axis.text(101, at, seconds_text(sum(seconds)), va="center", fontsize=8)
    axis.set_yticks(range(len(tasks)), [task_label(rows, task) for task in tasks], fontsize=8)
    axis.set_ylim(len(tasks) - 0.5, -0.5)
    axis.set_xlim(0, 112)
    axis.set_xticks(range(0, 101, 20))
    axis.grid(axis="y", visible=False)
    axis.set_xlabel("share of a fit, per cent (greedy k-means++ and all iterations; large k: from given rows); "
                    "right: the whole")
    axis.set_title("Where a fit's time goes", fontsize=11, loc="left", pad=24)
    legend_above(axis)
    figure.get_layout_engine().set(rect=(0, 0.03, 1, 0.97))
    figures.write(figure, "phase_shares")


def fraction_of_limit(figures):
    rows = [row for row in figures.of("b") if row.get("fraction_of_limit")]
    if not rows:
        return
    figure, axis = plt.subplots(figsize=(9, tall(rows)), layout="constrained")
    dots(axis, rows, lambda row: 100 * row["fraction_of_limit"], lambda value: f"{value:.0f} %")
    bounds = {row["task"]: {"fma": "multiply-adds"}.get(row["bound_by"], row["bound_by"]) for row in rows}
    axis.set_yticks(axis.get_yticks(), [f"{task_label(rows, task)}\nlimit: {bounds[task]}" for task in tasks_of(rows)],
                    fontsize=8)
    axis.axvline(100, color="black", lw=1)
    axis.xaxis.set_major_formatter(ScalarFormatter())
    axis.set_xlabel("per cent of the machine's measured limit for the useful work (float32, without its matrix unit; "
                    "log scale)")
    axis.set_title("How near the machine's limits: fits from given rows", fontsize=11, loc="left", pad=24)
    figure.get_layout_engine().set(rect=(0, 0.03, 1, 0.97))
    figures.write(figure, "fraction_of_limit")


def crossover_map(axis, ratios, first, takes, sides):
    """A table of ratios in colour; cells in which the rule takes the second way are framed, its misses crossed."""
    columns, lines = (sorted({cell[side] for cell in ratios}) for side in (0, 1))
    grid = [[math.log2(ratios[c, r]) if (c, r) in ratios else float("nan") for c in columns] for r in lines]
    image = axis.imshow(grid, cmap="PuOr_r", norm=TwoSlopeNorm(0, -4, 4), aspect="auto", origin="lower")
    for (c, r), ratio in ratios.items():
        x, y, second = columns.index(c), lines.index(r), first[c, r][takes]
        loss = 1 / ratio if second else ratio
        axis.text(x, y, f"{ratio:.2g}" + ("\n✗" if loss > 1.5 else ""), ha="center", va="center", fontsize=7,
                  bbox={"fc": "white", "ec": "none", "pad": 0.6, "alpha": 0.75})
        if second:
            axis.add_patch(plt.Rectangle((x - 0.47, y - 0.47), 0.94, 0.94, fill=False, ec="black", lw=2))
    axis.set_xticks(range(len(columns)), columns), axis.set_yticks(range(len(lines)), lines)
    axis.set_xlabel(sides[0]), axis.set_ylabel(sides[1])
    axis.grid(visible=False)
    return image


def crossover(figures):
    """The two maps and the overtaking curve."""
    kinds = [("crossover/update", ("scatter-add", "one-hot"), "rule_takes_one_hot",
              "Update: seconds of scatter-add / seconds of one-hot, random labels", "one-hot"),
             ("crossover/assign", ("gram", "fused"), "rule_takes_fused",
              "Assignment: seconds of Gram / seconds of fused", "fused"),
             ("crossover/lanes", ("rows in lanes", "features in lanes"), "rule_takes_features",
              "Few centroids: seconds of rows in lanes / seconds of features in lanes", "features in lanes")]
    for prefix, ways, takes, title, second in kinds:
        ratios, first = results.cells_of(figures.run, prefix, ways, ("d", "k"))
        if len(ratios) < 4:
            continue
        lines = len({cell[1] for cell in ratios})
        figure, axis = plt.subplots(figsize=(9.4, 2.4 + 0.5 * lines), layout="constrained")
        image = crossover_map(axis, ratios, first, takes, ("features d", "clusters k"))
        bar = figure.colorbar(image, ax=axis, ticks=[-4, -2, 0, 2, 4])
        bar.ax.set_yticklabels(["1/16", "1/4", "1", "4", "16"])
        bar.set_label(f"ratio; above 1 {second} is faster")
        axis.set_title(f"{title}\nframed: the rule takes {second};  ✗: the rule's choice loses more than 1.5x",
                       fontsize=11, loc="left")
        figure.get_layout_engine().set(rect=(0, 0.04, 1, 0.96))
        figures.write(figure, prefix.replace("/", "_"))
    overtaking(figures)


def overtaking(figures):
    ratios, first = results.cells_of(figures.run, "crossover/overtake", ("one thread", "engine"), ("case", "n"))
    if not ratios:
        return
    figure, axis = plt.subplots(figsize=(8.4, 5), layout="constrained")
    for number, case in enumerate(sorted({cell[0] for cell in ratios})):
        points = sorted((n, ratio) for (of, n), ratio in ratios.items() if of == case)
        shape = case.split("overtake/")[1].replace(":", " ").replace("/", ", ")
        above = [n for n, ratio in points if ratio > 1]
        since = next((n for n in above if all(r > 1 for m, r in points if m >= n)), None)
        said = f"faster from n = {since:,}" if since else "not faster here"
        axis.plot(*zip(*points), marker=marker(number), color=colour(number), label=f"{shape}: {said}")
    axis.axhline(1, color="black", lw=1)
    axis.set_xscale("log"), axis.set_yscale("log")
    axis.set_xlabel("rows n (log scale)")
    axis.yaxis.set_major_formatter("{x:g}"), axis.yaxis.set_minor_formatter("{x:g}")
    axis.set_ylabel("seconds of one CPU thread / of the engine")
    axis.set_title("Where the engine overtakes one CPU thread (two iterations)", fontsize=11, loc="left")
    axis.legend(fontsize=9)
    figure.get_layout_engine().set(rect=(0, 0.04, 1, 0.96))
    figures.write(figure, "crossover_overtake")


def tiles(figures):
    """The assignment by tiles of other shapes: time relative to the best shape, and the scratch of all threads."""
    cells = {}
    for record in results.records(figures.run):
        if record.get("phase") == "tile" and "seconds" in record:
            at = cells.setdefault(record["task"], {}).setdefault((record["tile_centroids"], record["tile_rows"]), {})
            at.setdefault("seconds", []).extend([record["seconds"]] if record["rep"] else [])
            at["heap"] = max(at.get("heap", 0), record.get("heap_bytes", 0))
            at["rule"] = f"{record['rule_rows']} x {record['rule_centroids']}"
    tasks = [task for task, found in cells.items() if any(cell["seconds"] for cell in found.values())]
    if not tasks:
        return
    columns = min(3, len(tasks))
    lines = math.ceil(len(tasks) / columns)
    figure, axes = plt.subplots(lines, columns, figsize=(4.3 * columns, 0.7 + 2.9 * lines), squeeze=False,
                                layout="constrained")
    for axis, task in zip(axes.flat, tasks):
        tile_map(axis, task, {shape: cell for shape, cell in cells[task].items() if cell["seconds"]})
    for axis in axes.flat[len(tasks):]:
        axis.set_visible(False)
    figure.suptitle("Assignment by tiles: seconds / those of the best tile; below, scratch of all threads in kB",
                    fontsize=11, x=0.01, ha="left")
    figure.get_layout_engine().set(rect=(0, 0.03, 1, 0.97))
    figures.write(figure, "tiles")


def tile_map(axis, task, cells):
    columns, lines = (sorted({shape[side] for shape in cells}) for side in (0, 1))
    best = min(results.median(cell["seconds"]) for cell in cells.values())
    grid = [[results.median(cells[c, r]["seconds"]) / best if (c, r) in cells else float("nan") for c in columns]
            for r in lines]
    axis.imshow(grid, cmap="cividis_r", vmin=1, vmax=3, aspect="auto", origin="lower")
    for (c, r), cell in cells.items():
        axis.text(columns.index(c), lines.index(r),
                  f"{results.median(cell['seconds']) / best:.2f}\n{cell['heap'] / 1e3:.0f}", ha="center", va="center",
                  fontsize=7, bbox={"fc": "white", "ec": "none", "pad": 0.6, "alpha": 0.75})
    axis.set_xticks(range(len(columns)), columns), axis.set_yticks(range(len(lines)), lines)
    axis.set_xlabel("centroids a tile", fontsize=8), axis.set_ylabel("rows a tile", fontsize=8)
    axis.grid(visible=False)
    axis.set_title(f"{task} (rule: {next(iter(cells.values()))['rule']})", fontsize=9, loc="left")


def exactness(figures):
    """What certificates and integer sums cost beside the same kernels without."""
    ratios, first = results.cells_of(figures.run, "exactness/", ("exact", "loose"), ("task", "phase"))
    if not ratios:
        return
    rows = [{**first[cell], "engine": "", "variant": cell[1], "status": "ok", "ratio": ratio}
            for cell, ratio in ratios.items()]
    kinds = sorted({row["variant"] for row in rows})
    figure, axis = plt.subplots(figsize=(9, tall(rows)), layout="constrained")
    dots(axis, rows, lambda row: row["ratio"], lambda value: f"{value:.2f}x", kinds)
    axis.axvline(1, color="black", lw=1)
    axis.xaxis.set_major_formatter("{x:g}"), axis.xaxis.set_minor_formatter("{x:g}")
    axis.set_xlabel("seconds of an exact iteration / of one without certificate and with sums in double (log scale)")
    axis.set_title("What exactness costs", fontsize=11, loc="left", pad=24)
    legend_above(axis)
    figure.get_layout_engine().set(rect=(0, 0.03, 1, 0.97))
    figures.write(figure, "exactness")


def slope(points):
    """The least-squares slope of log y over log x."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)


def series_of(run):
    """{axis: {case: [(value, seconds)]}} of the scaling probe."""
    times = {}
    for record in results.records(run):
        if record.get("probe") == "scaling" and record.get("rep", 0) > 0 and "seconds" in record:
            key = (record["axis"], record["case"])
            times.setdefault(key, {}).setdefault(record["value"], []).append(record["seconds"])
    found = {}
    for (axis, case), values in times.items():
        found.setdefault(axis, {})[case] = sorted((value, results.median(seconds)) for value, seconds in values.items())
    return found


def scaling(figures):
    found = series_of(figures.run)
    axes_known = [axis for axis in ("n", "k", "d", "threads") if any(len(p) > 1 for p in found.get(axis, {}).values())]
    if axes_known:
        figure, axes = plt.subplots(1, len(axes_known), figsize=(3.7 * len(axes_known), 4.2), squeeze=False,
                                    layout="constrained")
        units = {"n": "rows n", "k": "clusters k", "d": "features d", "threads": "threads"}
        for panel, axis in zip(axes[0], axes_known):
            points = next(iter(found[axis].values()))
            ideal = -1 if axis == "threads" else 1
            panel.plot(*zip(*points), "o-", color=colour(0), label=f"measured, slope {slope(points):.2f}")
            x0, y0 = points[-1] if ideal > 0 else points[0]
            panel.plot([x for x, _ in points], [y0 * (x / x0) ** ideal for x, _ in points], "--", color="#777777",
                       label=f"slope {ideal}")
            panel.set_xscale("log", base=2), panel.set_yscale("log", base=2)
            panel.set_xticks([x for x, _ in points], [f"{x:,}" for x, _ in points], rotation=45, fontsize=8)
            ticks = sorted({2.0 ** round(math.log2(y)) for _, y in points})
            panel.set_yticks(ticks, [seconds_text(y) for y in ticks], fontsize=8)
            panel.minorticks_off()
            panel.set_xlabel(units[axis])
            panel.legend(fontsize=8)
        axes[0][0].set_ylabel("seconds of a fit (log scale)")
        figure.suptitle("Time of four iterations from given rows, about n x 32, k = 64", fontsize=11, x=0.01, ha="left")
        figure.get_layout_engine().set(rect=(0, 0.04, 1, 0.96))
        figures.write(figure, "scaling")
    iterations(figures, found.get("iterations", {}))


def fitted(points):
    """Least squares: seconds = fixed + slope * iterations."""
    n, sx, sy = len(points), sum(x for x, _ in points), sum(y for _, y in points)
    sxx, sxy = sum(x * x for x, _ in points), sum(x * y for x, y in points)
    rise = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    return (sy - rise * sx) / n, rise


def iterations(figures, cases):
    cases = {case: points for case, points in cases.items() if len(points) > 2}
    if not cases:
        return
    figure, axis = plt.subplots(figsize=(9, 1.8 + 0.42 * len(cases)), layout="constrained")
    for at, points in enumerate(cases.values()):
        fixed, rise = fitted(points)
        axis.plot(max(fixed, 0) or float("nan"), at - 0.15, "s", color=colour(1),
                  label="fixed cost" if at == 0 else None)
        axis.plot(rise, at + 0.15, "o", color=colour(0), label="an iteration" if at == 0 else None)
        axis.annotate(seconds_text(rise), (rise, at + 0.15), xytext=(7, 0), textcoords="offset points", fontsize=7,
                      va="center")
        said = seconds_text(fixed) if fixed > 0 else "fixed cost: within noise of 0"
        axis.annotate(said, (fixed if fixed > 0 else rise, at - 0.15), xytext=(7, 0), textcoords="offset points",
                      fontsize=7, va="center")
    axis.set_yticks(range(len(cases)), [case.split("/")[-1] for case in cases])
    axis.set_ylim(len(cases) - 0.5, -0.5)
    axis.set_xscale("log")
    axis.margins(x=0.15)
    axis.set_xlabel("seconds (log scale), a line fitted to fits of up to 1, 4 and 12 iterations from given rows: where it "
                    "starts, and its slope")
    axis.set_title("Fixed cost and slope of a fit (the first iterations, in which most rows move, count as fixed)",
                   fontsize=11, loc="left", pad=24)
    legend_above(axis)
    figure.get_layout_engine().set(rect=(0, 0.04, 1, 0.96))
    figures.write(figure, "scaling_iterations")


def speed_up(figures, other):
    """This run over another, case by case: above 1 this run is faster."""
    before = {(row["case"], row["engine"]): row for row in results.summarise(other)}
    rows = []
    for row in figures.of("a", "b", "e"):
        old = before.get((row["case"], row["engine"]))
        if old and row.get("warm_seconds") and old.get("warm_seconds"):
            rows.append({**row, "ratio": old["warm_seconds"] / row["warm_seconds"]})
    if not rows:
        return
    sections = {"a": "greedy k-means++ and Lloyd", "b": "Lloyd from given rows", "e": "phase by phase"}
    for row in rows:
        row["variant"], row["engine"] = sections[row["section"]], ""
    kinds = [name for name in sections.values() if any(row["variant"] == name for row in rows)]
    figure, axis = plt.subplots(figsize=(9, tall(rows, 3)), layout="constrained")
    dots(axis, rows, lambda row: row["ratio"], lambda value: f"{value:.2f}x", kinds)
    axis.axvline(1, color="black", lw=1)
    built = other["built"]
    axis.set_xlabel("seconds of the other run / of this one (log scale; right of 1: this one is faster)")
    axis.set_title(f"Speed-up over lloyd {built.get('lloyd')} {built.get('commit', '')} of {other['started']}",
                   fontsize=11, loc="left", pad=24)
    legend_above(axis)
    figure.get_layout_engine().set(rect=(0, 0.03, 1, 0.97))
    figures.write(figure, "speed_up")


ALL = {"fit_time": fit_time, "initialisers": initialisers, "memory": memory, "phase_shares": phase_shares,
       "fraction_of_limit": fraction_of_limit, "crossover": crossover, "tiles": tiles, "exactness": exactness,
       "scaling": scaling}


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run")
    parser.add_argument("--out", help="a folder; beside the run by default")
    parser.add_argument("--over", help="another run: draws the speed-up over it")
    parser.add_argument("--only", default="", help=f"of {', '.join(ALL)}, speed_up; all")
    args = parser.parse_args(argv)
    figures = Figures(results.load(args.run), args.out or pathlib.Path(args.run).parent / "figures")
    only = args.only.split(",") if args.only else [*ALL, "speed_up"]
    for name, draw in ALL.items():
        if name in only:
            draw(figures)
    if args.over and "speed_up" in only:
        speed_up(figures, results.load(args.over))
    print(f"{len(figures.made)} figures in {figures.folder.name}: {', '.join(figures.made) or 'nothing to show'}")
    return 0 if figures.made else 1


if __name__ == "__main__":
    sys.exit(main())
