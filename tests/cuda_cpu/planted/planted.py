# SPDX-License-Identifier: MIT
"""Planted bugs must be noticed, and the table of docs/cuda.md says by whom.

planted.py PLAIN ASAN TSAN DOCS NAME      the bug, in every mode: as in its row, and somebody must notice
planted.py PLAIN ASAN TSAN DOCS --table   every bug has a row and every row is of a bug
planted.py PLAIN ASAN TSAN DOCS --sound   the sound twins: nobody may complain
planted.py PLAIN ASAN TSAN DOCS --print   writes the table
"""
import os
import re
import subprocess
import sys

plain, asan, tsan, docs, what = sys.argv[1:]
RUNS = [("forward", plain), ("reverse", plain), ("shuffle", plain), ("forward", asan), ("forward", tsan)]
HEADER = ["bug", "", "forward", "reverse", "shuffle", "`asan`", "`tsan`"]
# Who noticed, by what he says; the first that fits.
VOICES = [
    ("ASan", r"ERROR: AddressSanitizer"),
    ("UBSan", r"runtime error: "),
    ("TSan", r"WARNING: ThreadSanitizer"),
    ("double", r"^cuda_cpu: "),
    ("error", r"^lloyd::cuda: .* cudaError"),
    ("result", r"^wrong result$"),
]


def run(program, argument, order, streams="deferred"):
    environment = dict(os.environ, CUDA_CPU_ORDER=order, CUDA_CPU_STREAMS=streams)
    return subprocess.run([program, argument], env=environment, capture_output=True, text=True, timeout=120, check=False)


def noticed_by(program, name, order):
    done = run(program, name, order)
    text = done.stdout + done.stderr
    if done.returncode == 0:
        return "-"
    for voice, pattern in VOICES:
        if re.search(pattern, text, re.M):
            return voice
    sys.exit(f"{name}: {program} ended with {done.returncode} and said nothing known:\n{text}")


def bugs():
    listed = run(plain, "--list", "forward").stdout.splitlines()
    return dict(line.split("\t") for line in listed)


def row(name):
    cells = [f"`{name}`", bugs()[name], *(noticed_by(program, name, order) for order, program in RUNS)]
    return "| " + " | ".join(cells) + " |"


def rows_of_docs():
    with open(docs, encoding="utf-8") as page:
        section = page.read().split("<!-- planted -->")[1]
    return {found[1]: line for line in section.splitlines() if (found := re.match(r"\| `(\w+)` \|", line))}


if what == "--print":
    print("| " + " | ".join(HEADER) + " |\n|" + " --- |" * len(HEADER))
    print("\n".join(row(name) for name in bugs()))
elif what == "--table":
    difference = sorted(bugs().keys() ^ rows_of_docs().keys())
    print(f"{len(bugs())} bugs, in the table or in the program alone: {difference}")
    sys.exit(1 if difference or not bugs() else 0)
elif what == "--sound":
    for order, program, streams in [(*one, "deferred") for one in RUNS] + [("forward", plain, "eager")]:
        done = run(program, "--sound", order, streams)
        if done.returncode != 0:
            sys.exit(f"a sound twin is complained of: {program}, {order}, {streams}\n{done.stdout}{done.stderr}")
    print(f"the sound twins of {len(bugs())} bugs pass in {len(RUNS)} modes and orders, and with eager streams")
else:
    real, expected = row(what), rows_of_docs().get(what, "no row")
    print(f"{real}\n{expected}")
    if real != expected:
        sys.exit(f"{what}: not as {docs} says")
    if set(real.split(" | ")[2:]) == {"-"}:
        sys.exit(f"{what}: nobody notices it")
