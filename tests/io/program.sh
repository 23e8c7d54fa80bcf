#!/bin/sh
# SPDX-License-Identifier: MIT
# Sourced by the tests of lloyd-cluster: NAME_program_test.sh PROGRAM DATA_DIR PYTHON
set -u
program=$1 data=$2 python=$3
wine=$data/wine.csv
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0 checks=0

check() {  # check WHAT COMMAND...: the command succeeds
  what=$1; shift
  checks=$((checks + 1))
  "$@" || { failures=$((failures + 1)); echo "FAILED: $what"; }
}

says() {  # says WHAT ARGUMENTS...: exit code 0, nothing on stderr, and a line of the output has this text
  text=$1; shift
  "$program" "$@" >"$work/out" 2>"$work/err"
  check "exit code of: $*" test $? -eq 0
  check "silence on stderr of: $* (it said: $(cat "$work/err"))" test ! -s "$work/err"
  check "\"$text\" in the output of: $*" grep -qF -e "$text" "$work/out"
}

refuses() {  # refuses TEXT ARGUMENTS...: exit code 1, nothing on stdout, one line on stderr, which has this text
  text=$1; shift
  "$program" "$@" >"$work/out" 2>"$work/err"
  check "exit code of: $*" test $? -eq 1
  check "silence on stdout of: $*" test ! -s "$work/out"
  check "one line on stderr of: $*" test "$(wc -l <"$work/err")" -eq 1
  check "\"lloyd-cluster: ...$text\" from: $* (it said: $(cat "$work/err"))" grep -q "^lloyd-cluster: .*$text" "$work/err"
}

warns() {  # warns TEXT ARGUMENTS...: exit code 0, and one line on stderr, which has this text
  text=$1; shift
  "$program" "$@" >"$work/out" 2>"$work/err"
  check "exit code of: $*" test $? -eq 0
  check "one line on stderr of: $*" test "$(wc -l <"$work/err")" -eq 1
  check "\"$text\" from: $* (it said: $(cat "$work/err"))" grep -qF -e "$text" "$work/err"
}

advises() {  # advises TEXT ARGUMENTS...: exit code 1, and one line on stderr, which has this text, not a pattern
  text=$1; shift
  "$program" "$@" >"$work/out" 2>"$work/err"
  check "exit code of: $*" test $? -eq 1
  check "silence on stdout of: $*" test ! -s "$work/out"
  check "one line on stderr of: $*" test "$(wc -l <"$work/err")" -eq 1
  check "\"$text\" from: $* (it said: $(cat "$work/err"))" grep -qF -e "$text" "$work/err"
}

same() { cmp -s "$1" "$2"; }
differ() { ! cmp -s "$1" "$2"; }

finish() {  # the last line of a test
  echo "$checks checks, $failures failed"
  test $failures -eq 0
}
