#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs lloyd-cluster fit as a user would: fit_program_test.sh PROGRAM DATA_DIR PYTHON
. "$(dirname "$0")/program.sh"

# --- results: three cultivars, 62 + 65 + 51 rows, the inertia that scikit-learn 1.x finds -----------------------------
fit="-k 3 --n-init 10 --tol 0 --standardize"
for type in "" --double; do
  # shellcheck disable=SC2086
  says "total inertia 1277.92" "$wine" $fit $type --labels "$work/labels.csv" --centroids "$work/centroids.csv"
  check "sizes" test "$(tail -n +2 "$work/labels.csv" | sort | uniq -c | awk '{print $1}' | sort -n | tr '\n' ' ')" = "51 62 65 "
  check "a name above the labels" test "$(head -n 1 "$work/labels.csv")" = cluster
  check "a label a row" test "$(wc -l <"$work/labels.csv")" -eq 179
  check "names above the centroids" test "$(head -n 1 "$work/centroids.csv")" = "$(head -n 1 "$wine")"
  check "three centroids" test "$(wc -l <"$work/centroids.csv")" -eq 4
  check "the output has its columns" grep -q "^cluster  rows  share %  inertia (standardised)  alcohol  malic_acid " "$work/out"
  check "the unit of the inertia" grep -q "^total inertia 1277.92[0-9]* (standardised), " "$work/out"
  check "original units" sh -c "tail -n 3 '$work/centroids.csv' | sort | head -n 1 | grep -q '^12.250[0-9]*,1.897'"
done
says "converged" "$wine" -k 3
says "1 iteration, stopped at max-iter" "$wine" -k 3 --max-iter 1 --tol 0
says "Usage" --help
for command in fit predict sweep quantize; do
  says "Usage" $command --help
  check "no default of a flag in the help of $command" sh -c "! grep -q '{false}' '$work/out'"
done

# --- the same bits: threads, formats, repeated runs -------------------------------------------------------------------
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
says "inertia" "$wine" --n-clusters 4 --labels "$work/labels.csv"
check "the long name of -k" same "$work/expected.csv" "$work/labels.csv"
tr ',' ';' <"$wine" | sed 's/$/\r/' >"$work/semicolons.csv"
says "inertia" "$work/semicolons.csv" -k 4 --separator ';' --labels "$work/labels.csv"
check "semicolons and CRLF" same "$work/expected.csv" "$work/labels.csv"
tail -n +2 "$wine" | tr ',' '\t' >"$work/tabs.csv"
says "x1" "$work/tabs.csv" -k 4 --separator tab --header no --labels "$work/labels.csv"
tail -n +2 "$work/expected.csv" >"$work/expected_alone.csv"
check "tabs, no header" same "$work/expected_alone.csv" "$work/labels.csv"
paste -d , "$wine" "$work/expected.csv" >"$work/joined.csv"
check "labels beside their rows" test "$(tail -n 1 "$work/joined.csv")" = "$(tail -n 1 "$wine"),$(tail -n 1 "$work/expected.csv")"
says "cluster  nonflavanoid_phenols" "$work/joined.csv" -k 4 --columns cluster,nonflavanoid_phenols
printf 'a,"b, c",d e\n1,2,3\n3,4,5\n' >"$work/commas_in_names.csv"
says "d e" "$work/commas_in_names.csv" -k 2 --weights '"b, c"'
says "d e" "$work/commas_in_names.csv" -k 2 --weights 'b, c'
says "b, c  d e" "$work/commas_in_names.csv" -k 2 --columns ' "b, c" ,d e'
says " a  d e" "$work/commas_in_names.csv" -k 2 --skip-columns '"b, c"'
says " a  d e" "$work/commas_in_names.csv" -k 2 --columns '1, 3'
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

# --- columns that float cannot hold -----------------------------------------------------------------------------------
printf 'ts,a\n1700000001,1\n1700000003,1\n1700000100,5\n' >"$work/times.csv"
for command in fit sweep; do
  warns "column ts goes from 1700000000 to 1700000128, where float takes steps of 128; --double keeps its digits" \
    $command "$work/times.csv" -k 2
  says "" $command "$work/times.csv" -k 2 --double
  says "" $command "$work/times.csv" -k 2 --columns a
done
printf '1700000001\n1700000003\n' >"$work/one_time.csv"
warns "column 1 holds 1700000001 and 1700000003, where float takes steps of 128" "$work/one_time.csv" -k 1
printf '2001.001\n2001.002\n' >"$work/near.csv"
warns "column 1 goes from 2001.000977 to 2001.001953" "$work/near.csv" -k 2
printf '0.1,2019,4194303,-3\n0.1,2020,4194302,5e9\n' >"$work/far.csv"
says "" "$work/far.csv" -k 2 --standardize

# --- columns and lines that are likely something else ------------------------------------------------------------------
seq 7 20 | sed 's/.*/&,&00/; s/,1[0-9]/,3/' >"$work/rows_of_ids.csv"
(echo ",a"; cat "$work/rows_of_ids.csv") >"$work/ids.csv"
for command in fit sweep; do
  warns "ids.csv: column 1 numbers the rows from 7 to 20; --skip-columns 1 leaves it out" \
    $command "$work/ids.csv" -k 2 --standardize
  says "" $command "$work/ids.csv" -k 2 --skip-columns 1
  says "" $command "$work/ids.csv" -k 2 --columns 1,2 --standardize
done
(cat "$work/ids.csv"; echo 20,1) >"$work/no_ids.csv"
says "" "$work/no_ids.csv" -k 2 --standardize
printf '2019,2020,2021\n1,2,3\n4,5,6\n' >"$work/only_years.csv"
warns "line 1 goes from 2019 to 2021 and is taken for a row; --header yes takes it for names" "$work/only_years.csv" -k 2
says "2020" "$work/only_years.csv" -k 2 --header yes
says "" "$work/only_years.csv" -k 2 --header no
says "2021" "$work/only_years.csv" -k 2 --header yes --columns '"2021","2019"'
check "columns by quoted numbers" grep -q "inertia *2021 *2019$" "$work/out"
refuses "column 2021 is wanted, but line 1 has 3 columns (quotes make a name of it: '\"2021\"')" "$work/only_years.csv" \
  --header yes --columns 2021
