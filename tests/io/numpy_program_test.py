# SPDX-License-Identifier: MIT
"""numpy_program_test.py PROGRAM DATA_DIR: NumPy reads what lloyd-cluster writes, and finds the same with it.

Ends with 77, which ctest counts as skipped, where NumPy is missing.
"""
import math
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

program, wine = sys.argv[1], pathlib.Path(sys.argv[2]) / "wine.csv"
rows = numpy.loadtxt(wine, delimiter=",", skiprows=1)

with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)

    def run(*arguments):
        subprocess.run([program, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

    for flags, scalar in ([], numpy.float32), (["--double"], numpy.float64):
        run("fit", wine, "-k", 4, "--standardize", *flags, "--model", work / "m.npz", "--labels", work / "l.npy",
            "--centroids", work / "c.npy")
        model, labels = numpy.load(work / "m.npz"), numpy.load(work / "l.npy")
        assert model["centroids"].dtype == scalar and labels.dtype == numpy.int32
        x = (((rows.astype(scalar) - model["mean"]) - model["mean_rest"]) / model["scale"]).astype(scalar)
        assert numpy.allclose(x.mean(0), 0, atol=1e-5) and numpy.allclose(x.std(0), 1, atol=1e-5)
        d2 = ((x[:, None, :].astype(float) - model["centroids"].astype(float)) ** 2).sum(2)
        assert (d2.argmin(1) == labels).all()
        assert numpy.isclose(d2.min(1).sum(), model["inertia"], rtol=1e-12)
        assert (numpy.bincount(labels, minlength=4) == model["cluster_sizes"]).all()
        assert (model["cluster_weights"] == model["cluster_sizes"]).all()
        assert [name.decode() for name in model["names"]] == wine.read_text().split("\n", 1)[0].split(",")

        assert numpy.allclose(model["centroids"] * model["scale"] + model["mean"], numpy.load(work / "c.npy"), rtol=1e-5)

        # And the other way: a model and rows that NumPy wrote.
        numpy.savez(work / "n.npz", **model)
        numpy.save(work / "x.npy", rows.astype(scalar))
        run("predict", work / "n.npz", work / "x.npy", "--labels", work / "p.npy", "--distances", work / "d.npy")
        assert (numpy.load(work / "p.npy") == labels).all()
        assert numpy.allclose(numpy.load(work / "d.npy"), numpy.sqrt(d2.min(1)), rtol=1e-12)

    # Mean and deviation are of exact sums, whatever the columns: math.fsum rounds once.
    dice = numpy.random.default_rng(5)
    n = 5001
    columns = [dice.normal(size=n), 1e15 + dice.integers(0, 2, n),
               dice.normal(size=n) * 10.0 ** dice.integers(-30, 30, n), 1e-150 * dice.normal(size=n), numpy.where(numpy.arange(n) == 77, 1e140, dice.normal(size=n)),
               numpy.full(n, 0.1), dice.integers(0, 3, n), -1e-3 * dice.random(n)]
    for scalar in numpy.float64, numpy.float32:
        x = numpy.stack([column for column in columns if scalar == numpy.float64 or abs(column).max() < 1e38], 1)
        x = x.astype(scalar)
        numpy.save(work / "x.npy", x)
        for threads in 1, 2:
            run("fit", work / "x.npy", "-k", 2, "--standardize", "--max-iter", 0, "--init", "random", "--threads",
                threads, "--model", work / "m.npz")
            model = numpy.load(work / "m.npz")
            for j, column in enumerate(x.astype(float).T):
                if (column == column[0]).all():
                    assert (model["mean"][j], model["mean_rest"][j], model["scale"][j]) == (column[0], 0, 1)
                    continue
                mean = math.fsum(column) / n
                rest = math.fsum(column - mean) / n if scalar == numpy.float64 else 0
                scale = math.sqrt(math.fsum(((column - mean) - rest) ** 2) / n)
                found = model["mean"][j], model["mean_rest"][j], model["scale"][j]
                assert found == (mean, rest, scale), (scalar, j, found, (mean, rest, scale))

    # What is not read is said, with the conversion that mends it.
    for array, mended in ((rows.astype(int), lambda x: x.astype(numpy.float32)),
                          (numpy.asfortranarray(rows), numpy.ascontiguousarray),
                          (rows.astype(numpy.float16), lambda x: x.astype(numpy.float32)),
                          (rows.reshape(1, 178, 13), lambda x: x.reshape(178, 13))):
        numpy.save(work / "x.npy", array)
        found = subprocess.run([program, "fit", work / "x.npy", "-k", "2"], capture_output=True, text=True, check=False)
        assert found.returncode == 1 and "numpy.save(path, " in found.stderr, found.stderr
        numpy.save(work / "x.npy", mended(array).astype(numpy.float32))
        run("fit", work / "x.npy", "-k", 2)
print("what NumPy reads and writes agrees")
