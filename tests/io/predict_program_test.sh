#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs lloyd-cluster predict as a user would: predict_program_test.sh PROGRAM DATA_DIR PYTHON
. "$(dirname "$0")/program.sh"

# --- rows of the fit get the labels of the fit ------------------------------------------------------------------------
for choice in "" "--standardize" "--double" "--double --standardize"; do
  # shellcheck disable=SC2086
  says "inertia" "$wine" -k 4 $choice --model "$work/model.npz" --labels "$work/expected.npy"
  total=$(grep -o "^total inertia [^,]*" "$work/out")
  says "$total" predict "$work/model.npz" "$wine" --labels "$work/labels.npy" --distances "$work/distances.csv"
  check "labels $choice" same "$work/expected.npy" "$work/labels.npy"
  check "distances add up to the inertia $choice" sh -c "awk '{ s += \$1 * \$1 } END { printf \"%.6g\n\", s }' \
    '$work/distances.csv' | grep -qF \"\$(echo '$total' | awk '{ printf \"%.6g\", \$3 }')\""
done
check "a distance a row" test "$(wc -l <"$work/distances.csv")" -eq 179
check "a name above the distances" test "$(head -n 1 "$work/distances.csv")" = distance

# --- the model is what Python's zipfile reads; numpy_program_test.py asks NumPy ---------------------------------------
says "inertia" "$wine" -k 4 --standardize --model "$work/model.npz" --labels "$work/labels.npy"
check "the model as an archive" "$python" - "$work/model.npz" "$wine" "$work/labels.npy" <<'END'
import csv, struct, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
names = ["centroids", "mean", "mean_rest", "scale", "names", "cluster_sizes", "cluster_weights", "inertia"]
assert archive.namelist() == [name + ".npy" for name in names]
assert b"'shape': (4, 13)" in archive.read("centroids.npy")[:128] and b"'shape': ()" in archive.read("inertia.npy")[:128]
mean = struct.unpack("<13d", archive.read("mean.npy")[-104:])
columns = list(zip(*list(csv.reader(open(sys.argv[2])))))
for column, value in zip(columns, mean):
    assert abs(sum(map(float, column[1:])) / 178 - value) < 1e-5 * abs(value)
width = len(archive.read("names.npy")[128:]) // 13
assert archive.read("names.npy")[128:128 + width].rstrip(b"\0") == b"alcohol"
END

# --- new rows, other formats of rows and of models --------------------------------------------------------------------
head -n 1 "$wine" >"$work/one.csv"
tail -n 1 "$wine" >>"$work/one.csv"
says "100.0" predict "$work/model.npz" "$work/one.csv" --labels "$work/one_label.csv" --threads 2
says "100.0" predict "$work/model.npz" "$work/one.csv" --labels "$work/all_labels.csv" --no-check-finite
check "one label" test "$(wc -l <"$work/one_label.csv")" -eq 2
check "a name above the labels" test "$(head -n 1 "$work/one_label.csv")" = cluster
says "inertia" predict "$work/model.npz" "$wine" --labels "$work/all_labels.csv"
check "the last row's label" test "$(tail -n 1 "$work/all_labels.csv")" = "$(tail -n 1 "$work/one_label.csv")"
tail -n +2 "$wine" | awk -F, '{ print "wine " NR "," $0 }' >"$work/named.csv"
says "inertia" predict "$work/model.npz" "$work/named.csv" --skip-columns 1 --labels "$work/labels.csv"
check "names of the model" grep -q "inertia (standardised)  alcohol  malic_acid " "$work/out"
awk -F, -v OFS=, 'NR > 1 { t = $1; $1 = $2; $2 = t; print }' "$wine" >"$work/nameless.csv"
says "inertia" predict "$work/model.npz" "$work/nameless.csv" --columns 2,1,3-13 --labels "$work/labels.csv"
tail -n +2 "$work/all_labels.csv" >"$work/labels_alone.csv"
check "columns in the order of the model" same "$work/labels_alone.csv" "$work/labels.csv"
says '"columns": ["alcohol", "malic_acid"' predict "$work/model.npz" "$work/named.csv" --skip-columns 1 --json
tail -n +2 "$work/all_labels.csv" >"$work/labels_alone.csv"
check "a column left out" same "$work/labels_alone.csv" "$work/labels.csv"
# Where both have names, columns are found by them: in another order, among others, which may hold text.
awk -F, -v OFS=, '{ t = $1; $1 = $2; $2 = t; print }' "$wine" >"$work/swapped.csv"
says "inertia" predict "$work/model.npz" "$work/swapped.csv" --labels "$work/labels.csv"
check "another order" same "$work/all_labels.csv" "$work/labels.csv"
check "centroids in the order of the model" grep -q "inertia (standardised)  alcohol  malic_acid " "$work/out"
awk -F, -v OFS=, '{ print NR == 1 ? "id" : "wine " NR, $0, NR == 1 ? "n" : NR }' "$work/swapped.csv" >"$work/more.csv"
for choice in "" "--skip-columns id" "--skip-columns 15" "--columns 1-15" "--weights n" "--weights 15"; do
  # shellcheck disable=SC2086
  says "inertia" predict "$work/model.npz" "$work/more.csv" $choice --labels "$work/labels.csv"
  check "among others $choice" same "$work/all_labels.csv" "$work/labels.csv"