printf 'a,b,c\n1,2,500\n2,1,0\n1,1,100\n' >"$work/wide.csv"
warns "column c spans 500, every other at most 1, so that it decides alone; --standardize lets all count alike" \
  "$work/wide.csv" -k 2
says "" "$work/wide.csv" -k 2 --standardize
says "" "$work/wide.csv" -k 2 --columns c
says "" "$work/wide.csv" -k 2 --columns a,b

# --- some of the columns ----------------------------------------------------------------------------------------------
cut -d , -f 2-5,8 "$wine" >"$work/cut.csv"
says "inertia" "$work/cut.csv" -k 4 --labels "$work/expected.csv" --centroids "$work/expected_centroids.csv"
for choice in "--columns 2-5,8" "--skip-columns 1,6-7,9-13" "--columns 2-5,8,2-3" "--columns 1-5,8 --skip-columns 1" \
  "--columns malic_acid,3-5,nonflavanoid_phenols" "--skip-columns 9-13,alcohol,6-7"; do
  # shellcheck disable=SC2086
  says "inertia  malic_acid " "$wine" -k 4 $choice --labels "$work/labels.csv" --centroids "$work/centroids.csv"
  check "labels of $choice" same "$work/expected.csv" "$work/labels.csv"
  check "centroids of $choice" same "$work/expected_centroids.csv" "$work/centroids.csv"
done
cut -d , -f 2-5 "$wine" >"$work/four.csv"
cut -d , -f 8 "$wine" | paste -d , - "$work/four.csv" >"$work/other_order.csv"
says "inertia" "$work/other_order.csv" -k 4 --labels "$work/expected.csv" --centroids "$work/expected_centroids.csv"
for choice in 8,2-5 8,2-5,8,3 nonflavanoid_phenols,malic_acid,3-5 "8 , 2-4,5"; do
  says "inertia  nonflavanoid_phenols  malic_acid " "$wine" -k 4 --columns "$choice" --labels "$work/labels.csv" \
    --centroids "$work/centroids.csv"
  check "labels of columns in the order $choice" same "$work/expected.csv" "$work/labels.csv"
  check "centroids of columns in the order $choice" same "$work/expected_centroids.csv" "$work/centroids.csv"
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

# --- fit is what the program does unasked -----------------------------------------------------------------------------
says "inertia" "$wine" -k 4 --labels "$work/plain.csv" --model "$work/plain.npz"
says "inertia" -k 4 "$wine" --labels "$work/plain.csv"
says "inertia" fit "$wine" -k 4 --labels "$work/named.csv" --model "$work/named.npz"
check "the same labels" same "$work/plain.csv" "$work/named.csv"
check "the same model" same "$work/plain.npz" "$work/named.npz"
says "--standardize" fit --help
says "lloyd-cluster " --version

# --- .fvecs, and columns of files that are no text --------------------------------------------------------------------
rows="-k 178 --init random --max-iter 0"
# shellcheck disable=SC2086
says "inertia" "$wine" $rows --centroids "$work/rows.fvecs"
# shellcheck disable=SC2086
says "inertia" "$wine" $rows --centroids "$work/rows.npy"
check "bytes of 178 vectors" test "$(wc -c <"$work/rows.fvecs")" -eq $((178 * 4 * 14))
says " x1 " "$work/rows.npy" -k 4 --labels "$work/npy.csv"
says " x1 " "$work/rows.fvecs" -k 4 --labels "$work/fvecs.csv"
check ".fvecs and .npy" same "$work/npy.csv" "$work/fvecs.csv"
# shellcheck disable=SC2086
says "inertia" "$wine" $rows --centroids "$work/few.npy" --columns 2-5,8
says "inertia" "$work/few.npy" -k 4 --labels "$work/expected.csv"
says " x2 " "$work/rows.npy" -k 4 --columns 2-5,8 --labels "$work/labels.csv"
check "columns of a .npy" same "$work/expected.csv" "$work/labels.csv"
says " x2 " "$work/rows.fvecs" -k 4 --skip-columns 1,6-7,9-13 --labels "$work/labels.csv"
check "columns of a .fvecs" same "$work/expected.csv" "$work/labels.csv"

# --- every option is taken; those about speed change nothing ----------------------------------------------------------
says "inertia" "$wine" -k 5 --labels "$work/expected.npy" --model "$work/expected.npz"
for choice in "--widest portable" "--widest avx2" "--assignment gram" "--assignment fused" "--update one-hot" \
  "--update scatter-add" "--memory-budget 1MiB" "--memory-budget 1000000" "--batch-rows 50 --batch-centroids 2"; do
  # shellcheck disable=SC2086
  says "inertia" "$wine" -k 5 $choice --labels "$work/labels.npy" --model "$work/model.npz"
  check "labels with $choice" same "$work/expected.npy" "$work/labels.npy"
  check "model with $choice" same "$work/expected.npz" "$work/model.npz"
done
for choice in "--init-size 60" "--n-local-trials 1" "--empty-clusters keep" \
  "--init scalable-k-means++ --init-rounds 3 --oversampling-factor 1.5"; do
  # shellcheck disable=SC2086
  says "converged" "$wine" -k 5 $choice
done

