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

# --- numbers with points and commas: advice by the whole file ----------------------------------------------------------
printf 'age;income\n32,58;4.144,94\n31,2;3.999,5\n10,09;1.559\n58,75;10.499,59\n' >"$work/commas.csv"
advises '"32,58", expected a number (a decimal comma? it is to be 32.58: tr -d . | tr , . changes all)' \
  "$work/commas.csv" --separator ';'
tr -d . <"$work/commas.csv" | tr , . >"$work/points.csv"
mended points.csv --separator ';'
printf 'a;b\n10,09;1.559\n11,5;2.499\n' >"$work/groups.csv"
advises ': tr -d . | tr , . changes all)' "$work/groups.csv" --separator ';'
printf 'a;b\n10,09;1.5\n11,5;2.499\n' >"$work/groups.csv"
advises '(a decimal comma? it is to be 10.09: tr , . changes all)' "$work/groups.csv" --separator ';'
tr , . <"$work/commas.csv" >"$work/half.csv"
advises '"4.144.94", expected a number (points between thousands, before a comma that was changed to a point? it is to be 4144.94: tr -d . comes before tr , .)' \
  "$work/half.csv" --separator ';'
printf 'age,income\n32.58,"4,144"\n31.2,"3,999"\n10.09,"1,559"\n58.75,"10,499"\n' >"$work/us.csv"
advises '"4,144", expected a number (a comma between thousands? it is to be 4144, or 4.144 if that is decimal; sed -E' \
  "$work/us.csv"
sed -E ':a;s/("-?[0-9]+),([0-9]{3})/\1\2/;ta' "$work/us.csv" >"$work/us_plain.csv"
mended us_plain.csv
printf 'a,b\n1,"4,144"\n2,"1,234,567"\n3,"98,031"\n' >"$work/us.csv"
advises '"4,144", expected a number (a comma between thousands? it is to be 4144: sed -E' "$work/us.csv"
sed -E ':a;s/("-?[0-9]+),([0-9]{3})/\1\2/;ta' "$work/us.csv" >"$work/us_plain.csv"
says "1.23457e+06" "$work/us_plain.csv" -k 3 --standardize
printf 'a,b\n1,"4,144"\n2,"12,34"\n3,"98,031"\n' >"$work/us.csv"
advises '"4,144", expected a number (a decimal comma? it is to be 4.144)' "$work/us.csv"
printf 'a;b\n1;4,144\n2;5,125\n' >"$work/either.csv"
advises '(a decimal comma? it is to be 4.144, or 4144 if it is not; tr , . changes all)' "$work/either.csv" --separator ';'
printf 'a;b\n1.5;4,144\n2;5,125\n' >"$work/either.csv"
advises '(a comma between thousands? it is to be 4144, or 4.144 if that is decimal; tr -d , takes them out)' \
  "$work/either.csv" --separator ';'
printf 'a,b\n1,"0,144"\n2,"0,125"\n' >"$work/us.csv"
advises '"0,144", expected a number (a decimal comma? it is to be 0.144)' "$work/us.csv"

# --- signs beside numbers, and other marks between thousands -----------------------------------------------------------
spelled() {  # spelled FIELD ADVICE
  printf 'a;b\n1;%s\n' "$1" >"$work/spelled.csv"
  advises ", expected a number ($2)" "$work/spelled.csv" --separator ';'
}
spelled 63% 'a percent sign; it is to be 63'
spelled '-63.5 %' 'a percent sign; it is to be -63.5'
spelled '$4712.03' 'a dollar sign; it is to be 4712.03'
spelled '-$4,712.03' 'a dollar sign and commas between thousands? it is to be -4712.03'
spelled '452,96 €' 'a euro sign and a decimal comma? it is to be 452.96'
spelled '£1.234.567' 'a pound sign and points between thousands? it is to be 1234567'
spelled '1 234,5' 'blanks between thousands and a decimal comma? it is to be 1234.5'
spelled "$(printf '12\302\240345')" 'blanks between thousands? it is to be 12345'
spelled "$(printf '12\342\200\257345')" 'blanks between thousands? it is to be 12345'
spelled "$(printf '12\302\240')" 'a blank that breaks no line; it is to be 12'
spelled "1'200.5" 'apostrophes between thousands? it is to be 1200.5'
printf 'a,b\n1,"$4,712.03"\n' >"$work/spelled.csv"
advises '(a dollar sign and commas between thousands? it is to be 4712.03)' "$work/spelled.csv"
for odd in 12cm 030-123 '12 34' 1.2.0 01.234.567 '$' '%' '1.234.5x'; do
  printf 'a;b\n1;%s\n' "$odd" >"$work/odd.csv"
  advises "(--skip-columns 2 leaves the column of text out" "$work/odd.csv" --separator ';'
