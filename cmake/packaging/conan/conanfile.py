# SPDX-License-Identifier: MIT
"""lloyd as a Conan 2 package of headers, made from the source tree that this recipe lies in.

    conan create cmake/packaging/conan --build=missing

find_package(lloyd) finds the library's own CMake package, so its components are those of every other way to install it.
"""
import pathlib
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy, rmdir

ROOT = pathlib.Path("..", "..", "..")  # the source tree, seen from the recipe


class LloydConan(ConanFile):
    name = "lloyd"
    description = "k-means clustering for C++20: exact labels, exact sums, the same bits for any number of threads"
    license = "MIT"
    topics = ("k-means", "clustering", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"cpu": [True, False]}
    default_options = {"cpu": True}  # False: lloyd::core alone, which needs no Eigen
    no_copy_source = True

    def set_version(self):
        header = pathlib.Path(self.recipe_folder, ROOT, "include", "lloyd", "version.hpp").read_text(encoding="utf-8")
        self.version = ".".join(re.findall(r"define LLOYD_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "cmake/*", "include/*"):
            copy(self, pattern, pathlib.Path(self.recipe_folder, ROOT), self.export_sources_folder)

    def requirements(self):
        if self.options.cpu:
            self.requires("eigen/3.4.0", transitive_headers=True)

    def validate(self):
        if self.settings.get_safe("compiler.cppstd"):
            check_min_cppstd(self, 20)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update(LLOYD_BUILD_TESTS=False, LLOYD_BUILD_EXAMPLES=False, LLOYD_INSTALL=True)
        toolchain.generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, pathlib.Path(self.package_folder, "licenses"))
        rmdir(self, pathlib.Path(self.package_folder, "share", "doc"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.builddirs = ["share/cmake/lloyd"]
        self.cpp_info.set_property("cmake_find_mode", "none")
