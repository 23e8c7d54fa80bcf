#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the environment of the libraries that lloyd is compared with: build/bench-peers. Not needed for lloyd's own
# figures.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -x build/bench-peers/bin/python ] || python3 -m venv build/bench-peers
build/bench-peers/bin/python -m pip install --quiet --disable-pip-version-check numpy scikit-learn faiss-cpu \
  scikit-learn-intelex
