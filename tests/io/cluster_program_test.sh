#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs lloyd-cluster as a user would: cluster_program_test.sh PROGRAM DATA_DIR
set -u
program=$1 data=$2
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
  check "silence on stderr of: $*" test ! -s "$work/err"
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

same() { cmp -s "$1" "$2"; }
differ() { ! cmp -s "$1" "$2"; }

# --- results: three cultivars, 62 + 65 + 51 rows, the inertia that scikit-learn 1.x finds ----------------------------
fit="-k 3 --n-init 10 --tol 0 --standardize"
for type in "" --double; do
  # shellcheck disable=SC2086
  says "inertia 1277.92" "$wine" $fit $type --labels "$work/labels.csv" --centroids "$work/centroids.csv"
  check "sizes" test "$(sort "$work/labels.csv" | uniq -c | awk '{print $1}' | sort -n | tr '\n' ' ')" = "51 62 65 "
  check "a label a row" test "$(wc -l <"$work/labels.csv")" -eq 178
  check "names above the centroids" test "$(head -n 1 "$work/centroids.csv")" = "$(head -n 1 "$wine")"
  check "three centroids" test "$(wc -l <"$work/centroids.csv")" -eq 4
  check "the output has its columns" grep -q "^cluster  rows  share %  *inertia  alcohol  malic_acid " "$work/out"
  check "original units" sh -c "tail -n 3 '$work/centroids.csv' | sort | head -n 1 | grep -q '^12.250[0-9]*,1.897'"
done
says "converged" "$wine" -k 3
says "iterations, stopped at max-iter" "$wine" -k 3 --max-iter 1 --tol 0
says "Usage" --help

# --- the same bits: threads, formats, repeated runs ---------------------------------------------------------------------
for threads in 1 3; do
  says "inertia" "$wine" -k 5 --seed 7 --threads $threads --labels "$work/l$threads.npy" --centroids "$work/c$threads.npy"
done
check "labels by 1 and 3 threads" same "$work/l1.npy" "$work/l3.npy"
check "centroids by 1 and 3 threads" same "$work/c1.npy" "$work/c3.npy"
check "bytes of 178 labels" test "$(wc -c <"$work/l1.npy")" -eq $((128 + 4 * 178))
says "inertia" "$work/c1.npy" -k 5 --labels "$work/l5.csv"
check "five centroids in five clusters" test "$(sort -u "$work/l5.csv" | wc -l)" -eq 5
for init in k-means++ scalable-k-means++ random; do says "inertia" "$wine" -k 4 --init $init; done

# --- other ways of writing a table ------------------------------------------------------------------------------------
says "inertia" "$wine" -k 4 --labels "$work/expected.csv"
tr ',' ';' <"$wine" | sed 's/$/\r/' >"$work/semicolons.csv"
says "inertia" "$work/semicolons.csv" -k 4 --separator ';' --labels "$work/labels.csv"
check "semicolons and CRLF" same "$work/expected.csv" "$work/labels.csv"
tail -n +2 "$wine" | tr ',' '\t' >"$work/tabs.csv"
says "x1" "$work/tabs.csv" -k 4 --separator tab --header no --labels "$work/labels.csv"
check "tabs, no header" same "$work/expected.csv" "$work/labels.csv"
printf '1990,1991\n1,2\n3,4\n' >"$work/years.csv"
says "1990" "$work/years.csv" -k 2 --header yes
printf 'a,b\n1,5\n2,5\n9,5\n' >"$work/constant.csv"
says "inertia" "$work/constant.csv" -k 2 --standardize --centroids "$work/centroids.csv"
check "a constant column" sh -c "tail -n 2 '$work/centroids.csv' | grep -c ',5$' | grep -qx 2"

# --- refusals ---------------------------------------------------------------------------------------------------------
refuses "input is required"
refuses "nowhere.csv: no such file" nowhere.csv
refuses "nowhere.npy: no such file" nowhere.npy
refuses "\"$data\" ends neither in .csv nor in .npy" "$data"
refuses "ends neither" "$wine" --labels "$work/labels.txt"
refuses "there is no directory" "$wine" --labels "$work/none/labels.csv"
refuses "would overwrite" "$work/years.csv" --labels "$work/years.csv"
refuses "would overwrite" "$wine" --labels "$work/a.csv" --centroids "$work/./a.csv"
refuses "separator is one character or tab" "$wine" --separator ,,
refuses "separator" "$wine" --separator 1
refuses "init" "$wine" --init best
refuses "header" "$wine" --header maybe
refuses "clusters" "$wine" -k many
refuses "not expected" "$wine" --colour
refuses "n_clusters" "$wine" -k 0
refuses "n_clusters" "$wine" -k 179
refuses "max_iter" "$wine" --max-iter -1
refuses "tol" "$wine" --tol -1
refuses "n_init" "$wine" --n-init 0
refuses "threads" "$wine" --threads -1
refuses 'line 1, column 1: "alcohol", expected a number' "$wine" --header no
printf 'a,b\n1,2\n3\n' >"$work/ragged.csv"
refuses "line 3 has 1 column, expected 2" "$work/ragged.csv" -k 1
printf 'a,b\n1,2\n3,nan\n' >"$work/nan.csv"
refuses "x(1, 1) is nan" "$work/nan.csv" -k 1
refuses "row 1 of column b is not finite" "$work/nan.csv" -k 1 --standardize
: >"$work/empty.csv"
refuses "the file is empty" "$work/empty.csv" -k 1
: >"$work/empty.npy"
refuses "the file is empty" "$work/empty.npy" -k 1
head -c 200 "$work/l1.npy" >"$work/integers.npy"
refuses "holds integers" "$work/integers.npy" -k 1
head -c 200 "$work/c1.npy" >"$work/cut.npy"
refuses "needs 260 bytes after the header, found 72" "$work/cut.npy" -k 1
refuses "holds float32" "$work/c1.npy" -k 1 --double

# --- nothing half written: an output that fails leaves what was there, and no other file -----------------------------
mkdir "$work/outputs"
echo kept >"$work/outputs/labels.csv"
refuses "n_clusters" "$wine" -k 0 --labels "$work/outputs/labels.csv"
mkdir "$work/outputs/centroids.csv"
refuses "is a directory" "$wine" -k 2 --centroids "$work/outputs/centroids.csv"
check "the old file" test "$(cat "$work/outputs/labels.csv")" = kept
check "no other file" test "$(find "$work/outputs" -type f | wc -l)" -eq 1
if test -c /dev/full; then
  "$program" "$wine" -k 2 >/dev/full 2>"$work/err"
  check "exit code when the output is full" test $? -eq 1
  check "the output is full" grep -q "^lloyd-cluster: the output cannot be written" "$work/err"
else
  echo "SKIPPED: no /dev/full here"
fi

echo "$checks checks, $failures failed"
test $failures -eq 0
