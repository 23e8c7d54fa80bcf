#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# same_bits.sh PROGRAM...: all of them, with one thread and with three, must succeed and print the same.
set -euo pipefail
first=$(OMP_NUM_THREADS=1 "$1")
[ -n "$first" ] || { echo "$1 prints nothing"; exit 1; }
for program in "$@"; do
  for threads in 1 3; do
    diff <(printf '%s\n' "$first") <(OMP_NUM_THREADS=$threads "$program") || {
      echo "$program with $threads threads differs from $1 with one"
      exit 1
    }
  done
done
echo "$# programs print the same $(wc -l <<<"$first") lines"