done

# --- points that may stand between thousands, though they are read ------------------------------------------------------
printf 'a,pay\n1,1.500\n2,950\n3,11.984\n' >"$work/pay.csv"
warns "column pay holds 1.500, read as 1.5; tr -d . takes the points out if they stand between thousands" \
  "$work/pay.csv" -k 2 --standardize
warns "column pay holds 1.500, read as 1.5" sweep "$work/pay.csv" -k 2 --standardize
warns "column pay holds 1.500, read as 1.5" /dev/stdin -k 2 --standardize <"$work/pay.csv"
tr -d . <"$work/pay.csv" >"$work/whole.csv"
says "11984" "$work/whole.csv" -k 3 --standardize
for pay in '1.500\n2.950\n11.984' '1.500\n950\n1500' '1.500\n2.25\n7' '0.500\n1.250\n7' '1.500\n20\n30' '1.500\n2.500\n1e3'; do
  printf "pay,a\n$pay\n" | sed '1!s/$/,1/' >"$work/pay.csv"
  says "inertia" "$work/pay.csv" -k 2
done

# --- rows with missing values, as the page on the program drops them ----------------------------------------------------
printf ',age,Na\r\n0,1,2\r\n1,,3\r\n2,NA,4\r\n3,5,nan\r\n4,6,7\r\n' >"$work/missing.csv"
tr -d '\r' <"$work/missing.csv" | awk 'NR == 1 || tolower($0) !~ /(^|,)(na|nan)?(,|$)/' >"$work/kept.csv"
check "rows without missing values" test "$(tr '\n' ' ' <"$work/kept.csv")" = ",age,Na 0,1,2 4,6,7 "
check "the page has the command" grep -qF "awk 'NR == 1 || tolower(\$0) !~ /(^|,)(na|nan)?(,|\$)/'" \
  "$(dirname "$0")/../../docs/program.md"

# --- line 1: names that are numbers, a title, one name too few ----------------------------------------------------------
for line in 0,1,2 10,20,30 2020,2019,2018 2010,2015,2020 -1,0,1; do
  printf '%s\n1,2,7\n4,5,6\n' $line >"$work/numbers.csv"
  warns "line 1 goes from ${line%%,*} to ${line##*,} and is taken for a row; --header yes takes it for names" \
    "$work/numbers.csv" -k 2
  says "inertia  ${line%%,*}" "$work/numbers.csv" -k 2 --header yes
done
for line in 1,1,1 1,2,4 0.5,1.5,2.5; do
  printf '%s\n1,2,7\n4,5,6\n' $line >"$work/numbers.csv"
  says "inertia" "$work/numbers.csv" -k 2
done
printf '"7","2"\n1,2\n3,4\n' >"$work/quoted.csv"
warns "line 1 stands in quotes, line 2 does not, and is taken for a row; --header yes" "$work/quoted.csv" -k 2
printf '"7","2"\n"1",2\n3,4\n' >"$work/quoted.csv"
says "inertia" "$work/quoted.csv" -k 2
tail -n +2 "$work/plain.csv" >"$work/rows.csv"
warns "line 1 holds 32.58 and is taken for names; --header no takes it for a row" "$work/rows.csv" -k 2 --header yes \
  --standardize
