# SPDX-License-Identifier: MIT
"""What nvcc makes of kernels, checked without a device: no spills and no local memory, a block size for every kernel,
no float division or root that flags could make inexact, and registers, shared memory, occupancy and vector loads within
a committed budget.

gate.py --nvcc NVCC --occupancy PROGRAM --budget FILE [--kernels PATH] [--print] ARCHITECTURE... -- UNIT FLAGS...

--kernels: a file or a folder of .cuh, of which every __global__ function must have been compiled.
The budget has a line for each kernel and architecture; columns are separated by spaces:
  kernel           its name, without parameters
  arch             80, 90, ...
  threads          in a block
  registers        at most so many a thread
  static, dynamic  bytes of shared memory: static at most so many, dynamic the most that it is launched with
  blocks           at least so many on a multiprocessor
  vectors          at least so many loads of 8 or 16 bytes in its PTX
  exact            "exact" where no product is contracted with a sum: the machine code is the same with -fmad=false; else "-"
--print writes the budget that holds now.
"""
import argparse
import collections
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

COLUMNS = ("kernel", "arch", "threads", "registers", "static", "dynamic", "blocks", "vectors", "exact")
# What -prec-div=false, -prec-sqrt=false and -use_fast_math would change.
INEXACT = re.compile(r"\b(?:div|sqrt|rcp|rsqrt|sin|cos|lg2|ex2|tanh)\.[\w.]*f32\b")
KERNEL = re.compile(r"\b__global__\s+void\s+(?:__launch_bounds__\([^()]*\)\s*)?(\w+)\s*\(")
VECTOR_LOAD = re.compile(r"\bld\.(?:global|shared)[.\w:]*\.v[24]\.")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nvcc", required=True)
    parser.add_argument("--occupancy", required=True)
    parser.add_argument("--budget", required=True)
    parser.add_argument("--kernels")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("architectures", nargs="+")
    split = sys.argv.index("--")
    found = parser.parse_args(sys.argv[1:split])
    found.unit, *found.flags = sys.argv[split + 1:]
    return found


given = arguments()


def compiled(architecture, folder, *flags):
    """The PTX of the unit, its machine code by entry, and what ptxas said. What ptxas refuses ends the check."""
    command = [given.nvcc, *given.flags, f"-arch=sm_{architecture}", "-cubin", "--keep", "--keep-dir", folder, "-Xptxas",
               "-v,-warn-spills,-warn-lmem-usage,-Werror", *flags, "-o", f"{folder}/unit.cubin", given.unit]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reasons = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith(("ptxas info", "    "))]
        sys.exit("\n".join([f"sm_{architecture} {' '.join(flags)}: nvcc refuses", *reasons]))
    code = machine_code(pathlib.Path(folder, "unit.cubin").read_bytes())
    return next(pathlib.Path(folder).glob("*.ptx")).read_text(), code, done.stderr + done.stdout


def machine_code(elf):
    """The sections .text.NAME of a cubin, an ELF file of 64 bits."""
    table, = struct.unpack_from("<Q", elf, 0x28)
    size, count, names_at = struct.unpack_from("<HHH", elf, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    found = {}
    for name, _, _, _, offset, length in sections:
        begin = sections[names_at][4] + name
        text = elf[begin:elf.index(b"\0", begin)].decode()
        if text.startswith(".text."):
            found[text.removeprefix(".text.")] = elf[offset:offset + length]
    return found


def names(mangled):
    """The names without parameters, templates with their arguments; of entries that are ours."""
    text = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True, check=True).stdout
    found = {}
    for entry, name in zip(mangled, text.splitlines()):
        name = re.sub(r"^void ", "", name)
        depth, end = 0, len(name)
        for at, letter in enumerate(name):
            depth += (letter == "<") - (letter == ">")
            if letter == "(" and depth == 0 and not name.startswith("(anonymous namespace)", at):
                end = at
                break
        # The namespace of the version (version.hpp) is no part of a kernel's name in a budget.
        found[entry] = re.sub(r"lloyd::(v\d+_\d+_\d+::)?", "", name[:end].replace(" ", ""))
    return found


def bodies(ptx):
    """The PTX of each entry."""
    found = {}
    for part in re.split(r"(?m)^(?=(?:\.weak |\.visible )?\.entry )", ptx)[1:]:
        entry = re.search(r"\.entry (\w+)", part).group(1)
        found[entry] = part[:part.index("\n}")]
    return found


def resources(said):
    """Registers, static shared memory, stack and spills of each entry, as ptxas reports them."""
    found = {}
    for part in said.split("Compiling entry function ")[1:]:
        entry = re.match(r"'(\w+)'", part).group(1)
        registers = int(re.search(r"Used (\d+) registers", part).group(1))
        shared = re.search(r"(\d+) bytes smem", part)
        local = [int(n) for n in re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads",
                                           part).groups()]
        found[entry] = (registers, int(shared.group(1)) if shared else 0, sum(local))
    return found