done
sed '1s/,n$/,2026/' "$work/more.csv" >"$work/year.csv"
says "inertia" predict "$work/model.npz" "$work/year.csv" --labels "$work/labels.csv"
check "beside a name that is a number" same "$work/all_labels.csv" "$work/labels.csv"
says "inertia" "$wine" -k 4 --centroids "$work/c.csv" --labels "$work/expected.csv"
says "inertia" predict "$work/c.csv" "$wine" --labels "$work/labels.csv"
check "centroids of text" same "$work/expected.csv" "$work/labels.csv"
says "inertia" "$wine" -k 4 --centroids "$work/c.npy"
says "inertia" predict "$work/c.npy" "$wine" --labels "$work/labels.csv"
check "centroids of .npy" same "$work/expected.csv" "$work/labels.csv"
says "inertia" "$wine" -k 4 --centroids "$work/c.fvecs"
says "inertia" predict "$work/c.fvecs" "$wine" --labels "$work/labels.csv"
check "centroids of .fvecs" same "$work/expected.csv" "$work/labels.csv"
printf 'a,n\n0,4\n9,4\n' >"$work/weighted.csv"
printf 'a\n1\n8\n' >"$work/two.csv"
says "total inertia 8" predict "$work/two.csv" "$work/weighted.csv" --weights n
printf 'a,n\n0,0\n9,0\n' >"$work/weightless.csv"
says "      0     1       0        -        0  1" predict "$work/two.csv" "$work/weightless.csv" --weights n
says '"share": null' predict "$work/two.csv" "$work/weightless.csv" --weights n --json
says '{"command": "predict"' predict "$work/model.npz" "$wine" --json
check "the fields of the JSON" "$python" - "$work/out" <<'END'
import json, sys
result = json.loads(open(sys.argv[1]).read())
assert result["rows"] == 178 and len(result["clusters"]) == 4 and len(result["columns"]) == 13
assert abs(sum(c["inertia"] for c in result["clusters"]) - result["inertia"]) < 1e-9 * result["inertia"]
assert {"read", "predict", "summarize", "write", "total"} == set(result["seconds"])
END

