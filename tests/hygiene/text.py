# SPDX-License-Identifier: MIT
"""What must not stand in any file: things left to do, paths of somebody's machine, code in comments, loose spaces."""
import re

import tree

TEXT = tree.CODE | {".cmake", ".in", ".sh", ".py", ".md", ".txt", ".json", ".yaml", ".yml", ".cff", ""}
LEFT_TO_DO = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b")
MACHINE = re.compile(r"(?<![\w.}\"])/(home|root|Users|work|mnt|media)/\w")
# A plain comment that ends like a statement or a block: "// foo(x);", "// if (a) {", "// }".
STATEMENT = r"[\w:<>,.*&\[\] =()+\-!]*[\w)\]+\-]\s*;|.*\)\s*\{|\}|#\s*(?:include|if|define|endif)\b.*"
CODE_IN_COMMENT = re.compile(rf"^\s*//(?!/)\s*(?:{STATEMENT})\s*$")
MARKDOWN_BREAK = re.compile(r"\S  $")

complaints, looked_at = [], 0
for path in tree.files():
    if path.suffix not in TEXT or "corpus" in path.parts or path.name == "LICENSE":
        continue
    looked_at += 1
    content = path.read_bytes().decode("utf-8")
    if content and not content.endswith("\n"):
        complaints.append(f"{tree.name(path)}: no newline at its end")
    if "\r" in content:
        complaints.append(f"{tree.name(path)}: carriage returns")
    for number, line in enumerate(content.splitlines(), 1):
        where = f"{tree.name(path)}:{number}:"
        if LEFT_TO_DO.search(line):
            complaints.append(f"{where} something left to do: {line.strip()}")
        if MACHINE.search(line):
            complaints.append(f"{where} a path of a machine: {line.strip()}")
        if path.suffix in tree.CODE and CODE_IN_COMMENT.match(line):
            complaints.append(f"{where} code in a comment: {line.strip()}")
        if line != line.rstrip() and not (path.suffix == ".md" and MARKDOWN_BREAK.search(line)):
            complaints.append(f"{where} spaces at the end of the line")
        if "\t" in line and path.suffix in tree.CODE | {".cmake", ".py"}:
            complaints.append(f"{where} a tab")
tree.report("text", complaints, looked_at)
