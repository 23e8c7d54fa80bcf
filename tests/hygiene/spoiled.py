# SPDX-License-Identifier: MIT
"""The checks checked: a small good tree passes all of them, and each spoiled in one way fails the one meant."""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
SPDX = "// SPDX-License-" + "Identifier: MIT\n"
GOOD = {
    "CHANGELOG.md": "# Changes\n\n## 1.2.3\n",
    "include/lloyd/version.hpp": SPDX + "".join(
        f"#define LLOYD_VERSION_{part} {value}\n" for part, value in (("MAJOR", 1), ("MINOR", 2), ("PATCH", 3))),
    "include/lloyd/backend.hpp": SPDX + "// clang-format off\nb.assign(x);\n// clang-format on\n",
    "include/lloyd/kmeans.hpp": SPDX + '#include "lloyd/kmeans/seed.hpp"\n'
                                       "namespace lloyd::inline LLOYD_ABI {\nenum class Init : int {};\n"
                                       "namespace detail {\nstruct Seed {};\n}  // namespace detail\n"
                                       "template <class T>\nclass KMeans {};\n}  // namespace lloyd::inline LLOYD_ABI\n",
    "include/lloyd/kmeans/seed.hpp": SPDX + '#include <vector>\n#include "lloyd/version.hpp"\n// Why it is so.\n'
                                            "namespace lloyd::inline LLOYD_ABI::detail {}\n",
    "include/lloyd/cpu.hpp": SPDX + '#include "lloyd/cpu/assign.hpp"\n',
    "include/lloyd/cpu/assign.hpp": SPDX + "#include <Eigen/Core>\n",
    "include/lloyd/metrics.hpp": SPDX + '#include "lloyd/metrics/score.hpp"\n',
    "include/lloyd/metrics/score.hpp": SPDX + '#include "lloyd/kmeans/seed.hpp"\n',
    "tests/primitive/assign_test.cpp": SPDX,
}
# check, file, what is appended to it (None: the file goes)
SPOILED = [
    ("sizes", "include/lloyd/cpu.hpp", "\n" * 300),
    ("spdx", "examples/new.cpp", "int main() {}\n"),
    ("version", "include/lloyd/version.hpp", "", ("PATCH 3", "PATCH 4")),
    ("version", "CHANGELOG.md", None),
    ("version", "CITATION.cff", "version: 1.2.4\n"),
    ("version", "cmake/packaging/vcpkg/lloyd/vcpkg.json", '{"version-semver": "1.2.4"}\n'),
    ("text", "include/lloyd/cpu.hpp", "// TO" + "DO: more\n"),
    ("text", "include/lloyd/cpu.hpp", "// read from /ho" + "me/me/data.csv\n"),
    ("text", "include/lloyd/cpu.hpp", "// assign(x, c);\n"),
    ("text", "include/lloyd/cpu.hpp", "// if (n > 3) {\n"),
    ("text", "include/lloyd/cpu.hpp", "//  #include <vector>\n"),
    ("text", "include/lloyd/cpu.hpp", "int x; \n"),
    ("text", "include/lloyd/cpu.hpp", "int x;"),
    ("includes", "include/lloyd/kmeans/seed.hpp", "#include <Eigen/Core>\n"),
    ("includes", "include/lloyd/kmeans/seed.hpp", "#include <omp.h>\n"),
    ("includes", "include/lloyd/kmeans/seed.hpp", '#include "lloyd/cpu.hpp"\n'),
    ("includes", "include/lloyd/kmeans/seed.hpp", '#include "lloyd/kmeans.hpp"\n'),
    ("includes", "include/lloyd/kmeans/seed.hpp", "#include <lloyd/backend.hpp>\n"),
    ("includes", "include/lloyd/kmeans.hpp", '#include "lloyd/cpu/assign.hpp"\n'),
    ("includes", "include/lloyd/kmeans.hpp", '#include "lloyd/absent.hpp"\n'),
    ("includes", "include/lloyd/kmeans.hpp", "#define LLOYD_X 1\n"),
    ("includes", "include/lloyd/cpu/assign.hpp", "#pragma omp parallel\n"),
    ("includes", "include/lloyd/cpu/assign.hpp", '#include "lloyd/kmeans.hpp"\n'),
    ("includes", "include/lloyd/metrics/score.hpp", "#include <Eigen/Core>\n"),
    ("includes", "include/lloyd/metrics/score.hpp", '#include "lloyd/cpu/assign.hpp"\n'),
    ("includes", "include/lloyd/kmeans/seed.hpp", "namespace lloyd::detail {}\n"),
    ("includes", "include/lloyd/kmeans/seed.hpp", "", ('#include "lloyd/version.hpp"\n', "")),
    ("names", "include/lloyd/cpu/assign.hpp", "namespace lloyd::inline LLOYD_ABI::cpu {\nclass Init {};\n}\n"),
    ("names", "include/lloyd/kmeans.hpp", "", ("struct Seed", "using KMeans = int; struct Seed")),
    ("names", "include/lloyd/kmeans.hpp", "", ("struct Seed", "enum class KMeans")),
    ("mirror", "tests/primitive/assign_test.cpp", None),
    ("mirror", "include/lloyd/cpu/assign.hpp", None),
    ("mirror", "include/lloyd/backend.hpp", "", ("b.assign(x);", "")),
]


def passes(check, root):
    run = subprocess.run([sys.executable, HERE / f"{check}.py", root], capture_output=True, text=True, check=False)
    if "Traceback" in run.stderr:
        sys.exit(f"{check}.py broke:\n{run.stderr}")
    return run.returncode == 0


failed = []
for check, file, appended, *change in [(check, None, "") for check in sorted({s[0] for s in SPOILED})] + SPOILED:
    with tempfile.TemporaryDirectory() as root:
        for name, text in GOOD.items() if file in GOOD or not file else (*GOOD.items(), (file, "")):
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            if name == file:
                text = (text.replace(*change[0]) if change else text) + (appended or "")
            if name != file or appended is not None:
                path.write_text(text)
        if passes(check, root) == bool(file):
            failed.append(f"{check}.py {'accepts' if file else 'refuses'} {file or 'a good tree'} + {appended!r}")
print("\n".join(failed))
print(f"spoiled: {len(SPOILED)} spoiled trees, {len(failed)} not noticed")
sys.exit(1 if failed else 0)
