# SPDX-License-Identifier: MIT
"""No type of an inner namespace has the name of a public one: between its braces it would hide that one, and which of
the two a header means would depend on the headers before it."""
import re

import tree

NAMESPACE = re.compile(r"namespace ([\w: ]*?) ?\{$")
TYPE = re.compile(r"(?:template ?<.*> ?)?(?:class|struct|union|enum class|enum|concept|using) (\w+)\b(?! ?::)")

types = {}  # {(namespace below that of the library, name): where it was met first}
for header, path in tree.headers().items():
    opened = []
    for number, line in enumerate(tree.lines(path), 1):
        # Namespaces and what stands in them are not indented.
        if found := NAMESPACE.match(line):
            opened.append(found[1])
        elif re.match(r"\}  // namespace", line) and opened:
            opened.pop()
        elif opened and (found := TYPE.match(line)) and found[1] != "namespace":
            inner = re.sub(r"^lloyd(::inline LLOYD_ABI)?(::)?", "", "::".join(opened))
            types.setdefault((inner, found[1]), f"include/{header}:{number}:")

complaints = [f"{where} {inner}::{name} hides the public {name}; give it another name"
              for (inner, name), where in types.items() if inner and ("", name) in types]
tree.report("names", complaints, len(types))
