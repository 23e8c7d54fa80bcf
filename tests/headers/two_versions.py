# SPDX-License-Identifier: MIT
"""two_versions.py INCLUDE WORK COMPILER [FLAGS...]: two versions of the library in one program, each in a unit of its own.

The second is a copy with another number and another layout of Options. Both must work, and no function or variable of
the library may be shared. The same copy under the same number is the control: there the linker must find some to share,
or this test would notice nothing.
"""
import pathlib
import re
import shutil
import subprocess
import sys

INCLUDE, WORK, COMPILER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
HERE = pathlib.Path(__file__).parent / "two_versions"


def copy(name, patch):
    """The headers with one more member at the front of Options, as version x.y.<patch> (None: as it is)."""
    root = WORK / name
    shutil.copytree(INCLUDE, root)
    for header, pattern, replacement in (
            ("options.hpp", r"(struct Options \{\n)", r"\1  double member_of_another_version[3] = {-1, -1, -1};\n"),
            ("version.hpp", r"(LLOYD_VERSION_PATCH) \d+", rf"\g<1> {patch}")):
        if header == "version.hpp" and patch is None:
            continue
        path = root / "lloyd" / header
        text, found = re.subn(pattern, replacement, path.read_text())
        if found != 1:
            sys.exit(f"two_versions: {found} places in {header} are like {pattern}")
        path.write_text(text)
    return root


def compiled(unit, include, name):
    built = WORK / f"{name}.o"
    subprocess.run([*COMPILER, "-std=c++20", "-O0", f"-I{include}", "-c", HERE / f"{unit}.cpp", "-o", built], check=True)
    return built


def symbols(built):
    """What the library gives the linker in a unit: the names of functions and variables of any namespace of lloyd."""
    listed = subprocess.run(["nm", "--defined-only", "--extern-only", built], check=True, capture_output=True, text=True)
    return {name for _, _, name in (line.split() for line in listed.stdout.splitlines()) if "5lloyd" in name}


shutil.rmtree(WORK, ignore_errors=True)
WORK.mkdir(parents=True)
first = compiled("first", INCLUDE, "first")
second = compiled("second", copy("other", 999), "second")
control = compiled("second", copy("same_number", None), "control")

shared = symbols(first) & symbols(second)
for name in sorted(shared)[:10]:
    print(f"two versions share {name}")
noticed = symbols(first) & symbols(control)
print(f"{len(symbols(first))} and {len(symbols(second))} symbols, {len(shared)} shared; under one number {len(noticed)}")

subprocess.run([*COMPILER, first, second, "-o", WORK / "program"], check=True)
works = subprocess.run([WORK / "program"], check=False, timeout=60).returncode == 0
if not works:
    print("the program of two versions failed")
sys.exit(0 if works and not shared and noticed and symbols(first) else 1)
