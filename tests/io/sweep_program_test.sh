#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs lloyd-cluster sweep as a user would: sweep_program_test.sh PROGRAM DATA_DIR PYTHON
# Ends with 77 where no Python has matplotlib: then no figure was drawn.
. "$(dirname "$0")/program.sh"

# --- the table --------------------------------------------------------------------------------------------------------
says "9 numbers of clusters, elbow at k = 3, best silhouette at k = 3" sweep "$wine" --standardize
check "its columns" grep -q "^ k  inertia (standardised)  silhouette  iterations  seconds$" "$work/out"
check "one line a k" test "$(grep -c '^ *[0-9]* *[0-9.]* *0\.[0-9]\{4\} ' "$work/out")" -eq 9
check "the marks" test "$(grep -c ' elbow, best silhouette$' "$work/out")" -eq 1
# The numbers are those of fit with the same options.
says "3 numbers of clusters" sweep "$wine" -k 4,2-3 --seed 9 --n-init 2 --table "$work/table.csv"
check "the table's names" test "$(head -n 1 "$work/table.csv")" = "k,inertia,silhouette,iterations,seconds"
check "ascending" test "$(cut -d , -f 1 "$work/table.csv" | tr '\n' ' ')" = "k 2 3 4 "
says '"command": "fit"' "$wine" -k 4 --seed 9 --n-init 2 --json
check "the inertia of k = 4" grep -qF "\"inertia\": $(tail -n 1 "$work/table.csv" | cut -d , -f 2)," "$work/out"
says "2 numbers" sweep "$wine" -k 2,4 --table "$work/table.tsv"
check "tabs in a .tsv" grep -q "^k	inertia	silhouette	iterations	seconds$" "$work/table.tsv"
says "1 number of clusters" sweep "$wine" -k 1
check "no silhouette of one cluster" grep -q "^1  *[0-9.e+]*  *-  *[0-9]" "$work/out"
says '"elbow": 3, "best_silhouette": 3, "runs": [{"k": 2, ' sweep "$wine" --standardize -k 2-5 --json
check "the fields of the JSON" "$python" - "$work/out" <<'END'
import json, sys
result = json.loads(open(sys.argv[1]).read())
assert [run["k"] for run in result["runs"]] == [2, 3, 4, 5] and result["rows"] == 178
assert all(-1 <= run["silhouette"] <= 1 and run["inertia"] > 0 for run in result["runs"])
assert {"read", "standardize", "sweep", "write", "total"} == set(result["seconds"])
END
says '"silhouette": null' sweep "$wine" -k 2-3 --silhouette none --json
says "simplified silhouette" sweep "$wine" -k 2-3 --silhouette simplified
says "silhouette of 100 rows" sweep "$wine" -k 2-3 --sample-size 100
awk 'BEGIN { for (i = 0; i < 10001; ++i) print i % 3 * 100 + i % 7 "," i % 5 }' >"$work/many.csv"
says "simplified silhouette" sweep "$work/many.csv" -k 2-4
check "three clusters are found" grep -q "elbow at k = 3, best silhouette at k = 3" "$work/out"
printf 'a,n\n0,2\n1,1\n9,1\n10,3\n' >"$work/counted.csv"
says "elbow at k = 2" sweep "$work/counted.csv" -k 1-3 --weights n

# --- refusals ---------------------------------------------------------------------------------------------------------
for list in , 0 2- 5-3 1,,2 two; do
  refuses "-k/--n-clusters: \"$list\", expected numbers of clusters, such as 2-10,15" sweep "$wine" "--n-clusters=$list"
