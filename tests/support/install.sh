#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sourced by the scripts that must work on a bare machine:
#   lloyd_need PACKAGE=PROBE...   where PROBE is a command, or the path of a file, that tells that it is there
# What is missing is installed by apt; without apt or root it is named and the script stops.
#   lloyd_want PACKAGE=PROBE...   the same, but the script goes on without it: some tests are then skipped
lloyd_need() {
  local need probe missing=()
  for need in "$@"; do
    probe=${need#*=}
    [[ $probe == /* ]] && compgen -G "$probe" >/dev/null && continue
    [[ $probe != /* ]] && command -v "$probe" >/dev/null && continue
    missing+=("${need%%=*}")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  if ! command -v apt-get >/dev/null; then
    echo "Missing: ${missing[*]} (the names of Debian's packages). There is no apt-get here: install them your" \
      "system's way and start again, or skip this check with LLOYD_NO_INSTALL=1." >&2
  elif [ "$(id -u)" -ne 0 ]; then
    echo "Missing: ${missing[*]}. Install them as root and start again:" >&2
    echo "  apt-get install ${missing[*]}" >&2
  else
    echo "Installing: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    # The lists of a fresh machine are empty; those of an old one may name packages that are gone.
    if apt-get update -qq && apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null; then
      return 0
    fi
    echo "apt-get could not install: ${missing[*]}" >&2
  fi
  [ "${LLOYD_NO_INSTALL:-}" = 1 ] || exit 2
}

lloyd_want() {
  LLOYD_NO_INSTALL=1 lloyd_need "$@"
}
