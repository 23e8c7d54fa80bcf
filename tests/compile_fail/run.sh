#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh CASE COMPILER [FLAGS...]: CASE must not compile, and the compiler must say what every line "// expect: " holds.
# With -DRIGHT the same file holds the right way and must compile, so that the case fails for its own reason only.
# A line "// flags: ..." gives flags that make the wrong way; "// without: system folders" takes the folders of -isystem,
# where Eigen is, from the wrong way; "// errors: N" allows no more than N; "// only: g++" skips the case (code 77)
# elsewhere.
set -euo pipefail
export LC_ALL=C  # a character is a byte, and sentences are in English
case=$1
shift
mapfile -t sentences < <(sed -n 's|^// expect: ||p' "$case")
read -r -a wrong_flags <<<"$(sed -n 's|^// flags: ||p' "$case")"
[ ${#sentences[@]} -gt 0 ] || { echo "$case has no line '// expect: sentence'"; exit 1; }

if grep -q '^// only: g++$' "$case" && "$1" --version | grep -q clang; then
  echo "skipped: only g++ can tell"
  exit 77
fi

# Without the source lines, so that the sentence is not found in a quotation of the case itself.
no_quotations=-fno-diagnostics-show-caret
if "$1" --version | grep -q clang; then no_quotations=-fno-caret-diagnostics; fi
compile=("$@" -std=c++20 -fsyntax-only "$no_quotations")
wrong=("${compile[@]}" "${wrong_flags[@]}")
if grep -q '^// without: system folders$' "$case"; then
  wrong=()
  for ((i = 0; i < ${#compile[@]}; ++i)); do
    if [ "${compile[i]}" = -isystem ]; then i=$((i + 1)); else wrong+=("${compile[i]}"); fi
  done
  if echo '#include <Eigen/Core>' | "$1" -x c++ -std=c++20 -fsyntax-only - 2>/dev/null; then
    echo "skipped: the compiler finds Eigen by itself"
    exit 77
  fi
fi
most_bytes=50000
if printed=$("${wrong[@]}" "$case" 2>&1 | head -c $most_bytes); then
  echo "$case compiles, and should not"
  exit 1
fi
if [ ${#printed} -ge $most_bytes ]; then
  printf '%s\n\nThe compiler says more than %s bytes: who reads that?\n' "${printed::5000}" $most_bytes
  exit 1
fi
for sentence in "${sentences[@]}"; do
  grep -qF -- "$sentence" <<<"$printed" && continue
  printf '%s\n\nThe compiler does not say: %s\n' "$printed" "$sentence"
  exit 1
done
most=$(sed -n 's|^// errors: ||p' "$case")
found=$(grep -c 'error: ' <<<"$printed" || true)
if [ -n "$most" ] && [ "$found" -gt "$most" ]; then
  printf '%s\n\n%s errors, expected at most %s\n' "$printed" "$found" "$most"
  exit 1
fi
"${compile[@]}" -DRIGHT "$case" || { echo "the right way in $case does not compile either"; exit 1; }