# --- refusals ---------------------------------------------------------------------------------------------------------
refuses "model is required" predict
refuses "input is required" predict "$work/model.npz"
refuses "nowhere.npz: no such file" predict nowhere.npz "$wine"
refuses "nowhere.csv: no such file" predict "$work/model.npz" nowhere.csv
refuses "does not end in .csv, .tsv, .npy, .npz or .fvecs" predict model.txt "$wine"
cut -d , -f 1-5 "$wine" >"$work/cut.csv"
refuses 'cut.csv: line 1 has no column "total_phenols", which the model has$' predict "$work/model.npz" "$work/cut.csv"
refuses 'line 1 has no column "hue", which the model has (--columns and --skip-columns choose)' \
  predict "$work/model.npz" "$wine" --skip-columns hue
tail -n +2 "$work/cut.csv" >"$work/cut_alone.csv"
refuses "cut_alone.csv has 5 columns, the model 13 (--columns and --skip-columns choose)" \
  predict "$work/model.npz" "$work/cut_alone.csv"
awk -F, -v OFS=, '{ print $0, $3 }' "$wine" >"$work/twice.csv"
refuses 'twice.csv: line 1 has more than one column "ash", which the model has' predict "$work/model.npz" "$work/twice.csv"
tr , ';' <"$wine" >"$work/semicolons.csv"
refuses 'line 2, column 1: .*, expected a number (line 1 has 1 column and holds ";": --separator' \
  predict "$work/model.npz" "$work/semicolons.csv"
says "inertia" predict "$work/model.npz" "$work/semicolons.csv" --separator ';'
says "inertia" "$wine" -k 4 --double --model "$work/double.npz" --centroids "$work/double.npy"
refuses "double.npy holds float64, the model float32: numpy.save(path, x.astype(numpy.float32))" \
  predict "$work/model.npz" "$work/double.npy"
refuses "c.npy holds float32, the model float64: numpy.save(path, x.astype(numpy.float64))" \
  predict "$work/double.npz" "$work/c.npy"
refuses '--double: ".*model.npz" holds float32' predict "$work/model.npz" "$wine" --double
says "inertia" predict "$work/double.npz" "$wine" --double
printf 'a,b\n1,2\n3\n' >"$work/ragged.csv"
refuses "line 3 has 1 column, expected 2" predict "$work/two.csv" "$work/ragged.csv"
printf 'a\n1\nnan\n' >"$work/nan.csv"
refuses "nan.csv: line 3, column 1 is nan, expected a finite number" predict "$work/two.csv" "$work/nan.csv"
refuses "nan.csv: line 3, column 1 is nan" predict "$work/nan.csv" "$work/two.csv"
says "a" predict "$work/two.csv" "$work/nan.csv" --no-check-finite
cp "$wine" "$work/fake.npz"
refuses 'fake.npz: begins with "alcohol,", expected' predict "$work/fake.npz" "$wine"
head -c 900 "$work/model.npz" >"$work/cut.npz"
refuses "cut.npz: the end of the archive is damaged or cut off" predict "$work/cut.npz" "$wine"
"$python" - "$work" <<'END'
import struct, sys, zipfile
def npy(descr, shape, data):
    header = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)).ljust(117) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + data
def save(name, **arrays):
    with zipfile.ZipFile(sys.argv[1] + "/" + name, "w") as archive:
        for key, value in arrays.items():
            archive.writestr(key + ".npy", value)
