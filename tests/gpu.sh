#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Everything that needs a GPU, on a machine that has one: the CUDA suites with LLOYD_REQUIRE_GPU=1, compute-sanitizer's
# four tools on small cases, the example, and the task mix, timed. What it finds goes to build/gpu/<device>.
#   bash tests/gpu.sh [SCALE]     SCALE: of the rows of the task mix, 0.1
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/support/install.sh
scale=${1:-0.1}

command -v nvidia-smi >/dev/null || { echo "no nvidia-smi: this machine has no GPU"; exit 1; }
name=$(nvidia-smi --query-gpu=name --format=csv,noheader --id=0)
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader --id=0)
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc: install a CUDA toolkit, 12 or later"; exit 1; }
lloyd_need g++=g++ cmake=cmake ninja-build=ninja python3=python3 libeigen3-dev=/usr/include/eigen3/Eigen/Core \
  libgtest-dev=/usr/include/gtest/gtest.h libgmock-dev=/usr/include/gmock/gmock.h

build=build/gpu-${capability/./}
results=build/gpu/${name// /-}
mkdir -p "$results"
nvidia-smi >"$results/nvidia-smi.txt"
"$nvcc" --version | tail -2 >"$results/nvcc.txt"
git rev-parse HEAD >"$results/commit.txt" 2>/dev/null || true

cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DLLOYD_BUILD_EXAMPLES=OFF -DLLOYD_CUDA_CPU=OFF \
  "-DLLOYD_CUDA_ARCHITECTURES=${capability/./}" "-DCMAKE_CUDA_COMPILER=$nvcc" >"$results/configure.txt"
cmake --build "$build" --target lloyd_gpu
failed=0
# check NAME COMMAND...: its output is kept; a failure is told at the end.
check() {
  local name=$1
  shift
  printf '%-40s ' "$name"
  if "$@" >"$results/$name.txt" 2>&1; then echo ok; else echo "FAILED, see $results/$name.txt"; failed=1; fi
}

export LLOYD_REQUIRE_GPU=1
programs=("$build"/tests/cuda/lloyd_*_device)
for program in "${programs[@]}"; do
  check "$(basename "$program")" "$program" --gtest_brief=1
done
sanitizer=$(command -v compute-sanitizer || echo "$(dirname "$nvcc")/compute-sanitizer")
for tool in memcheck racecheck initcheck synccheck; do
  check "$tool" "$sanitizer" --tool "$tool" --error-exitcode 1 "$build/tests/cuda/lloyd_cuda_backend_device" \
    --gtest_brief=1 "--gtest_filter=*Tiny*:*RowsSorted*:*Accumulate*:*Farthest*"
done
check example "$build/tests/cuda/lloyd_gpu_example"
check task_mix "$build/tests/cuda/lloyd_gpu_mix" "$scale"
echo "what was found: $results"
exit $failed