printf 'name,2019,2020,town\nx,3,4,Rom\ny,9,9,Ulm\n' >"$work/texts.csv"
advises '(--skip-columns 1,4 leaves the columns of text out; and --header yes if line 1 holds names)' "$work/texts.csv"
warns "line 1 goes from 2019 to 2020" "$work/texts.csv" -k 2 --skip-columns 1,4
says "2019" "$work/texts.csv" -k 2 --skip-columns 1,4 --header yes
# A model finds its names in line 1, though they are numbers.
printf '2018,2019,2021\n1,2,3\n4,5,6\n9,8,7\n' >"$work/years.csv"
says "2018" "$work/years.csv" -k 2 --header yes --model "$work/years.npz" --labels "$work/expected_years.csv"
says "2018" predict "$work/years.npz" "$work/years.csv" --labels "$work/labels.csv"
check "labels below names that are numbers" same "$work/expected_years.csv" "$work/labels.csv"
says '"rows": 4,' predict "$work/years.npz" "$work/years.csv" --header no --json
tail -n +2 "$work/years.csv" >"$work/nameless.csv"
says '"rows": 3,' predict "$work/years.npz" "$work/nameless.csv" --json
for title in 'Report of 2024' '# exported 2024-01-01, by hand' 'Report'; do
  (echo "$title"; cat "$work/plain.csv"; echo '1,2') | sed 's/$/,7/; 1s/,7$//; 2s/7$/n/' >"$work/title.csv"
  advises "(line 1 looks like a title: tail -n +2 leaves it out)" "$work/title.csv"
  tr , ';' <"$work/title.csv" >"$work/semicolons.csv"
  advises "(line 1 looks like a title: tail -n +2 leaves it out)" "$work/semicolons.csv"
done
tail -n +2 "$work/title.csv" >"$work/below.csv"
says "  n" "$work/below.csv" -k 2 --standardize
(printf 'Report\nof 2024\n\n'; cat "$work/plain.csv") >"$work/title.csv"
advises "(lines 1 to 3 look like a title: tail -n +4 leaves them out)" "$work/title.csv"
printf 'Preis in Euro\n1,5\n2,5\n' >"$work/decimal.csv"
"$program" "$work/decimal.csv" >"$work/out" 2>"$work/err"
check "decimal commas below a name are no columns" sh -c "! grep -q title '$work/err'"
awk 'NR == 1 { print; next } { print "\"" NR - 1 "\"," $0 }' "$work/plain.csv" >"$work/r.csv"
advises "(line 1 has one name fewer than the rows have columns: row names? sed '1s/^/row,/' gives them a name)" "$work/r.csv"
sed '1s/^/row,/' "$work/r.csv" >"$work/r_named.csv"
mended r_named.csv --skip-columns row
sed '2,$s/$/,/' "$work/plain.csv" >"$work/ends.csv"
advises "(the rows end with \",\", line 1 does not: sed 's/,\$//' takes it off)" "$work/ends.csv"

# --- what separates columns and lines -----------------------------------------------------------------------------------
printf '"";"age";"income"\n' >"$work/quotes.csv"
awk -F, -v OFS=';' 'NR > 1 { print NR, $1, $2 }' "$work/plain.csv" >>"$work/quotes.csv"
advises "follows the closing quote (it holds \";\": --separator ';' if that separates columns)" "$work/quotes.csv"
advises "(it holds \";\": --separator ';' if" "$work/quotes.csv" --columns age,income
mended quotes.csv --separator ';' --columns age,income
for separator in tab space; do
  case $separator in tab) c=$(printf '\t') ;; *) c=' ' ;; esac
  sed '1s/[a-z]*/"&"/g; 1s/""//g' "$work/plain.csv" | tr , "$c" >"$work/quotes.csv"
  advises "follows the closing quote (it holds a" "$work/quotes.csv"
  advises ": --separator '$separator' if that separates columns)" "$work/quotes.csv"
  mended quotes.csv --separator $separator
