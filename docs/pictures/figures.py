# SPDX-License-Identifier: MIT
"""figures.py PROGRAM: wine_clusters.png and wine_sweep.png of the documentation, by lloyd-cluster and matplotlib."""
import csv
import pathlib
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
WINE = HERE.parents[1] / "examples" / "data" / "wine.csv"
COLOURS = ["#1f6f8b", "#d97b29", "#6a9a3b"]


def clustered(program, folder, *options):
    """The labels that the program gives the wines."""
    labels = pathlib.Path(folder, "labels.csv")
    subprocess.run([program, "fit", WINE, "-k", "3", "--n-init", "10", "--labels", labels, *options], check=True,
                   stdout=subprocess.DEVNULL)
    return [int(line) for line in labels.read_text().split()[1:]]  # below the name


def draw(axes, title, rows, labels):
    """One colour a cluster, the same in every panel: by the mean of proline."""
    clusters = [[row for row, label in zip(rows, labels) if label == j] for j in sorted(set(labels))]
    clusters.sort(key=lambda of: sum(float(row["proline"]) for row in of) / len(of))
    for j, of in enumerate(clusters):
        axes.scatter([float(row["flavanoids"]) for row in of], [float(row["proline"]) for row in of], s=18,
                     color=COLOURS[j], alpha=0.85, linewidths=0, label=f"{len(of)} wines")
    axes.set_title(title, fontsize=11)
    axes.set_xlabel("flavanoids")
    axes.legend(fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with open(WINE, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
    with tempfile.TemporaryDirectory() as folder:
        draw(left, "as they are: proline decides alone", rows, clustered(program, folder))
        draw(right, "--standardize: all 13 columns count", rows, clustered(program, folder, "--standardize"))
    left.set_ylabel("proline")
    figure.savefig(HERE / "wine_clusters.png", dpi=110, metadata={"Software": None})
    subprocess.run([program, "sweep", WINE, "--standardize", "--n-init", "10", "-k", "2-10", "--figure",
                    HERE / "wine_sweep.png", "--python", sys.executable], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
