# SPDX-License-Identifier: MIT
"""Every source file names its licence in one of its first three lines."""
import tree

SUFFIXES = tree.CODE | {".cmake", ".in", ".sh", ".py"}
LINE = "SPDX-License-" + "Identifier: MIT"

complaints, looked_at = [], 0
for path in tree.files():
    if path.suffix in SUFFIXES or path.name in {"CMakeLists.txt", ".clang-tidy"} or tree.name(path) == ".ci/run":
        looked_at += 1
        if not any(LINE in line for line in tree.lines(path)[:3]):
            complaints.append(f"{tree.name(path)}: no '{LINE}' in its first three lines")
tree.report("spdx", complaints, looked_at)
