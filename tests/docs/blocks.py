# SPDX-License-Identifier: MIT
"""blocks.py ROOT WORK LIBRARY COMPILER [FLAGS...]: compiles and runs every ```cpp block of README.md and docs/.

A block with a main() is a program. Any other is the inside of one: its #include lines go to the top, and the names
of tests/docs/setup.hpp are there for it to use. A block that only shows a shape says so in its first line,
```cpp shape; it is counted and printed as not run. The heavy templates come from a library of the tests.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

ROOT, WORK, LIBRARY, COMPILER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
WARNINGS = ["-std=c++20", "-O0", "-Wall", "-Wextra", "-Wconversion", "-Wno-unused", "-Werror"]
BLOCK = re.compile(r"^```cpp([^\n]*)\n(.*?)^```$", re.M | re.S)


def program(block):
    """The block as a whole program."""
    if re.search(r"\bmain\s*\(", block):
        return block
    lines = block.splitlines()
    includes = [line for line in lines if re.match(r"\s*#\s*include\b", line)]
    body = [line for line in lines if line not in includes]
    setup = (pathlib.Path(__file__).parent / "setup.hpp").as_posix()
    return "\n".join(includes + [f'#include "{setup}"', "int main() {", *body, "}", ""])


def trouble(source, text):
    """Compiles and runs one program; what went wrong, or nothing."""
    source.write_text(text)
    binary = source.with_suffix("")
    for step in ([*COMPILER, *WARNINGS, str(source), LIBRARY, "-o", str(binary)], [str(binary)]):
        try:
            run = subprocess.run(step, capture_output=True, text=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            return f"{step[0]} takes more than 300 seconds"
        if run.returncode != 0:
            return f"{run.stdout}{run.stderr}(exit status {run.returncode})"
    return ""


def precompiled():
    """The flags that include what all blocks have before their first line."""
    header = WORK / "all.hpp"
    header.write_text('#include "support/instances.hpp"\n')
    subprocess.run([*COMPILER, *WARNINGS, "-x", "c++-header", str(header), "-o", f"{header}.gch"], check=True)
    return ["-include", str(header)]


WORK.mkdir(parents=True, exist_ok=True)
COMPILER += precompiled()
names, tasks, shown = [], [], 0
with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        for match in BLOCK.finditer(text):
            where = f"{page.relative_to(ROOT)}:{text[:match.start()].count(chr(10)) + 1}"
            if match.group(1).strip() == "shape":
                print(f"not run: {where} only shows a shape")
                shown += 1
                continue
            source = WORK / (re.sub(r"\W", "_", where) + ".cpp")
            names.append(where)
            tasks.append(pool.submit(trouble, source, program(match.group(2))))

failed = [(name, task.result()) for name, task in zip(names, tasks) if task.result()]
for name, what in failed:
    print(f"{name}:\n{what}\n")
if not tasks:
    print("there is no ```cpp block in README.md or docs/")
print(f"blocks: {len(tasks) - len(failed)} passed, {len(failed)} failed, {shown} skipped")
sys.exit(1 if failed or not tasks else 0)