# --- weights are repetitions, standardised or not ---------------------------------------------------------------------
printf 'a,n,b\n1,3,1.5\n2,1,0\n8,0,9\n9,2,4\n7,1,5\n' >"$work/counted.csv"
printf 'a,b\n1,1.5\n1,1.5\n1,1.5\n2,0\n9,4\n9,4\n7,5\n' >"$work/repeated.csv"
printf 'a,b\n1,0\n8,4\n' >"$work/start.csv"
for scale in "" --standardize; do
  # shellcheck disable=SC2086
  says "inertia" "$work/repeated.csv" --start "$work/start.csv" $scale --centroids "$work/expected_centroids.csv"
  for weights in n 2; do
    # shellcheck disable=SC2086
    says "weight" "$work/counted.csv" --weights $weights --start "$work/start.csv" $scale \
      --centroids "$work/centroids.csv" --labels "$work/labels.csv"
    check "centroids of weighted rows $scale" same "$work/expected_centroids.csv" "$work/centroids.csv"
  done
done
check "a row of weight 0 is labelled" test "$(wc -l <"$work/labels.csv")" -eq 6
says "4     57.1" "$work/counted.csv" --weights n --start "$work/start.csv"
for choice in "--columns 1,3" "--columns 1-3" "--skip-columns 2" "--columns b,a" "--skip-columns n"; do
  # shellcheck disable=SC2086
  says "4     57.1" "$work/counted.csv" --weights n --start "$work/start.csv" $choice
done
tail -n +2 "$work/counted.csv" >"$work/counted_alone.csv"
says "x1" "$work/counted_alone.csv" --weights 2 --start "$work/start.csv"
refuses '--weights: "m", expected a name in line 1 of .*counted.csv, or a number from 1 (line 1: .*n' "$work/counted.csv" --weights m
refuses '--weights: "n", expected a name in line 1' "$work/counted_alone.csv" --weights n
refuses '--weights: "0", expected' "$work/counted.csv" --weights 0
refuses '--weights: there is no column 4 that is read of ".*counted.csv"' "$work/counted.csv" --weights 4
refuses '--weights: "n", expected the number of a column, from 1' "$work/rows.npy" --weights n
refuses 'column 99 is wanted, but a row has 13' "$work/rows.npy" --weights 99
printf 'a,a\n1,2\n' >"$work/twice.csv"
refuses '--weights: "a" is the name of more than one column of .*, expected a number' "$work/twice.csv" --weights a
printf 'a,n\n1,1\n2,-1\n' >"$work/negative.csv"
refuses "line 3, column 2 is -1, expected a weight, finite and at least 0" "$work/negative.csv" --weights n -k 1
printf 'a,n\n1,0\n2,0\n' >"$work/zero.csv"
refuses "weights" "$work/zero.csv" --weights n -k 1
refuses "weights: all are 0" "$work/zero.csv" --weights n -k 1 --standardize

# --- from yesterday's centroids ---------------------------------------------------------------------------------------
for scale in "" --standardize; do
  # shellcheck disable=SC2086
  says "inertia" "$wine" -k 5 --seed 3 $scale --model "$work/model.npz" --labels "$work/expected.csv" --tol 0 \
    --centroids "$work/c.csv"
  # shellcheck disable=SC2086
  says "0 iterations" "$wine" --start "$work/model.npz" $scale --max-iter 0 --model "$work/again.npz"
  check "the same model $scale" same "$work/model.npz" "$work/again.npz"
  # shellcheck disable=SC2086
  says "1 iteration, converged" "$wine" --start "$work/c.csv" $scale --labels "$work/labels.csv"
  check "the same labels $scale" same "$work/expected.csv" "$work/labels.csv"
done
# The model is of standardised rows: its centroids are taken back to the units of the file.
says "iteration" "$wine" --start "$work/model.npz" --labels "$work/labels.csv" --max-iter 0
says "iteration" "$wine" --start "$work/c.csv" --labels "$work/again.csv" --max-iter 0
check "the same centroids of .npz and .csv" same "$work/again.csv" "$work/labels.csv"
says "inertia" "$wine" -k 5 --start "$work/model.npz"
# Where both have names, columns are found by them.
awk -F, -v OFS=, '{ t = $1; $1 = $2; $2 = t; print }' "$wine" >"$work/swapped.csv"
for start in model.npz c.csv; do
  for scale in "" --standardize; do
    # shellcheck disable=SC2086
    says "inertia" "$wine" --start "$work/$start" $scale --labels "$work/labels.csv" --max-iter 0
    # shellcheck disable=SC2086
    says "malic_acid  alcohol" "$work/swapped.csv" --start "$work/$start" $scale --labels "$work/again.csv" --max-iter 0
    check "$start in the order of the rows $scale" same "$work/labels.csv" "$work/again.csv"
  done
done
sed '1s/hue/tint/' "$wine" >"$work/renamed.csv"
refuses '--start: ".*model.npz" has no column "tint", which the rows have' "$work/renamed.csv" --start "$work/model.npz"
tail -n +2 "$wine" >"$work/nameless.csv"
says "iteration" "$work/nameless.csv" --start "$work/c.csv"
refuses '--start: "'"$work"'/model.npz" holds 5 centroids, --n-clusters is 4: leave -k out, the file decides' "$wine" -k 4 --start "$work/model.npz"
refuses "--n-init: expected 1 with --start" "$wine" --n-init 2 --start "$work/model.npz"
refuses '--start: ".*start.csv": the centroids have 2 columns, the rows have 13' "$wine" --start "$work/start.csv"
printf '1e-30\n2e-30\n3e-30\n9e-30\n' >"$work/small.csv"
printf '1e12\n2e-30\n' >"$work/far_start.csv"
refuses "--start: .*far_start.csv: centroid 0, column 1 is 1e+12, standardised as the rows are inf, expected" \
  "$work/small.csv" --standardize --start "$work/far_start.csv"
says "inertia" "$work/far_start.csv" -k 2 --double --standardize --model "$work/far_start.npz"
printf '1e100\n2e100\n' >"$work/vast.csv"
says "inertia" "$work/vast.csv" -k 2 --double --centroids "$work/vast.npy"
refuses "vast.npy: centroid [01], column 1 is [12]e+100, expected a number that float32 holds" \
  "$work/small.csv" --start "$work/vast.npy"
