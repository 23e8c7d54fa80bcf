# SPDX-License-Identifier: MIT
"""The newest version in CHANGELOG.md (and in CITATION.cff) is the one in version.hpp; so is that of vcpkg.json."""
import re

import tree

header = tree.headers()["lloyd/version.hpp"].read_text()
parts = [re.search(rf"#define LLOYD_VERSION_{part} (\d+)", header) for part in ("MAJOR", "MINOR", "PATCH")]
version = ".".join(part.group(1) for part in parts)

complaints = []
for file, pattern in (("CHANGELOG.md", r"^## \[?v?(\d+\.\d+\.\d+)"), ("CITATION.cff", r"^version: \"?(\d+\.\d+\.\d+)"),
                      ("cmake/packaging/vcpkg/lloyd/vcpkg.json", r"\"version-semver\": \"(\d+\.\d+\.\d+)\"")):
    path = tree.ROOT / file
    found = re.search(pattern, path.read_text(), re.M) if path.exists() else None
    if path.exists() or file == "CHANGELOG.md":
        if not found or found.group(1) != version:
            complaints.append(f"{file}: its newest version is {found and found.group(1)}, version.hpp says {version}")
tree.report("version", complaints, 1)
