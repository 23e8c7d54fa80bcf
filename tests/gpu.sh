#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Everything that needs a GPU, on a machine that has one: the CUDA suites with LLOYD_REQUIRE_GPU=1, compute-sanitizer's
# four tools on small cases, the example, and the task mix, timed. What it finds goes to build/gpu/<device>, a file for
# each check. It ends with 1 when a check fails, and when there is no device.
#   bash tests/gpu.sh [SCALE]     SCALE: of the rows of the task mix, 0.1
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/support/install.sh
scale=${1:-0.1}

stop() {
  echo "tests/gpu.sh: $1" >&2
  exit 1
}
[[ $scale =~ ^[0-9]*\.?[0-9]+$ ]] || stop "the scale of the task mix is a number, not '$scale'"
command -v nvidia-smi >/dev/null || stop "no nvidia-smi: this machine has no GPU, or no driver for it"
# What the first GPU says of itself; CUDA and nvidia-smi must mean the same one.
export CUDA_DEVICE_ORDER=PCI_BUS_ID
ask() { nvidia-smi "--query-gpu=$1" --format=csv,noheader --id=0 2>&1; }
name=$(ask name) || stop "nvidia-smi finds no GPU: $name"
capability=$(ask compute_cap) || stop "nvidia-smi does not tell the compute capability: $capability"
[[ $capability =~ ^[0-9]+\.[0-9]$ ]] || stop "nvidia-smi does not tell the compute capability: $capability"
[ "${capability/./}" -ge 75 ] || stop "$name has compute capability $capability; 7.5 is the least"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || stop "no nvcc: install a CUDA toolkit, 12 or later"
sanitizer=$(command -v compute-sanitizer || echo "$(dirname "$nvcc")/compute-sanitizer")
lloyd_need g++=g++ cmake=cmake ninja-build=ninja python3=python3 libeigen3-dev=/usr/include/eigen3/Eigen/Core \
  libgtest-dev=/usr/include/gtest/gtest.h libgmock-dev=/usr/include/gmock/gmock.h

build=build/gpu-${capability/./}
results=build/gpu/${name//[^[:alnum:].-]/-}
mkdir -p "$results"
nvidia-smi >"$results/nvidia-smi.txt"
"$nvcc" --version | tail -2 >"$results/nvcc.txt"
git rev-parse HEAD >"$results/commit.txt" 2>/dev/null || true

cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DLLOYD_BUILD_EXAMPLES=OFF -DLLOYD_CUDA_CPU=OFF \
  "-DLLOYD_CUDA_ARCHITECTURES=${capability/./}" "-DCMAKE_CUDA_COMPILER=$nvcc" >"$results/configure.txt"
cmake --build "$build" --target lloyd_gpu
failed=0
# check NAME COMMAND...: its output is kept, and a failure told at the end. Of a suite its counts are shown too.
check() {
  local name=$1 file=$results/$1.txt
  shift
  printf '%-40s ' "$name"
  if "$@" >"$file" 2>&1; then echo ok; else echo "FAILED, see $file"; failed=1; fi
  sed -nE 's/^\[  (PASSED|SKIPPED|FAILED ) \] ([0-9]+ tests?).*/    \1 \2/p' "$file"
}

export LLOYD_REQUIRE_GPU=1
programs=("$build"/tests/cuda/lloyd_*_device)
for program in "${programs[@]}"; do
  check "$(basename "$program")" "$program"
done
for tool in memcheck racecheck initcheck synccheck; do
  if [ ! -x "$sanitizer" ]; then
    echo "$tool: FAILED, there is no compute-sanitizer beside nvcc"
    failed=1
    continue
  fi
  check "$tool" "$sanitizer" --tool "$tool" --error-exitcode 1 "$build/tests/cuda/lloyd_cuda_backend_device" \
    "--gtest_filter=*Tiny*:*RowsSorted*:*Accumulate*:*Farthest*"
done
check example "$build/tests/cuda/lloyd_gpu_example"
check task_mix "$build/tests/cuda/lloyd_gpu_mix" "$scale"
echo "what was found: $results"
exit $failed