two = npy("<f4", "(2, 1)", struct.pack("<2f", 1, 8))
one = npy("<f8", "(1,)", struct.pack("<d", 1))
save("other.npz", means=two)
save("integers.npz", centroids=npy("<i4", "(2, 1)", bytes(8)))
save("nan.npz", centroids=npy("<f4", "(2, 1)", struct.pack("<2f", 1, float("nan"))))
save("none.npz", centroids=npy("<f4", "(0, 1)", b""))
save("flat.npz", centroids=two, mean=one, mean_rest=one, scale=npy("<f8", "(1,)", bytes(8)))
save("wide.npz", centroids=two, mean=npy("<f8", "(2,)", bytes(16)), mean_rest=one, scale=one)
save("half.npz", centroids=two, mean=one, scale=one)
save("large.npz", centroids=npy("<f8", "(2, 1)", struct.pack("<2d", 1e200, 1)))
zero = npy("<f8", "(1,)", bytes(8))
save("steep.npz", centroids=two, mean=one, mean_rest=zero, scale=npy("<f8", "(1,)", struct.pack("<d", 1e-320)))
save("names.npz", centroids=two, names=npy("|S1", "(2,)", b"ab"))
END
refuses 'other.npz: has no array "centroids", only means' predict "$work/other.npz" "$work/two.csv"
refuses "integers.npz: centroids: holds integers, expected float32 or float64" predict "$work/integers.npz" "$work/two.csv"
refuses "nan.npz: centroid 1, column 1 is nan, expected a finite number" predict "$work/nan.npz" "$work/two.csv"
refuses "none.npz: no centroids" predict "$work/none.npz" "$work/two.csv"
refuses "flat.npz: scale holds 0, expected numbers above 0" predict "$work/flat.npz" "$work/two.csv"
refuses "wide.npz: mean is 2 x 1, expected 1 number as the centroids have columns" predict "$work/wide.npz" "$work/two.csv"
refuses 'half.npz: has no array "mean_rest", only centroids, mean, scale' predict "$work/half.npz" "$work/two.csv"
refuses "names.npz: 2 names, expected 1" predict "$work/names.npz" "$work/two.csv"

# What the scale of a model makes too large is refused by its place, as what is too large itself.
printf '1e-30\n2e-30\n3e-30\n9e-30\n' >"$work/small.csv"
printf 'a\n2e-30\n1e12\n-1e12\n' >"$work/far.csv"
says "standardised" "$work/small.csv" -k 2 --standardize --model "$work/small.npz"
refuses "far.csv: line 3, column 1 is 1e+12, standardised inf, expected a number that float32 holds" \
  predict "$work/small.npz" "$work/far.csv" --labels "$work/new.csv"
says "inertia" predict "$work/small.npz" "$work/far.csv" --no-check-finite
says "inertia" "$work/far.csv" -k 2 --centroids "$work/far.npy"
refuses "far.npy: row [12], column 1 is .*, standardised -*inf" predict "$work/small.npz" "$work/far.npy"
refuses "two.csv: line 3, column 1 is 8, standardised inf" predict "$work/steep.npz" "$work/two.csv"
refuses "large.npz: centroid 0, column 1 is 1e+200, expected a finite number within 2^500 of zero" \
  predict "$work/large.npz" "$work/two.csv"
check "nothing was written" test ! -e "$work/new.csv"

# --- outputs ----------------------------------------------------------------------------------------------------------
refuses "--labels: there is no directory" predict "$work/model.npz" "$wine" --labels "$work/none/labels.csv"
refuses "--distances: .* does not end in .csv, .tsv or .npy" predict "$work/model.npz" "$wine" --distances d.fvecs
refuses "would overwrite" predict "$work/two.csv" "$work/weighted.csv" --weights n --labels "$work/two.csv"
cd "$work" || exit 1
refuses '--distances: "./new.csv" would overwrite "new.csv"' predict model.npz "$wine" --labels new.csv --distances ./new.csv
cd "$OLDPWD" || exit 1
check "nothing was written" test ! -e "$work/new.csv"
mkdir "$work/outputs"
echo kept >"$work/outputs/labels.csv"
if test -c /dev/full; then
  ln -s /dev/full "$work/full.csv"
  refuses "full.csv: writing failed" predict "$work/model.npz" "$wine" --labels "$work/outputs/labels.csv" \
    --distances "$work/full.csv"
else
  echo "SKIPPED: no /dev/full here"
fi
check "the old file" test "$(cat "$work/outputs/labels.csv")" = kept
check "no other file" test "$(find "$work/outputs" -type f | wc -l)" -eq 1

finish
