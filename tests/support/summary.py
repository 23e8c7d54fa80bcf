# SPDX-License-Identifier: MIT
"""summary.py RESULTS: counts the cases in GoogleTest's XML files, and names those that were skipped and why."""
import collections
import pathlib
import sys
import xml.etree.ElementTree as xml

passed, failed, skipped = 0, 0, collections.defaultdict(list)
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.xml")):
    for case in xml.parse(path).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        if case.find("failure") is not None:
            failed += 1
        elif case.get("result") == "skipped" or case.find("skipped") is not None:
            note = case.find("skipped")
            lines = (note.get("message") if note is not None else "").strip().splitlines()
            skipped[lines[-1] if lines else "no reason given"].append(name)
        elif case.get("result") == "suppressed":
            skipped["disabled"].append(name)
        else:
            passed += 1

for reason, names in sorted(skipped.items()):
    print(f"skipped, {reason}: {len(names)}")
    for name in names:
        print(f"  {name}")
print(f"{passed} passed, {failed} failed, {sum(map(len, skipped.values()))} skipped")