def occupancy(rows):
    lines = "\n".join(f"{r['arch']} {r['threads']} {r['registers']} {r['static']} {r['dynamic']}" for r in rows)
    done = subprocess.run([given.occupancy], input=lines, capture_output=True, text=True, check=True)
    return [int(line) for line in done.stdout.split()]


def measured(budget):
    """A row for each kernel and architecture, and complaints that need no budget."""
    rows, complaints = [], []
    for architecture in given.architectures:
        with tempfile.TemporaryDirectory() as fused, tempfile.TemporaryDirectory() as apart:
            ptx, code, said = compiled(architecture, fused)
            uncontracted = compiled(architecture, apart, "-fmad=false")[1]
        texts, used = bodies(ptx), resources(said)
        for entry, kernel in names(sorted(used)).items():
            if entry not in texts or "cub::" in kernel or "thrust::" in kernel:
                continue
            registers, shared, local = used[entry]
            size = re.search(r"\.maxntid (\d+)(?:, (\d+))?(?:, (\d+))?", texts[entry])
            if not size:
                complaints.append(f"{kernel} sm_{architecture}: no __launch_bounds__")
                continue
            if local:
                complaints.append(f"{kernel} sm_{architecture}: {local} bytes of local memory")
            if inexact := sorted(set(INEXACT.findall(texts[entry]))):
                complaints.append(f"{kernel} sm_{architecture}: {', '.join(inexact)}: not exact under every flag of nvcc")
            threads = 1
            for extent in size.groups():
                threads *= int(extent or 1)
            agreed = budget.get((kernel, architecture), {})
            exact = "exact" if code[entry] == uncontracted[entry] else "-"
            rows.append({"kernel": kernel, "arch": architecture, "threads": threads, "registers": registers,
                         "static": shared, "dynamic": int(agreed.get("dynamic", 0)),
                         "vectors": len(VECTOR_LOAD.findall(texts[entry])), "exact": exact})
    for row, blocks in zip(rows, occupancy(rows)):
        row["blocks"] = blocks
    return rows, complaints


def read_budget():
    budget = {}
    for line in pathlib.Path(given.budget).read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            row = dict(zip(COLUMNS, line.split(), strict=True))
            if row["arch"] in given.architectures:
                budget[row["kernel"], row["arch"]] = row
    return budget


def left_out(rows):
    """Complaints of kernels that stand in the sources and that the unit does not make nvcc compile."""
    if not given.kernels:
        return
    path = pathlib.Path(given.kernels)
    compiled_names = {re.sub(r"<.*", "", row["kernel"]).split("::")[-1] for row in rows}
    for source in sorted(path.rglob("*.cuh")) if path.is_dir() else [path]:
        text = re.sub(r"//.*", "", source.read_text())
        found = KERNEL.findall(text)
        if len(found) != text.count("__global__"):
            yield f"{source.name}: a __global__ function that this check cannot read"
        for name in found:
            if name not in compiled_names:
                yield f"{source.name}: nothing makes nvcc compile {name}"


def against(row, agreed):
    """What of a row is not as agreed."""
    who = f"{row['kernel']} sm_{row['arch']}:"
    if row["threads"] != int(agreed["threads"]):
        yield f"{who} {row['threads']} threads in a block, agreed were {agreed['threads']}"
    for column in ("registers", "static"):
        if row[column] > int(agreed[column]):
            yield f"{who} {row[column]} {column}, at most {agreed[column]}"
    for column in ("blocks", "vectors"):
        if row[column] < int(agreed[column]):
            yield f"{who} {row[column]} {column}, at least {agreed[column]}"
    if agreed["exact"] == "exact" and row["exact"] != "exact":
        yield f"{who} a product is contracted with a sum: write __fma_rn or __dmul_rn"


agreed = read_budget()
rows, complaints = measured(agreed)
if given.print:
    table = [[str(row[column]) for column in COLUMNS] for row in rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(COLUMNS))]
    print("\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table))
    sys.exit(0)
seen = collections.Counter((row["kernel"], row["arch"]) for row in rows)
complaints += [f"{kernel} sm_{arch}: not in {given.budget}" for kernel, arch in sorted(seen.keys() - agreed.keys())]
complaints += [f"{kernel} sm_{arch}: in {given.budget}, but not compiled" for kernel, arch in sorted(agreed.keys() - seen.keys())]
complaints += left_out(rows)
for row in rows:
    if (row["kernel"], row["arch"]) in agreed:
        complaints += against(row, agreed[row["kernel"], row["arch"]])
print("\n".join(complaints))
print(f"gate: {len(rows)} kernels looked at, {len(complaints)} complaints")
sys.exit(1 if complaints or not rows else 0)