done
refuses "-k/--n-clusters: 179, but \".*wine.csv\" has only 178 rows" sweep "$wine" -k 2-3,179
refuses "-k/--n-clusters: 9000000000000000000, but \".*wine.csv\" has only 178 rows" sweep "$wine" -k 2-9000000000000000000
refuses "silhouette" sweep "$wine" --silhouette some
refuses "nowhere.csv: no such file" sweep nowhere.csv
refuses "--table: .* does not end in .csv or .tsv" sweep "$wine" --table t.npy
refuses "--table: there is no directory" sweep "$wine" --table "$work/none/t.csv"
refuses "would overwrite" sweep "$work/many.csv" --table "$work/many.csv"
refuses "--figure: .* does not end in .png or .svg" sweep "$wine" --figure f.pdf
refuses "\"no-python\" cannot be run: .*--python names a Python 3 that has matplotlib" \
  sweep "$wine" --figure "$work/f.svg" --python no-python
printf '#!/bin/sh\necho "Traceback" >&2\necho "it is broken" >&2\nexit 3\n' >"$work/broken"
chmod +x "$work/broken"
refuses "it is broken" sweep "$wine" --figure "$work/f.svg" --python "$work/broken"
printf '#!/bin/sh\nshift\nexec "%s" -S -c "$@"\n' "$python" >"$work/isolated"  # without packages
chmod +x "$work/isolated"
refuses "a figure needs matplotlib, which .* does not have .*apt-get install python3-matplotlib.*--python" \
  sweep "$wine" --figure "$work/f.svg" --python "$work/isolated"
for other in true false; do printf '#!/bin/sh\n%s\n' $other >"$work/$other"; done
printf '#!/bin/sh\necho ready\n' >"$work/ready"
chmod +x "$work/true" "$work/false" "$work/ready"
refuses "--python: \".*true\" does not run the script that draws, expected a Python 3 that has matplotlib" \
  sweep "$wine" --figure "$work/f.svg" --python "$work/true"
refuses "\".*false\" failed" sweep "$wine" --figure "$work/f.svg" --python "$work/false"
for kind in svg png; do
  refuses "--figure: \".*f.$kind\": \".*ready\" drew no figure, but 6 bytes of something else" \
    sweep "$wine" -k 2 --figure "$work/f.$kind" --python "$work/ready"
done
check "no figure" test ! -e "$work/f.svg" -a ! -e "$work/f.png"

# --- the figure -------------------------------------------------------------------------------------------------------
drawing=
for candidate in "$python" /usr/bin/python3; do
  test -n "$drawing" || ! "$candidate" -c "import matplotlib" 2>/dev/null || drawing=$candidate
done
if test -z "$drawing"; then
  finish || exit 1
  echo "skipped: no Python here has matplotlib"
  exit 77
fi
says "elbow at k = 3" sweep "$wine" --standardize --python "$drawing" --figure "$work/f.svg" --figure "$work/f.png"
check "a PNG" test "$(head -c 8 "$work/f.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a
check "an SVG" "$python" - "$work/f.svg" <<'END'
import sys, xml.etree.ElementTree as tree
assert tree.parse(sys.argv[1]).getroot().tag.endswith("}svg")
text = open(sys.argv[1]).read()
assert all(words in text for words in ("elbow: k = 3", "best: k = 3", "inertia (standardised)", "wine.csv"))
END
mkdir "$work/bin"
mv "$work/isolated" "$work/bin/python3"  # the first on the path has no matplotlib: that of the system is tried
if /usr/bin/python3 -c "import matplotlib" 2>/dev/null; then
  PATH=$work/bin:$PATH
  says "elbow at k = 3" sweep "$wine" --standardize --figure "$work/system.png"
else
  PATH=$work/bin:$PATH
  refuses "a figure needs matplotlib" sweep "$wine" --figure "$work/system.png"
fi
PATH=${PATH#*:}
says "1 number" sweep "$wine" --standardize -k 1 --silhouette none --python "$drawing" --figure "$work/one.png"
refuses "would overwrite" sweep "$wine" --python "$drawing" --figure "$work/f.svg" --figure "$work/f.svg"
if test -c /dev/full; then
  ln -s /dev/full "$work/full.csv"
  refuses "full.csv: writing failed" sweep "$wine" --python "$drawing" --figure "$work/new.svg" --table "$work/full.csv"
  check "no figure without its table" test ! -e "$work/new.svg"
else
  echo "SKIPPED: no /dev/full here"
fi

finish
