#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# conan.sh ROOT WORK: `conan create` with and without Eigen, in a Conan home of its own and without a network: Eigen is
# the system's. Skipped (77) where there is no Conan 2.
set -euo pipefail
root=$1 work=$2
if ! command -v conan >/dev/null || ! conan --version | grep -q "version 2"; then
  echo "skipped: there is no Conan 2"
  exit 77
fi
rm -rf "$work"
mkdir -p "$work"
export CONAN_HOME=$work/home
conan profile detect
conan remote disable '*'
profile=$(conan profile path default)
sed -i 's/^compiler.cppstd=.*/compiler.cppstd=20/; s/^build_type=.*/build_type=Debug/' "$profile"
printf '[platform_requires]\neigen/3.4.0\n' >>"$profile"
for cpu in True False; do
  conan create "$root/cmake/packaging/conan" -o "lloyd/*:cpu=$cpu" -c tools.build:jobs=1 \
    -c "tools.cmake.cmake_layout:test_folder=$work/test_$cpu" 2>&1 | tee "$work/$cpu.log"
  grep -qx "inertia 4" "$work/$cpu.log"
done
