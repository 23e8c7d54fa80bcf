# SPDX-License-Identifier: MIT
"""Draws what a sweep found, on standard output: plot_sweep.py svg|png, with the sweep as JSON on standard input.

{"runs": [{"k", "inertia", "silhouette" or null}, ...], "elbow": k or null, "best_silhouette": k or null,
"input": the title, "names": of the two axes}
"""
import json
import sys

try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MaxNLocator
except ImportError as error:
    sys.exit(f"a figure needs matplotlib, which {sys.executable} does not have ({error}): install it (Debian: apt-get "
             "install python3-matplotlib, elsewhere: pip install matplotlib), or name another Python by --python")

if len(sys.argv) < 2:  # asked only whether all is there
    print("ready")
    sys.exit()

LINE, MARK = "#0072B2", "#D55E00"  # Okabe and Ito's, which the colour-blind tell apart
plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
                     "grid.color": "#dddddd", "grid.linewidth": 0.6, "axes.axisbelow": True, "svg.hashsalt": "lloyd"})
sweep = json.load(sys.stdin)
runs = sorted(sweep["runs"], key=lambda run: run["k"])
scored = [run for run in runs if run["silhouette"] is not None]
figure, axes = plt.subplots(2 if scored else 1, 1, sharex=True, squeeze=False, figsize=(6.4, 6.0 if scored else 3.4))


def panel(axis, shown, name, label, marked, what):
    axis.plot([run["k"] for run in shown], [run[name] for run in shown], "o-", color=LINE, markersize=4)
    axis.set_ylabel(label)
    for run in shown:
        if run["k"] == marked:
            axis.plot(run["k"], run[name], "o", color=MARK, markersize=9, markerfacecolor="none", markeredgewidth=2)
            axis.annotate(f"{what}: k = {marked}", (run["k"], run[name]), xytext=(9, 9), textcoords="offset points",
                          color=MARK, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1})
    axis.margins(y=0.16)


panel(axes[0][0], runs, "inertia", sweep["names"][0], sweep["elbow"], "elbow")
if sweep["elbow"] is not None:
    ends = [runs[0], runs[-1]]
    axes[0][0].plot([run["k"] for run in ends], [run["inertia"] for run in ends], "--", color="#999999", linewidth=1,
                    label="chord: the elbow lies farthest below it", zorder=1)
    axes[0][0].legend(frameon=False, loc="upper right")
if scored:
    panel(axes[1][0], scored, "silhouette", sweep["names"][1], sweep["best_silhouette"], "best")
axes[-1][0].set_xlabel("number of clusters k")
axes[-1][0].xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
figure.suptitle(sweep["input"], fontsize=11)
figure.tight_layout()
figure.savefig(sys.stdout.buffer, format=sys.argv[1], dpi=140, metadata={"Date": None} if sys.argv[1] == "svg" else {})
