# SPDX-License-Identifier: MIT
"""One sitting: a header has at most 300 lines, the root CMakeLists.txt 150, and no file is large."""
import tree

complaints = []
for included_as, path in tree.headers().items():
    if (count := len(tree.lines(path))) > 300:
        complaints.append(f"include/{included_as}: {count} lines, at most 300")
for path in tree.files():
    if tree.name(path) == "CMakeLists.txt" and (count := len(tree.lines(path))) > 150:
        complaints.append(f"CMakeLists.txt: {count} lines, at most 150")
    if (size := path.stat().st_size) > 2_000_000:
        complaints.append(f"{tree.name(path)}: {size} bytes, at most 2000000")
tree.report("sizes", complaints, len(tree.headers()))
