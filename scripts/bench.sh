#!/bin/sh
# Prints the figures of docs/performance.md. Each benchmark gives its ratio to a
# bare line scan (and to encoding/json where the page says so) in the same run.
set -eu
go test -run '^$' -bench . -benchtime "${BENCHTIME:-3x}" ./internal/... | grep -v -E 'no test files|^(PASS|goos|goarch)'