says "inertia" "$work/vast.csv" -k 2 --double --standardize --model "$work/vast.npz"
refuses "--start: .*vast.npz: centroid 0, column 1 is inf in the units of its rows, expected a finite number" \
  "$work/small.csv" --start "$work/vast.npz"
printf '1,1e-30\n1,2e-30\n0,1e12\n' >"$work/far_row.csv"
refuses "far_row.csv: line 3, column 2 is 1e+12, standardised inf" "$work/far_row.csv" -k 1 --weights 1 --standardize
refuses "nowhere.npz: no such file" "$wine" --start nowhere.npz
refuses "does not end in .csv, .tsv, .npy, .npz or .fvecs" "$wine" --start start.txt
refuses 'would overwrite' "$wine" --start "$work/model.npz" --model "$work/model.npz"

# --- JSON -------------------------------------------------------------------------------------------------------------
says '{"command": "fit"' "$wine" -k 3 --seed 5 --standardize --json
check "the fields of the JSON" "$python" - "$work/out" <<'END'
import json, sys
lines = open(sys.argv[1]).read().splitlines()
assert len(lines) == 1
result = json.loads(lines[0])
assert result["rows"] == 178 and result["k"] == 3 and result["seed"] == 5 and result["standardized"] is True
assert result["columns"][0] == "alcohol" and len(result["columns"]) == 13 and result["scalar"] == "float32"
clusters = result["clusters"]
assert sum(c["size"] for c in clusters) == 178 and abs(sum(c["share"] for c in clusters) - 1) < 1e-12
assert abs(sum(c["inertia"] for c in clusters) - result["inertia"]) < 1e-9 * result["inertia"]
assert all(len(c["centroid"]) == 13 for c in clusters) and result["stop"] == "converged"
seconds = result["seconds"]
assert abs(sum(seconds.values()) - 2 * seconds["total"]) < 1e-9
assert {"read", "standardize", "fit", "summarize", "write"} < set(seconds)
END

# --- what is said beside the table ------------------------------------------------------------------------------------
printf '1\n1\n1\n' >"$work/equal.csv"
says ", 2 clusters without rows" "$work/equal.csv" -k 3
says "inertia" "$wine" -k 3 --standardize --model "$work/scaled.npz"
says "inertia" "$wine" --start "$work/scaled.npz" --standardize
check "nothing is said of scales that are used" sh -c "! grep -q 'as the rows of' '$work/out'"
says ", not standardised as the rows of $work/scaled.npz were" "$wine" --start "$work/scaled.npz"

# --- refusals ---------------------------------------------------------------------------------------------------------
refuses "a subcommand (fit, predict, sweep or quantize) or a file is required"
refuses '"fitt" is no subcommand, expected fit, predict, sweep or quantize' fitt "$wine"
refuses "input is required" fit
refuses "nowhere.csv: no such file" nowhere.csv
refuses "nowhere.npy: no such file" nowhere.npy
refuses "\"$data\" does not end in .csv, .tsv, .npy or .fvecs" "$data"
refuses "does not end in" "$wine" --labels "$work/labels.txt"
refuses "does not end in .csv, .tsv, .npy or .fvecs (standard input is /dev/stdin)" -- -
refuses "does not end in .* (/dev/stdin takes what zcat writes)" wine.csv.gz
refuses "does not end in .* (what comes through /dev/stdin is read as .csv; --separator says what separates columns)" \
  wine.txt
refuses "there is no directory" "$wine" --labels "$work/none/labels.csv"
refuses "would overwrite" "$work/years.csv" --labels "$work/years.csv"
refuses 'would overwrite ".*a.csv", the file of --labels' "$wine" --labels "$work/a.csv" --centroids "$work/./a.csv"
# One file by two names, be it there or not.
ln -s new.csv "$work/link.csv"
cd "$work" || exit 1
for state in missing there; do
  for other in ./new.csv "$work/new.csv" link.csv "../${work##*/}/new.csv"; do
    refuses "--centroids: \"$other\" would overwrite \"new.csv\"" "$wine" --labels new.csv --centroids "$other"
    refuses "--centroids: \"new.csv\" would overwrite \"$other\"" "$wine" --labels "$other" --centroids new.csv
  done
  if test $state = missing; then
    check "nothing was written" test ! -e new.csv
    echo kept >new.csv
  fi
done
check "the old file" test "$(cat new.csv)" = kept
cd "$OLDPWD" || exit 1
ln -s self.csv "$work/self.csv"
refuses "--labels: .*self.csv: is a link that leads nowhere" "$wine" --labels "$work/self.csv"
refuses "--labels: there is no directory \".*self.csv\": " "$wine" --labels "$work/self.csv/labels.csv"
refuses "separator is one character, tab or space" "$wine" --separator ,,
refuses "separator" "$wine" --separator 1
refuses "separator is one character, tab or space" "$wine" --separator ""
refuses "init" "$wine" --init best
refuses "header" "$wine" --header maybe
refuses "clusters" "$wine" -k many
refuses "\-\-colour is no option of fit, whose --help lists them$" "$wine" --colour
refuses "\-\-lables is no option of fit; did you mean --labels?" "$wine" --lables l.csv
refuses "\-\-sep is no option of fit; did you mean --separator?" "$wine" --sep ,
refuses "\-\-standarize is no option of fit; did you mean --standardize?" "$wine" --standarize=yes
refuses "\-\-figure is no option of fit, but of sweep" "$wine" --figure l.png
refuses "\-\-standardize is no option of predict, but of fit and sweep" predict "$work/a.npz" "$wine" --standardize
refuses '"b.csv" was not expected (a list is written without blanks' "$wine" b.csv c.csv
refuses '"3" was not expected (a list is written without blanks' "$wine" --columns 2, 3
refuses "fit: input is required; lloyd-cluster fit --help says more" fit -k 3
refuses "\-\-n-clusters: its value is missing" "$wine" -k
refuses "\-\-seed: it is given more than once" "$wine" --seed 1 --seed 2
for option in --labels --centroids --model --start; do
  refuses "$option: \"\", expected the name of a file" "$wine" "$option" ""
