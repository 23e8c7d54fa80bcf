#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds and runs the tests, on a bare Debian 12 too: what is missing is installed first.
#   bash tests/run.sh [--preset NAME] [--quick]
#     --preset NAME   one of dev, release (the default), clang, asan, ubsan, tsan, fuzz: see CMakePresets.json
#     --quick         the unit tests alone
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/support/install.sh

preset=release quick=
while [ $# -gt 0 ]; do
  case $1 in
    --preset) preset=${2:?--preset needs a name}; shift ;;
    --quick) quick=1 ;;
    *) sed -n '3,6s/^# \?//p' "$0"; exit 2 ;;
  esac
  shift
done

case $preset in
  dev | release | clang | asan | ubsan | tsan | fuzz) ;;
  *) echo "$0: --preset $preset has no tests; see the list in its first lines" >&2; exit 2 ;;
esac

needs=(g++=g++ cmake=cmake ninja-build=ninja python3=python3 libcli11-dev=/usr/include/CLI/CLI.hpp
  libeigen3-dev=/usr/include/eigen3/Eigen/Core libgtest-dev=/usr/include/gtest/gtest.h
  libgmock-dev=/usr/include/gmock/gmock.h)
case $preset in
  clang | asan | tsan | fuzz)
    needs+=(clang=clang++ libomp-dev='/usr/lib/llvm-*/lib/libomp.so'
      libclang-rt-dev='/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.asan-*.a') ;;
esac
lloyd_need "${needs[@]}"
lloyd_want libpng-dev=/usr/include/png.h libjpeg-dev=/usr/include/jpeglib.h pkg-config=pkg-config \
  dpkg-dev=dpkg-shlibdeps file=file doxygen=doxygen doxygen-awesome-css=/usr/share/doxygen-awesome-css/doxygen-awesome.css

generator=()
command -v ninja >/dev/null || generator=(-G "Unix Makefiles")
cmake --preset "$preset" "${generator[@]}"
build=build/$preset
rm -rf "$build/results"
mkdir -p "$build/results"
cmake --build --preset "$preset" -j "$(nproc)" ${quick:+--target lloyd_unit_tests}

status=0
ctest --preset "$preset" ${quick:+-L unit} || status=$?
if compgen -G "$build/results/*.xml" >/dev/null; then python3 tests/support/summary.py "$build/results"; fi
[ $status -eq 0 ] || echo "tests failed: see above"
exit $status
