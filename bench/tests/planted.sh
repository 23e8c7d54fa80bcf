#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# compare.py on real runs: nothing in ten comparisons of the same build, and a planted 20 % in one phase is reported,
# alone. Wants a machine with nothing else to do; takes about a quarter of an hour.
#   bash bench/tests/planted.sh [BUILD, build/bench by default] [COMPARISONS, 10 by default] [more for bench/run.py]
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build/bench} comparisons=${2:-10}
shift $(($# < 2 ? $# : 2))
more=("$@")
out=build/bench-planted
mkdir -p "$out"

# pair NAME [more]: two runs of the same build in turn, NAME.json and NAME-against.json
pair() {
  python3 bench/run.py --out "$out/$1.json" --build "$build" --against "$build" --scale 0.02 \
    --sections limits,phases --tasks k17-d180,k100-d32,k550-d6,susy-like --rounds 7 --reps 5 --budget 2 --fresh \
    "${more[@]}" "${@:2}" >"$out/$1.log"
}

wrong=0
for number in $(seq "$comparisons"); do
  pair "same$number"
  if ! python3 bench/compare.py "$out/same$number.json" "$out/same$number-against.json"; then
    echo "comparison $number of the same build reports something"
    wrong=1
  fi
done

pair planted --plant accumulate:20
report=$(python3 bench/compare.py "$out/planted.json" "$out/planted-against.json") && {
  echo "the planted 20 % is not reported"
  wrong=1
}
echo "$report"
if grep SLOWER <<<"$report" | grep -qv accumulate; then
  echo "something is reported that was not planted"
  wrong=1
fi
[ $wrong -eq 0 ] && echo "planted: found; $comparisons comparisons of the same build: nothing"
exit $wrong
