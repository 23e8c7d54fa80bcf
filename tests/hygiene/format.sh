#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every C++ file as clang-format 14 writes it. `format.sh -i` rewrites instead of complaining.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v clang-format-14 >/dev/null && tool=clang-format-14 || tool=clang-format
git ls-files -z --cached --others --exclude-standard -- '*.hpp' '*.cpp' '*.cuh' '*.cu' |
  xargs -0 --no-run-if-empty "$tool" "${1:---dry-run}" -Werror
