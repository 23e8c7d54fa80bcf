#!/bin/sh
# SPDX-License-Identifier: MIT
# Follows what lloyd-cluster says of tables as people have them: advice_program_test.sh PROGRAM DATA_DIR PYTHON
. "$(dirname "$0")/program.sh"

mended() {  # mended FILE ARGUMENTS...: the table that a command made is read as the one that needed none
  file=$1; shift
  says "inertia" "$work/$file" -k 2 --standardize "$@" --labels "$work/labels.csv"
  check "labels of $file" same "$work/expected.csv" "$work/labels.csv"
}
printf 'age,income\n32.58,4144.94\n31.2,3999.5\n10.09,1559\n58.75,10499.59\n' >"$work/plain.csv"
says "inertia" "$work/plain.csv" -k 2 --standardize --labels "$work/expected.csv"

# --- options that are meant, and JSON of any path -----------------------------------------------------------------------
for pair in --k:-k --sep:--separator --delimiter:--separator --scale:--standardize --normalize:--standardize; do
  advises "${pair%%:*} is no option of fit; did you mean ${pair##*:}?" "$work/plain.csv" "${pair%%:*}"
done
advises "--scale is no option of predict, whose --help lists them" predict "$work/c.csv" "$work/plain.csv" --scale
advises "--hlep is no option of fit; did you mean --help?" --hlep
advises "-v is no option of fit; did you mean lloyd-cluster --version?" -v
advises "--sep is no option of predict; did you mean --separator?" predict --sep ,
bytes=$work/$(printf 'b\351\360.csv')
if cp "$work/plain.csv" "$bytes" 2>/dev/null; then
  says "inertia" "$bytes" -k 2 --standardize --json
  check "JSON of a path that is no UTF-8" "$python" - "$work/out" <<'END'
import json, sys
assert json.loads(open(sys.argv[1], "rb").read().decode())["input"].endswith("b\ufffd\ufffd.csv")
END
fi

finish