done
head -n 4 "$wine" >"$work/three.csv"
refuses "-k/--n-clusters: 8 (the default), but \".*three.csv\" has only 3 rows" "$work/three.csv"
refuses "-k/--n-clusters: 10 (the default), but \".*three.csv\" has only 3 rows" sweep "$work/three.csv"
refuses "-k/--n-clusters: 8, but \".*three.csv\" has only 3 rows" "$work/three.csv" -k 8
refuses "-k/--n-clusters: 179, but \".*wine.csv\" has only 178 rows" "$wine" -k 179
refuses "--n-clusters: 0, expected at least 1" "$wine" -k 0
refuses "--max-iter: -1, expected at least 0" "$wine" --max-iter -1
refuses "--tol: -1, expected at least 0" "$wine" --tol -1
refuses "--tol: nan, expected at least 0" "$wine" --tol nan
refuses "--n-init: 0, expected at least 1" "$wine" --n-init 0
refuses "--threads: -1, expected at least 0" "$wine" --threads -1
# However many threads are allowed, standardising takes what the rows are worth.
says "total inertia 1279.966" "$wine" -k 3 --standardize --threads 2147483647
refuses "--seed: -1, expected at least 0" "$wine" --seed -1
refuses "--seed: 18446744073709551616, expected at most 18446744073709551615" "$wine" --seed 18446744073709551616
says "inertia" "$wine" --seed 18446744073709551615
refuses "seed" "$wine" --seed 1.5
refuses "--n-clusters: 99999999999999999999, expected at most 9223372036854775807" "$wine" -k 99999999999999999999
refuses "--n-init: 9223372036854775808, expected at most 9223372036854775807" "$wine" --n-init 9223372036854775808
refuses "--max-iter: 99999999999999999999, expected at most 9223372036854775807" "$wine" --max-iter 99999999999999999999
refuses "--threads: 2147483648, expected at most 2147483647" "$wine" --threads 2147483648
# Numbers are decimal, in every option.
for count in "" 1.5 1e3 0x5 "5 " +5 five; do
  refuses "--n-clusters: \"$count\", expected a whole number of at least 1" "$wine" --n-clusters "$count"
done
for option in --seed --n-init --max-iter --threads --init-size --batch-rows; do
  refuses "$option: \"0x10\", expected a whole number of at least [01]" "$wine" $option 0x10
done
for k in 010 08; do
  says "\"k\": ${k#0}," "$wine" -k $k --json
  says "{\"k\": ${k#0}," sweep "$wine" -k $k --json
done
says '"seed": 10,' "$wine" --seed 010 --json
for option in --tol --oversampling-factor; do
  refuses "$option: \"0x10\", expected a number" "$wine" $option 0x10
  refuses "$option: \"\", expected a number" "$wine" $option ""
done
refuses 'line 1, column 1: "alcohol", expected a number (--header yes if line 1 holds names)' "$wine" --header no
refuses 'line 2, column 1: "Ada, first", expected a number (--skip-columns 1 leaves the column of text out' "$work/text.csv"
refuses 'line 1, column 1: "Ada, first", expected a number (.*--skip-columns 1 leaves' "$work/text_alone.csv"
printf 'id,name,born,n,town,x\n7,Ada,1815-12-10,1,London,2\n' >"$work/texts.csv"
refuses 'line 2, column 2: "Ada", expected a number (--skip-columns 2-3,5 leaves the columns of text out' "$work/texts.csv"
refuses 'line 2, column 2: "Ada", expected a number (--skip-columns id,2-3,5 leaves' "$work/texts.csv" --skip-columns id
refuses 'line 2, column 2: "Ada", expected a number (--skip-columns leaves a column' "$work/texts.csv" --columns 1,2
printf 'name,2019,2020\nx,3,4\ny,9,9\n' >"$work/named_years.csv"
refuses 'line 1, column 1: "name", expected a number (--skip-columns 1 leaves the column of text out; and --header yes if line 1 holds names)' "$work/named_years.csv" -k 2
for list in , 0 2- -2 2-1 1,,2 1, hues 1-2-3 "1 2" 1.5 99999999999999999999; do
  names="expected names in line 1 of .*wine.csv or numbers from 1, such as 2-5,8"
  numbers="expected numbers of columns from 1 (names need a header), such as 2-5,8"
  for option in --columns --skip-columns; do
    refuses "$option: .*\"$list\", $names" "$wine" "$option=$list"
    refuses "$option: .*\"$list\", $numbers" "$work/tabs.csv" "$option=$list" --separator tab
    refuses "$option: .*\"$list\", $numbers" "$work/rows.npy" "$option=$list"
  done
done
for list in '"ash' '"ash"x' 'hue,"ash'; do
  refuses "--columns: \"$list\", expected a closing quote, and a comma or the end after it" "$wine" "--columns=$list"
done
refuses '--columns: "hues" in "ash,hues,1", expected names .* (line 1: alcohol, malic_acid, .*, flavanoids, nonflavanoid_phenols, ...)' \
  "$wine" --columns ash,hues,1
refuses "--columns: \"\", expected names in line 1" "$wine" --columns ""
refuses '--columns: "ash", expected numbers of columns' "$wine" --columns ash --header no
refuses '--columns: "a" is the name of more than one column of .*, expected a number' "$work/twice.csv" --columns a
printf 'Ada,1,2\nBob,3,4\n' >"$work/no_names.csv"
refuses "line 1 is taken for a row, but names of columns need a header (--header yes" "$work/no_names.csv" \
  --skip-columns Ada
