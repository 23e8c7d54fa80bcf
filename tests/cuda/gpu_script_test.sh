#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gpu_script_test.sh PROGRAM...: without a device, tests/gpu.sh must stop with a sentence before it builds anything, and
# each PROGRAM that nvcc built must skip, or fail where a device is required.
set -euo pipefail
script=$(cd "$(dirname "$0")/.." && pwd)/gpu.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for tool in bash dirname; do ln -s "$(command -v $tool)" "$folder"; done
cases=0

# stops SENTENCE [ARGUMENT...]: the script, which finds nothing but what lies in the folder.
stops() {
  local sentence=$1 said status=0
  shift
  said=$(PATH=$folder bash "$script" "$@" 2>&1) || status=$?
  cases=$((cases + 1))
  [ $status -eq 1 ] && [ "$said" = "tests/gpu.sh: $sentence" ] && return
  echo "with $status the script said: $said"
  echo "and not: $sentence"
  exit 1
}
# smi TEXT: an nvidia-smi of these lines.
smi() {
  printf '#!%s\n%s\n' "$(command -v bash)" "$1" >"$folder/nvidia-smi"
  chmod +x "$folder/nvidia-smi"
}
stops "no nvidia-smi: this machine has no GPU, or no driver for it"
stops "the scale of the task mix is a number, not 'tenth'" tenth
smi 'echo "No devices were found"; exit 6'
stops "nvidia-smi finds no GPU: No devices were found"
smi '[[ $1 == *name ]] && echo "Some GPU" || echo "[N/A]"'
stops "nvidia-smi does not tell the compute capability: [N/A]"
smi '[[ $1 == *name ]] && echo "Old GPU" || echo 7.0'
stops "Old GPU has compute capability 7.0; 7.5 is the least"

# A program sees no device by this, whatever the machine has.
export CUDA_VISIBLE_DEVICES=
for program in "$@"; do
  for required in 0 1; do
    status=0
    said=$(LLOYD_REQUIRE_GPU=$required "$program" --gtest_brief=1 2>&1) || status=$?
    cases=$((cases + 1))
    case $required$status in
      077) grep -qE 'skipped: no CUDA device, [1-9][0-9]* cases' <<<"$said" && continue ;;
      11) grep -qx 'LLOYD_REQUIRE_GPU is set and there is no CUDA device' <<<"$said" && continue ;;
    esac
    echo "$program with LLOYD_REQUIRE_GPU=$required ended with $status and said: $said"
    exit 1
  done
done
echo "gpu_script_test: $cases cases"
