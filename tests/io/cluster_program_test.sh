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
  says "total inertia 1277.92" "$wine" $fit $type --labels "$work/labels.csv" --centroids "$work/centroids.csv"
  check "sizes" test "$(sort "$work/labels.csv" | uniq -c | awk '{print $1}' | sort -n | tr '\n' ' ')" = "51 62 65 "
  check "a label a row" test "$(wc -l <"$work/labels.csv")" -eq 178
  check "names above the centroids" test "$(head -n 1 "$work/centroids.csv")" = "$(head -n 1 "$wine")"
  check "three centroids" test "$(wc -l <"$work/centroids.csv")" -eq 4
  check "the output has its columns" grep -q "^cluster  rows  share %  inertia (standardised)  alcohol  malic_acid " "$work/out"
  check "the unit of the inertia" grep -q "^total inertia 1277.92[0-9]* (standardised), " "$work/out"
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
tr ',' '\t' <"$wine" >"$work/wine.tsv"
says "inertia" "$work/wine.tsv" -k 4 --labels "$work/labels.tsv" --centroids "$work/centroids.tsv"
check "a .tsv file" same "$work/expected.csv" "$work/labels.tsv"
check "tabs in a .tsv of centroids" test "$(head -n 1 "$work/centroids.tsv")" = "$(head -n 1 "$work/wine.tsv")"
says "inertia" "$work/wine.tsv" -k 4 --centroids "$work/centroids.csv"
check "commas in a .csv of centroids" test "$(head -n 1 "$work/centroids.csv")" = "$(head -n 1 "$wine")"
cp "$work/semicolons.csv" "$work/semicolons.tsv"
says "inertia" "$work/semicolons.tsv" -k 4 --separator ';' --labels "$work/labels.csv"
check "a .tsv with semicolons" same "$work/expected.csv" "$work/labels.csv"

# --- some of the columns ----------------------------------------------------------------------------------------------
cut -d , -f 2-5,8 "$wine" >"$work/cut.csv"
says "inertia" "$work/cut.csv" -k 4 --labels "$work/expected.csv" --centroids "$work/expected_centroids.csv"
for choice in "--columns 2-5,8" "--skip-columns 1,6-7,9-13" "--columns 8,2-5,2" "--columns 1-5,8 --skip-columns 1"; do
  # shellcheck disable=SC2086
  says "inertia  malic_acid " "$wine" -k 4 $choice --labels "$work/labels.csv" --centroids "$work/centroids.csv"
  check "labels of $choice" same "$work/expected.csv" "$work/labels.csv"
  check "centroids of $choice" same "$work/expected_centroids.csv" "$work/centroids.csv"
done
printf 'who,a,b\n"Ada, first",1,2\n,3,4\nBob,5,6\n' >"$work/text.csv"
says "inertia  a  b" "$work/text.csv" -k 3 --skip-columns 1
tail -n +2 "$work/text.csv" >"$work/text_alone.csv"
says "inertia  x2  x3" "$work/text_alone.csv" -k 3 --skip-columns 1
printf 'a,b\n1,5\n2,5\n9,5\n' >"$work/constant.csv"
says "inertia" "$work/constant.csv" -k 2 --standardize --centroids "$work/centroids.csv"
check "a constant column" sh -c "tail -n 2 '$work/centroids.csv' | grep -c ',5$' | grep -qx 2"

# Columns far from zero: x1 is 1e15 + {0, 1}, and decides as much as x2 does.
awk 'BEGIN { for (i = 0; i < 4000; ++i) printf "%.0f,%d\n", 1000000000000000 + i % 2, i % 2 * 5 }' >"$work/far.csv"
awk 'BEGIN { for (i = 0; i < 4000; ++i) printf "%d,%d\n", i % 2, i % 2 * 5 }' >"$work/here.csv"
for table in far here; do
  says "total inertia 8000 (standardised)" "$work/$table.csv" -k 1 --double --standardize --centroids "$work/$table.csv.csv"
done
check "the mean at 1e15" test "$(cat "$work/far.csv.csv")" = "1000000000000000.5,2.5"
check "the mean" test "$(cat "$work/here.csv.csv")" = "0.5,2.5"