refuses "column 14 is wanted, but line 1 has 13 columns" "$wine" --columns 2,3-14
refuses "column 14 is to be skipped, but line 1 has 13 columns" "$wine" --skip-columns 14
refuses "every column that is wanted is to be skipped, but line 1 has 13 columns" "$wine" --skip-columns 1-13
refuses "c1.npy: column 14 is wanted, but a row has 13" "$work/c1.npy" -k 1 --columns 1,14
refuses "c1.npy: column 15 is to be skipped, but a row has 13" "$work/c1.npy" -k 1 --skip-columns 15
refuses "c1.npy: no column is left" "$work/c1.npy" -k 1 --skip-columns 1-13
# What the file may be, where it is not what was expected.
printf 'a;b;c\n40,98;1;2\n41,2;3;4\n' >"$work/commas.csv"
other='(line 1 has 1 column and holds ";": --separator '"'"';'"'"' if that separates columns)'
refuses "line 2 has 2 columns, expected 1 as in the first line $other" "$work/commas.csv"
refuses "every column that is wanted is to be skipped, but line 1 has 1 column, .* $other" "$work/commas.csv" --skip-columns 1
refuses "column 2 is wanted, but line 1 has 1 column $other" "$work/commas.csv" --columns 2
refuses 'line 2, column 1: "40,98", expected a number (a decimal comma? it is to be 40.98: tr , . changes all)' \
  "$work/commas.csv" --separator ';'
tr , . <"$work/commas.csv" >"$work/points.csv"
says "40.98" "$work/points.csv" --separator ';' -k 2
refuses "line 2, column 1: \"40.98;1;2\", expected a number $other" "$work/points.csv"
tail -n +2 "$work/commas.csv" >"$work/commas_alone.csv"
refuses 'line 1, column 2: "98;1;2", expected a number (it holds ";": --separator' "$work/commas_alone.csv"
printf 'a\tb\n1\t2\n' >"$work/tabs_in.csv"
refuses "line 1 has 1 column and holds a tab: --separator 'tab' if" "$work/tabs_in.csv" -k 1
cp "$wine" "$work/commas_in.tsv"
refuses "line 2, column 1: .* (line 1 has 1 column and holds \",\": --separator ','" "$work/commas_in.tsv" -k 1
advice="(missing values are refused: fill or drop those rows first; "
printf 'id,a,b\n,1,2\n,,3\nx,4,NA\n,5,6\n,,\n' >"$work/missing.csv"
refuses "line 3, column 2: the field is empty, expected a number ${advice}3 rows have one)" "$work/missing.csv" \
  --skip-columns id
refuses "line 4, column 3: \"NA\", expected a number ${advice}2 rows have one)" "$work/missing.csv" --columns b
printf 'a,b\n1,2\nnan,3\n4,NA\n,NaN\n5,6\n7,\n' >"$work/mixed.csv"
refuses "line 4, column 2: \"NA\", expected a number ${advice}4 rows have one)" "$work/mixed.csv"
printf 'a;b\n1.234,5;1\n' >"$work/grouped.csv"
refuses '"1.234,5", expected a number (points between thousands and a decimal comma? it is to be 1234.5: tr -d . | tr , . changes all)' \
  "$work/grouped.csv" --separator ';'
for odd in 18.07.2024 192.168.0.1 1.2.0 1.2345,6 1,234,56; do
  printf "a;b\n$odd;1\n" >"$work/odd.csv"
  refuses "\"$odd\", expected a number (--skip-columns 1 leaves the column of text out" "$work/odd.csv" --separator ';'
done
printf 'id;name;born;age;pay;town\n7;Ada;18.07.1990;22,9;37.547,5;X\n8;Bob;19.07.1990;23;4,5;Y\n' >"$work/german.csv"
refuses 'line 2, column 2: "Ada", expected a number (--skip-columns 2-3,6 leaves the columns' "$work/german.csv" --separator ';'
refuses '"22,9", expected a number (a decimal comma?' "$work/german.csv" --separator ';' --skip-columns 2-3,6
refuses 'column 2: "Ada", expected a number (it is in the column of --weights)' "$work/german.csv" --separator ';' \
  --weights name --skip-columns 3-6
printf 'a,b,c\n1,2,\n3,4,\n' >"$work/trailing.csv"
refuses "line 2, column 3: the field is empty, expected a number (column 3 is empty: --skip-columns 3 leaves it out)" \
  "$work/trailing.csv"
