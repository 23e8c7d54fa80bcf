# SPDX-License-Identifier: MIT
"""The files of the project, and how a check reports. Every check beside this file is `check.py [ROOT]`."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
CODE = {".hpp", ".cpp", ".cuh", ".cu"}


def files():
    """Every file that is or will be under version control; without git, every file outside build folders."""
    git = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if (ROOT / ".git").exists():
        listed = subprocess.run(git, check=True, capture_output=True, text=True).stdout
        found = [ROOT / name for name in listed.split("\0") if name]
    else:
        found = [path for path in ROOT.rglob("*") if not re.match(r"build|\.", str(path.relative_to(ROOT)))]
    return sorted(path for path in set(found) if path.is_file())


def name(path):
    return path.relative_to(ROOT).as_posix()


def headers():
    """The library's own headers, by the name that is included: lloyd/kmeans.hpp."""
    include = ROOT / "include"
    return {path.relative_to(include).as_posix(): path for path in files() if include in path.parents}


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def report(what, complaints, looked_at):
    """Ends the check. One that looked at nothing has failed too."""
    for complaint in complaints:
        print(complaint)
    if not looked_at:
        complaints = complaints + [f"{what}: there was nothing to look at"]
        print(complaints[-1])
    print(f"{what}: {looked_at} looked at, {len(complaints)} complaints")
    sys.exit(1 if complaints else 0)
