#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every C++ file as clang-format 14 writes it. `format.sh -i` rewrites instead of complaining.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v clang-format-14 >/dev/null && tool=clang-format-14 || tool=clang-format
mapfile -d '' files < <(git ls-files -z --cached --others --exclude-standard -- '*.hpp' '*.cpp' '*.cuh' '*.cu')
if [ "${1:-}" = -i ]; then exec "$tool" -i "${files[@]}"; fi

# What it would write is compared here: its own --dry-run complains of closing comments of `namespace a::inline b` that
# are as it writes them.
status=0
for file in "${files[@]}"; do
  "$tool" "$file" | diff -u --label "$file" --label "$file, formatted" "$file" - || status=1
done
exit $status