printf 'x,town\n1,\n2,Rom\n' >"$work/town.csv"
refuses "line 2, column 2: the field is empty, expected a number (--skip-columns 2 leaves the column of text" "$work/town.csv"
printf 'x,y\n1,2\n2,3\ncall,4\n' >"$work/call.csv"
refuses 'line 4, column 1: "call", expected a number (column 1 has 2 numbers and 1 text: mend or drop' "$work/call.csv"
printf ',2019,2020\nDE,1,2\nFR,3,4\n' >"$work/pivot.csv"
refuses 'line 1, column 1: the field is empty, expected a number (--skip-columns 1 leaves the column of text out; and --header yes if line 1 holds names)' "$work/pivot.csv"
printf 'sep=;\na;b\n1;2\n' >"$work/sep.csv"
refuses "(line 1 is a note of Excel: tail -n +2 leaves it out)" "$work/sep.csv" --separator ';'
printf 'kind,a\nyoung,1\nold,2\n' >"$work/segments.csv"
printf 'a\n1\n2\n' >"$work/one.csv"
refuses 'column 1: "young", expected a number (a file of centroids holds numbers alone' predict "$work/segments.csv" "$work/one.csv"
refuses 'column 1: "young", expected a number (a file of centroids holds numbers alone' "$work/one.csv" --start "$work/segments.csv"
refuses 'does not end in .* (it is a directory)' "$work"
refuses 'does not end in .* (a model: predict takes it before the rows' "$work/model.npz"
refuses 'does not end in .* (quantize reads pictures)' "$work/model.jpg"
printf 'a;b\n1.234.567;1\n' >"$work/grouped.csv"
refuses '"1.234.567", expected a number (points between thousands? it is to be 1234567: tr -d . takes them out)' "$work/grouped.csv" --separator ';'
printf 'a,b\n"1,234.5",1\n' >"$work/grouped.csv"
refuses '"1,234.5", expected a number (commas between thousands? it is to be 1234.5: sed -E' "$work/grouped.csv"
printf 'a,b\n1,2\n#N/A,1\n3,#DIV/0!\n' >"$work/sheet.csv"
refuses "line 3, column 1: \"#N/A\", expected a number ${advice}2 rows have one)" "$work/sheet.csv"
sed 5,6d "$work/missing.csv" >"$work/one_missing.csv"
refuses "line 4, column 3: \"NA\", expected a number ${advice}1 row has one)" "$work/one_missing.csv" --columns b
printf 'a,b\n1,2\n3\n' >"$work/ragged.csv"
refuses "line 3 has 1 column, expected 2" "$work/ragged.csv" -k 1
printf 'a,b\n1,2\n3,nan\n' >"$work/nan.csv"
refuses "nan.csv: line 3, column 2 is nan, expected a finite number ${advice}1 row has one)" "$work/nan.csv" -k 1
refuses "nan.csv: line 3, column 2 is nan, expected a finite number" "$work/nan.csv" -k 1 --standardize
refuses "nan.csv: line 3, column 2 is nan" "$work/nan.csv" -k 1 --columns 2
printf '\377\376a\000\n\0001\000\n\000' >"$work/utf16.csv"
refuses "utf16.csv: the file is UTF-16, expected UTF-8 (iconv -f UTF-16 -t UTF-8)" "$work/utf16.csv" -k 1
refuses "utf16.csv: the file is UTF-16" "$work/utf16.csv" -k 1 --columns a
content() {  # content BYTES WHAT: a .csv that is something else
  printf "$1" >"$work/content.csv"
  refuses "content.csv: the file is $2" "$work/content.csv" -k 1
}
content 'PK\003\004\024\000' 'a zip archive, expected text (.xlsx: save it as CSV UTF-8)'
content '\320\317\021\340\241' 'an old Excel workbook, expected text'
content '\037\213\010' 'compressed by gzip, expected text (zcat)'
content '\223NUMPY\001' 'a NumPy array, expected text'
content 'PAR1\025' 'of Parquet, expected text'
refuses 'does not end in .* (a workbook is saved as CSV UTF-8)' "$work/rows.xlsx"
refuses 'does not end in .* (pandas.read_parquet(path)' "$work/rows.parquet"
printf '\304ge,b\n1,2\n' >"$work/latin.csv"
refuses "latin.csv: line 1, column 1: the name is not UTF-8 (iconv -f WINDOWS-1252 -t UTF-8" "$work/latin.csv" -k 1
printf '\303\204ge,\342\202\254,\360\237\230\200\n1,2,3\n' >"$work/utf8.csv"
says "Äge" "$work/utf8.csv" -k 1
for name in '\355\240\200' '\300\257' '\340\200\257' '\364\220\200\200' '\370\210\200\200\200' 'a\302'; do
  printf "$name,b\n1,2\n" >"$work/latin.csv"
  refuses "line 1, column 1: the name is not UTF-8" "$work/latin.csv" -k 1
done
printf 'a,b\r1,2\r3,4\r' >"$work/returns.csv"
refuses "(line 1 holds a carriage return: tr '.*r' '.*n' if that ends lines)" "$work/returns.csv" -k 1 --columns 2-4
printf 'a b\n1 2\n3 5\n' >"$work/blanks.csv"
refuses "(line 1 has 1 column and holds a blank: --separator 'space' if that separates columns)" "$work/blanks.csv" -k 1
says "b" "$work/blanks.csv" -k 1 --separator space
printf 'a,b\n"x\ny",2\n' >"$work/broken.csv"
refuses "the quote is not closed on its line (a field with a line break is not read)" "$work/broken.csv" -k 1
printf '1,2\n3,-inf\n' >"$work/inf.csv"
refuses "inf.csv: line 2, column 2 is -inf, expected a finite number" "$work/inf.csv" -k 1
printf '1,2\n3,1e200\n' >"$work/large.csv"
refuses "line 2, column 2 is 1e+200, expected a finite number within 2^500 of zero" "$work/large.csv" -k 1 --double
: >"$work/empty.csv"
refuses "the file is empty" "$work/empty.csv" -k 1
: >"$work/empty.npy"
refuses "the file is empty" "$work/empty.npy" -k 1
printf 'a,b\n1,2\n' >"$work/text.fvecs"
refuses "text.fvecs: vector 1 has dimension 174206049, expected 1 to 16777216" "$work/text.fvecs" -k 1
head -c 100 "$work/rows.fvecs" >"$work/cut.fvecs"
refuses "cut.fvecs: vector 2 is cut off: needs 52 bytes, found 40" "$work/cut.fvecs" -k 1
refuses "holds float32" "$work/rows.fvecs" -k 1 --double
refuses "would hold float32, the rows are float64" "$wine" --double --centroids "$work/c.fvecs"
for bytes in lots "" 1.5GiB -1 -67108864 0x4000000 MiB 1bb 1iB; do
  refuses "--memory-budget: \"$bytes\", expected bytes, or such as 256MiB" "$wine" --memory-budget "$bytes"
done
for bytes in 99999999999999999999 18446744073709551616 16EiB 17179869184G; do
  refuses "--memory-budget: $bytes, expected at most 18446744073709551615 bytes" "$wine" --memory-budget $bytes
done
for bytes in 1MiB 1m 1024kb 1048576 1048576b 01048576; do says "inertia" "$wine" --memory-budget $bytes; done
refuses "memory-budget 1 " "$wine" --memory-budget 1
refuses "--init-size 3 < --n-clusters 8" "$wine" --init-size 3
refuses "oversampling-factor 0, expected a finite number > 0" "$wine" --init scalable-k-means++ --oversampling-factor 0
refuses "widest" "$wine" --widest neon
head -c 200 "$work/l1.npy" >"$work/integers.npy"
refuses "holds integers, expected float32 or float64: numpy.save(path, x.astype(numpy.float32))" "$work/integers.npy" -k 1
head -c 200 "$work/c1.npy" >"$work/cut.npy"
refuses "needs 260 bytes after the header, found 72" "$work/cut.npy" -k 1
refuses "holds float32" "$work/c1.npy" -k 1 --double

