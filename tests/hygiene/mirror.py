# SPDX-License-Identifier: MIT
"""The mirror: a primitive p of backend.hpp's table is cpu/p.hpp, cuda/p.cuh (once there is a cuda/) and a test."""
import re

import tree

# Answers about a backend's state, not work on rows: they have no room of their own.
NOT_PRIMITIVES = {"finished"}

text = tree.headers()["lloyd/backend.hpp"].read_text()
tables = re.findall(r"// clang-format off(.*?)// clang-format on", text, re.S)
primitives = set(re.findall(r"\bb(?:ackend)?\.(?:template )?(\w+)", "".join(tables))) - NOT_PRIMITIVES

mirrors = ["include/lloyd/cpu/{}.hpp", "tests/primitive/{}_test.cpp"]
if (tree.ROOT / "include/lloyd/cuda").exists():
    mirrors.append("include/lloyd/cuda/{}.cuh")
complaints = [
    f"backend.hpp names the primitive {primitive}, but there is no {mirror.format(primitive)}"
    for primitive in sorted(primitives)
    for mirror in mirrors
    if not (tree.ROOT / mirror.format(primitive)).exists()
]
tree.report("mirror", complaints, len(primitives))
