# SPDX-License-Identifier: MIT
"""recipes.py ROOT: the recipes of cmake/packaging and CITATION.cff are well formed, of this version, and true."""
import ast
import json
import pathlib
import py_compile
import re
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
PACKAGING = ROOT / "cmake" / "packaging"
complaints, looked_at = [], 0


def expect(holds, sentence):
    global looked_at
    looked_at += 1
    if not holds:
        complaints.append(sentence)


header = (ROOT / "include/lloyd/version.hpp").read_text()
version = ".".join(re.findall(r"define LLOYD_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))
expect(re.fullmatch(r"\d+\.\d+\.\d+", version), f"version.hpp says '{version}'")

# --- vcpkg -------------------------------------------------------------------------------------------------------------
port = PACKAGING / "vcpkg" / "lloyd"
manifest = json.loads((port / "vcpkg.json").read_text())
expect(manifest["name"] == port.name, f"vcpkg.json is of {manifest['name']}, in the folder {port.name}")
expect(manifest["version-semver"] == version, f"vcpkg.json is of {manifest['version-semver']}, the library of {version}")
expect(manifest["license"] == "MIT" and (ROOT / "LICENSE").read_text().startswith("MIT"), "the licences differ")
expect(set(manifest) <= {"name", "version-semver", "description", "license", "supports", "dependencies", "features"},
       f"vcpkg.json has {sorted(manifest)}")
portfile = (port / "portfile.cmake").read_text()
for feature in manifest["features"]:
    expect(re.search(rf"^    {feature} LLOYD_\w+", portfile, re.M), f"portfile.cmake has no option for {feature}")
for name in re.findall(r"\$\{CMAKE_CURRENT_LIST_DIR\}/([\w./-]+)", portfile):
    expect((port / name).exists(), f"portfile.cmake names {name}")
for name in re.findall(r"\$\{SOURCE_PATH\}/([\w./-]+)", portfile):
    expect((ROOT / name).exists(), f"portfile.cmake names {name}")
for target in re.findall(r"lloyd::\w+", (port / "usage").read_text()):
    name = target.split("::")[1]
    expect(f"EXPORT_NAME {name})" in (ROOT / "CMakeLists.txt").read_text(), f"usage names {target}")

# --- Conan -------------------------------------------------------------------------------------------------------------
recipes = sorted(PACKAGING.glob("conan/**/conanfile.py"))
expect(len(recipes) == 2, f"{len(recipes)} recipes of Conan")
for recipe in recipes:
    with tempfile.TemporaryDirectory() as folder:
        try:
            py_compile.compile(str(recipe), cfile=f"{folder}/recipe.pyc", doraise=True)
            expect(True, "")
        except py_compile.PyCompileError as error:
            expect(False, str(error))
tree = ast.parse(recipes[0].read_text())
text = recipes[0].read_text()
patterns = next(ast.literal_eval(node.iter) for node in ast.walk(tree)
                if isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple))
for pattern in patterns:
    expect(any(ROOT.glob(pattern)), f"conanfile.py exports {pattern}")
expect("version.hpp" in text and not re.search(r"^    version = ", text, re.M), "conanfile.py has a version of its own")
for option in re.findall(r"LLOYD_[A-Z]+(?:_[A-Z]+)*(?==)", text):
    expect(f"option({option} " in (ROOT / "CMakeLists.txt").read_text(), f"conanfile.py sets {option}")
eigen = re.search(r"eigen/(\S+?)\"", text).group(1)
expect(eigen == manifest["dependencies"][0]["version>="], f"conanfile.py wants Eigen {eigen}, vcpkg.json another")

# --- CITATION.cff ------------------------------------------------------------------------------------------------------
citation = (ROOT / "CITATION.cff").read_text()
keys = re.findall(r"^([a-z-]+):", citation, re.M)
for key in ("cff-version", "message", "title", "authors", "version", "date-released", "license"):
    expect(keys.count(key) == 1, f"CITATION.cff says {key} {keys.count(key)} times")
changes = re.search(r"^## \[?(\S+?)\]? - (\d{4}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
expect(changes and f"date-released: {changes[2]}\n" in citation, "CITATION.cff and CHANGELOG.md differ in the date")

for complaint in complaints:
    print(complaint)
print(f"recipes: {looked_at} looked at, {len(complaints)} complaints")
sys.exit(1 if complaints else 0)