# --- pipes: text is kept, so that names are found and complaints explained; others are refused where opened twice -----
says "1277.92" /dev/stdin -k 3 --n-init 10 --tol 0 --standardise <"$wine"
says "     hue      ash" /dev/stdin -k 3 --columns hue,ash <"$wine"
check "pipes" "$python" - "$program" "$work" <<'END'
import os, subprocess, sys, threading
program, work = sys.argv[1], sys.argv[2] + "/pipes"
os.mkdir(work)
def run(content, name, *arguments):  # what the program says of a pipe that holds this
    path = work + "/" + name
    os.mkfifo(path)
    def feed():
        try:
            with open(path, "wb") as pipe:
                pipe.write(content)
        except BrokenPipeError:
            pass
    threading.Thread(target=feed, daemon=True).start()
    words = [program] + [path if word == "PIPE" else word for word in arguments]
    found = subprocess.run(words, capture_output=True, text=True, timeout=60)
    os.remove(path)
    return found.returncode, found.stdout + found.stderr
read = lambda name: open(sys.argv[2] + "/" + name, "rb").read()
code, said = run(read("counted.csv"), "w.csv", "fit", "PIPE", "-k", "2", "--weights", "2")
assert code == 0 and "inertia" in said, said
code, same = run(read("counted.csv"), "no_end", "fit", "PIPE", "-k", "2", "--weights", "2")
assert code == 0 and same.split(" iterations")[0] == said.split(" iterations")[0], same
code, said = run(read("counted.csv"), "n.csv", "fit", "PIPE", "-k", "2", "--weights", "n")
assert code == 0 and same.split(" iterations")[0] == said.split(" iterations")[0], said
code, said = run(b"a,b\n1,2\n3,\n4,NA\n5,6\n", "m.csv", "fit", "PIPE", "-k", "2")
assert code == 1 and "m.csv: line 3, column 2: the field is empty" in said and "2 rows have one" in said, said
os.chdir(work)  # a name without a point or a slash, which is no subcommand
os.mkfifo("rows")
threading.Thread(target=lambda: open("rows", "wb").write(read("counted.csv")), daemon=True).start()
found = subprocess.run([program, "rows", "-k", "2", "--weights", "n"], capture_output=True, text=True, timeout=60)
assert found.returncode == 0 and found.stdout.split(" iterations")[0] == same.split(" iterations")[0], found
code, said = run(read("rows.npy"), "rows.npy", "fit", "PIPE", "-k", "2")
assert code == 1 and "rows.npy is a pipe or a device, expected a file: the header of a .npy is read first" in said, said
code, said = run(read("rows.fvecs"), "rows.fvecs", "fit", "PIPE", "-k", "2")
assert code == 0 and "inertia" in said, said
code, said = run(read("model.npz"), "model.npz", "fit", sys.argv[2] + "/wine.tsv", "--start", "PIPE")
assert code == 0 and "inertia" in said, said
for name in "model.npz", "c1.npy":
    code, said = run(read(name), name, "predict", "PIPE", sys.argv[2] + "/wine.tsv")
    assert code == 1 and name + " is a pipe or a device, expected a file: the type of a model is read first" in said, said
END

# --- nothing half written: an output that fails leaves what was there, and no other file ------------------------------
mkdir "$work/outputs"
echo kept >"$work/outputs/labels.csv"
refuses "clusters" "$wine" -k 179 --labels "$work/outputs/labels.csv"
mkdir "$work/outputs/centroids.csv"
refuses "--centroids: .*centroids.csv: is a directory, expected the name of a file" \
  "$wine" -k 2 --labels "$work/outputs/labels.csv" --centroids "$work/outputs/centroids.csv"
mkdir "$work/outputs/model.npz"
refuses "--model: .*is a directory" "$wine" -k 179 --model "$work/outputs/model.npz"
refuses "is a directory" "$wine" -k 179 --centroids "$work/outputs/centroids.csv"  # before the rows are read
if test -c /dev/full; then
  ln -s /dev/full "$work/full.csv"
  refuses "full.csv: writing failed" "$wine" -k 2 --labels "$work/outputs/labels.csv" --centroids "$work/full.csv"
fi
if test -d /proc/self; then
  refuses "--labels: /proc/self/labels.csv: cannot be written" "$wine" -k 179 --labels /proc/self/labels.csv
fi
said=$( (ulimit -f 0; "$program" "$wine" -k 2 --labels "$work/outputs/labels.csv" 2>&1 >/dev/null) )
check "exit code at the limit on sizes of files" test $? -eq 1
case $said in
  "lloyd-cluster: $work/outputs/labels.csv: writing failed: "*) ;;
  *) check "what is said at the limit on sizes of files ($said)" false ;;
esac
check "the old file" test "$(cat "$work/outputs/labels.csv")" = kept
check "no other file" test "$(find "$work/outputs" -type f | wc -l)" -eq 1
if test -c /dev/full; then
  says "inertia" "$wine" -k 2 --labels "$work/expected.csv"
  for json in "" --json; do
    rm -f "$work/labels.csv"
    "$program" "$wine" -k 2 --labels "$work/labels.csv" $json >/dev/full 2>"$work/err"
    check "exit code when the output is full" test $? -eq 1
    check "the output is full" \
      grep -q "^lloyd-cluster: standard output cannot be written: .*; any files that were asked for are complete$" "$work/err"
    check "the labels are there" same "$work/expected.csv" "$work/labels.csv"
  done
  "$program" --help >/dev/full 2>"$work/err"
  check "exit code when there is no room for the help" test $? -eq 1
  check "no room for the help" grep -q "^lloyd-cluster: standard output cannot be written: " "$work/err"
else
  echo "SKIPPED: no /dev/full here"
fi

finish
