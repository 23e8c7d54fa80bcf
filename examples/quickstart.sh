#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# From nothing to a clustering: installs what is missing (Debian, as root), builds the example and runs it.
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/support/install.sh
lloyd_need g++=g++ cmake=cmake make=make libeigen3-dev=/usr/include/eigen3/Eigen/Core \
  libcli11-dev=/usr/include/CLI/CLI.hpp

echo "Building the program, which takes two to six minutes on two cores the first time."
build=build/quickstart
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DLLOYD_BUILD_TESTS=OFF >/dev/null
cmake --build "$build" --target lloyd-cluster -j "$(nproc)"

echo
echo "\$ $build/examples/lloyd-cluster examples/data/wine.csv --standardize -k 3"
"$build/examples/lloyd-cluster" examples/data/wine.csv --standardize -k 3
echo
echo "A table of your own: $PWD/$build/examples/lloyd-cluster mine.csv -k 3"
echo "(fit --help names the options; docs/program.md shows how to choose k, label other rows, and reduce pictures to few"
echo "colours)"
