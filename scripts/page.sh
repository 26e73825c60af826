#!/bin/sh
# Measures in headless Chromium how a page of 20,000 events behaves: when its first
# event is in the window, and the longest task while it is scrolled, jumped in and
# searched. It prints milliseconds and asserts nothing.
set -eu
go test -run '^$' -bench 'BenchmarkPage$' -benchtime "${BENCHTIME:-3x}" ./internal/export
