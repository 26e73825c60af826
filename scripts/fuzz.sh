#!/bin/sh
# Runs every fuzz target of the project, one after the other.
#   FUZZTIME=30s scripts/fuzz.sh [package pattern]
set -eu
for pkg in $(go list "${1:-./...}"); do
	for target in $(go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
		echo "== $pkg $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-10m}" -fuzzminimizetime 20x "$pkg"
	done
done
