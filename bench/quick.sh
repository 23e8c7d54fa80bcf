#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The benchmark in a few minutes, from nothing: installs what it needs (Debian, as root), builds, runs the mix at scale
# 0.05, writes build/bench-quick/quick.json and its figures. Good for a look; for a comparison see bench/README.md.
#   bash bench/quick.sh [more arguments of bench/run.py, such as --threads 1]
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/support/install.sh
lloyd_need g++=g++ cmake=cmake make=make python3=python3 libeigen3-dev=/usr/include/eigen3/Eigen/Core \
  libbenchmark-dev=/usr/include/benchmark/benchmark.h

# matplotlib where it is, else in an environment of its own, else Debian's.
python=python3
if ! python3 -c 'import matplotlib' 2>/dev/null; then
  python=build/bench-venv/bin/python
  if ! "$python" -c 'import matplotlib' 2>/dev/null; then
    pip=("$python" -m pip install --quiet --disable-pip-version-check matplotlib)
    if ! { python3 -m venv build/bench-venv && "${pip[@]}"; }; then
      lloyd_need python3-matplotlib=/usr/lib/python3/dist-packages/matplotlib/__init__.py
      python=/usr/bin/python3
    fi
  fi
fi

cmake -S . -B build/bench -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG" \
  -DLLOYD_BUILD_BENCHMARKS=ON -DLLOYD_BUILD_TESTS=OFF -DLLOYD_BUILD_EXAMPLES=OFF >/dev/null
cmake --build build/bench -j "$(nproc)" --target lloyd_benchmarks

out=build/bench-quick
rm -rf "$out"
mkdir -p "$out"
# run TASKS SECTIONS DEADLINE: what matters most comes first, and none takes longer than its deadline.
run() {
  "$python" bench/run.py --out "$out/quick.json" --scale 0.05 --rounds 1 --seeds 0 --reps 3 --budget 0.3 --limit 10 \
    --tasks "$1" --sections "$2" --deadline "$3" "${@:4}"
}
few=k17-d180,k100-d32,k550-d6,wine-size
run "" limits,a,b,e 100 "$@"
run "$few" c,phases,crossover,scaling 100 "$@"
run "$few" d 20 "$@"
"$python" bench/plot.py "$out/quick.json" --out "$out/figures"
echo "Figures: $out/figures; every column: $out/quick.csv; raw repetitions: $out/quick.json"