# --- refusals ---------------------------------------------------------------------------------------------------------
refuses "input is required"
refuses "nowhere.csv: no such file" nowhere.csv
refuses "nowhere.npy: no such file" nowhere.npy
refuses "\"$data\" does not end in .csv, .tsv or .npy" "$data"
refuses "does not end in" "$wine" --labels "$work/labels.txt"
refuses "there is no directory" "$wine" --labels "$work/none/labels.csv"
refuses "would overwrite" "$work/years.csv" --labels "$work/years.csv"
refuses "would overwrite" "$wine" --labels "$work/a.csv" --centroids "$work/./a.csv"
refuses "separator is one character or tab" "$wine" --separator ,,
refuses "separator" "$wine" --separator 1
refuses "separator is one character or tab" "$wine" --separator ""
refuses "init" "$wine" --init best
refuses "header" "$wine" --header maybe
refuses "clusters" "$wine" -k many
refuses "not expected" "$wine" --colour
refuses "-k/--clusters: 179, expected at most 178 as .*wine.csv\" has rows" "$wine" -k 179
refuses "--clusters: 0, expected at least 1" "$wine" -k 0
refuses "--max-iter: -1, expected at least 0" "$wine" --max-iter -1
refuses "--tol: -1, expected at least 0" "$wine" --tol -1
refuses "--tol: nan, expected at least 0" "$wine" --tol nan
refuses "--n-init: 0, expected at least 1" "$wine" --n-init 0
refuses "--threads: -1, expected at least 0" "$wine" --threads -1
refuses "--seed: -1, expected at least 0" "$wine" --seed -1
refuses "--seed: 18446744073709551616, expected at most 18446744073709551615" "$wine" --seed 18446744073709551616
says "inertia" "$wine" --seed 18446744073709551615
refuses "seed" "$wine" --seed 1.5
refuses "--clusters: 99999999999999999999, expected at most 9223372036854775807" "$wine" -k 99999999999999999999
refuses "--n-init: 9223372036854775808, expected at most 9223372036854775807" "$wine" --n-init 9223372036854775808
refuses "--max-iter: 99999999999999999999, expected at most 9223372036854775807" "$wine" --max-iter 99999999999999999999
refuses "--threads: 2147483648, expected at most 2147483647" "$wine" --threads 2147483648
refuses 'line 1, column 1: "alcohol", expected a number (--header yes if line 1 holds names)' "$wine" --header no
refuses 'line 2, column 1: "Ada, first", expected a number (--skip-columns leaves a column of text out' "$work/text.csv"
refuses 'line 1, column 1: "Ada, first", expected a number (--skip-columns' "$work/text_alone.csv"
for list in , 0 2- -2 2-1 1,,2 1, a 1-2-3 "1 2" 1.5 99999999999999999999; do
  refuses "--columns: \"$list\", expected columns from 1, such as 2-5,8" "$wine" "--columns=$list"
  refuses "--skip-columns: \"$list\", expected columns from 1, such as 2-5,8" "$wine" "--skip-columns=$list"
done
refuses "--columns: \"\", expected columns from 1" "$wine" --columns ""
refuses "column 14 is wanted, but line 1 has 13 columns" "$wine" --columns 2,3-14
refuses "column 14 is to be skipped, but line 1 has 13 columns" "$wine" --skip-columns 14
refuses "every column that is wanted is to be skipped" "$wine" --skip-columns 1-13
refuses "are for .csv and .tsv files" "$work/c1.npy" -k 1 --columns 1
printf 'a,b\n1,2\n3\n' >"$work/ragged.csv"
refuses "line 3 has 1 column, expected 2" "$work/ragged.csv" -k 1
printf 'a,b\n1,2\n3,nan\n' >"$work/nan.csv"
refuses "nan.csv: line 3, column 2 is nan, expected a finite number" "$work/nan.csv" -k 1
refuses "nan.csv: line 3, column 2 is nan, expected a finite number" "$work/nan.csv" -k 1 --standardize
refuses "nan.csv: line 3, column 2 is nan" "$work/nan.csv" -k 1 --columns 2
printf '1,2\n3,-inf\n' >"$work/inf.csv"
refuses "inf.csv: line 2, column 2 is -inf, expected a finite number" "$work/inf.csv" -k 1
printf '1,2\n3,1e200\n' >"$work/large.csv"
refuses "line 2, column 2 is 1e+200, expected a finite number within 2^500 of zero" "$work/large.csv" -k 1 --double
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
refuses "clusters" "$wine" -k 179 --labels "$work/outputs/labels.csv"
mkdir "$work/outputs/centroids.csv"
refuses "--centroids: .*centroids.csv: is a directory, expected the name of a file" \
  "$wine" -k 2 --labels "$work/outputs/labels.csv" --centroids "$work/outputs/centroids.csv"
refuses "is a directory" "$wine" -k 179 --centroids "$work/outputs/centroids.csv"  # before the rows are read
if test -c /dev/full; then
  ln -s /dev/full "$work/full.csv"
  refuses "full.csv: writing failed" "$wine" -k 2 --labels "$work/outputs/labels.csv" --centroids "$work/full.csv"
fi
if test -d /proc/self; then
  refuses "--labels: /proc/self/labels.csv: cannot be written" "$wine" -k 179 --labels /proc/self/labels.csv
fi
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