done
awk -F, '{ printf "%9s %9s \n", $1, $2 }' "$work/plain.csv" >"$work/aligned.csv"
for choice in "" "--separator space"; do
  # shellcheck disable=SC2086
  advises "(several blanks between columns? tr -s ' ' | sed 's/^ //; s/ \$//' leaves one, for --separator space)" \
    "$work/aligned.csv" $choice
done
tr -s ' ' <"$work/aligned.csv" | sed 's/^ //; s/ $//' >"$work/blanks.csv"
mended blanks.csv --separator space
printf 'a,b\r\r\n1,2\r\r\n3,4\r\r\n' >"$work/returns.csv"
advises "(lines end with two carriage returns: tr -d '\\r' takes both off)" "$work/returns.csv"
tr -d '\r' <"$work/returns.csv" >"$work/newlines.csv"
says "inertia  a  b" "$work/newlines.csv" -k 2

# --- columns that are left out, as a shell takes them -------------------------------------------------------------------
printf "o'k,a b,n,m\nx,y,1,2\nx,y,2,3\n" >"$work/names.csv"
advises "(--skip-columns 'o'\\''k,2' leaves the column of text out" "$work/names.csv" --skip-columns "o'k"
advises "(--skip-columns 'a b,1' leaves the column of text out" "$work/names.csv" --skip-columns 'a b'
advises "(--skip-columns 1-2 leaves the columns of text out" "$work/names.csv"
seq 50 | sed '1i a' >"$work/one.csv"
says "total inertia" "$work/one.csv" -k 2
printf 'a,"b, c","d "\n1,2,3\n' >"$work/names.csv"
advises '(line 1: a, "b, c", "d ")' "$work/names.csv" --columns e
printf '1700000001,1\n1700000001,2\n' >"$work/constant.csv"
says "inertia" "$work/constant.csv" -k 2

# --- columns of weights and files of centroids are advised on, too ------------------------------------------------------
tr , ';' <"$work/plain.csv" >"$work/semicolons.csv"
printf 'a;n\n1;1\n2;3\n' >"$work/two.csv"
weights() {  # weights FIELD ADVICE
  printf 'a;n\n1;%s\n2;1\n3;7\n' "$1" >"$work/weights.csv"
  advises "($2; it is in the column of --weights)" "$work/weights.csv" --separator ';' --weights n -k 2
  advises "($2)" "$work/two.csv" --separator ';' --start "$work/weights.csv"
}
weights 1,5 'a decimal comma? it is to be 1.5: tr , . changes all'
weights 1.234.567 'points between thousands? it is to be 1234567: tr -d . takes them out'
weights NA 'missing values are refused: fill or drop those rows first; 1 row has one'

# --- centroids have the separator of the rows, where their first line holds it ------------------------------------------
says "inertia" "$work/semicolons.csv" -k 2 --standardize --separator ';' --centroids "$work/c.csv" --labels "$work/l.csv"
check "semicolons in the centroids" test "$(head -n 1 "$work/c.csv")" = "age;income"
says "1 iteration" "$work/semicolons.csv" --standardize --separator ';' --start "$work/c.csv" --labels "$work/labels.csv"
check "labels by centroids with semicolons" same "$work/l.csv" "$work/labels.csv"
tr ';' , <"$work/c.csv" >"$work/commas_c.csv"
for centroids in c commas_c; do
  says "inertia" predict "$work/$centroids.csv" "$work/semicolons.csv" --separator ';' --labels "$work/$centroids.labels.csv"
done
check "labels by centroids with commas" same "$work/c.labels.csv" "$work/commas_c.labels.csv"
advises "(line 1 has 1 column and holds \";\": --separator ';' if that separates columns, here and in the rows)" \
  predict "$work/c.csv" "$work/plain.csv"

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
