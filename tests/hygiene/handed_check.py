# SPDX-License-Identifier: MIT
"""The handed cases: docs/handed.md has a row for each of the 99, whose tests exist, or which says why there is none."""
import re

import tree

# How many cases each kind has.
CASES = {1: 6, 2: 4, 3: 5, 4: 9, 5: 9, 6: 6, 7: 6, 8: 5, 9: 6, 10: 5, 11: 4, 12: 5, 13: 6, 14: 7, 15: 3, 16: 5, 17: 7, 18: 1}
REASON = re.compile(r"\bnot (applicable|yet)\b")
TEST = re.compile(r"\bT(?:YPED_T)?EST(?:_F)?\(\s*\w+,\s*(H\d+_\d+_\w+)\s*\)")

expected = {f"H{kind}.{number + 1}" for kind, count in CASES.items() for number in range(count)}
tests = {test for path in tree.files() if path.suffix == ".cpp" for test in TEST.findall(path.read_text())}

complaints, rows, named = [], [], set()
for line in tree.lines(tree.ROOT / "docs/handed.md"):
    row = re.match(r"\| (H\d+\.\d+) \|[^|]*\|([^|]*)\|$", line)
    if not row:
        continue
    case, where = row.groups()
    rows.append(case)
    in_row = set(re.findall(r"`(H\d+_\d+_\w+)`", where))
    paths = re.findall(r"\btests/[\w/.]+\w", where)
    named |= in_row
    complaints += [f"{case}: no test is named {test}" for test in sorted(in_row - tests)]
    complaints += [f"{case}: there is no {path}" for path in paths if not (tree.ROOT / path).exists()]
    if not in_row and not paths and not REASON.search(where):
        complaints.append(f"{case}: neither a test nor a reason")

complaints += [f"{case}: no row in docs/handed.md" for case in sorted(expected - set(rows))]
complaints += [f"{case}: not a case, or in two rows" for case in sorted(set(rows)) if rows.count(case) > 1 or case not in expected]
complaints += [f"{test}: not named in docs/handed.md" for test in sorted(tests - named)]
tree.report("handed", complaints, len(rows))
